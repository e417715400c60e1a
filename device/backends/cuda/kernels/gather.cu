#include "device/backends/cuda/kernels/elements.h"
#include "device/backends/cuda/kernels/index.h"

namespace tandem::gpu::TANDEM_KERNELS {
namespace {

constexpr int kTile = 32, kTileRows = 8;

// The axes of the call in the order in which y lies in memory, those that lie together as one.
struct Order {
  int axes = 0;
  std::int64_t counts[kMostAxes] = {}, x_stride[kMostAxes] = {}, y_stride[kMostAxes] = {};
  const std::int32_t* table[kMostAxes] = {};

  explicit Order(const GatherCall& call) {
    for (int axis = 0; axis < call.axes; ++axis) {
      if (call.counts[axis] != 1 || call.table[axis] != nullptr) Insert(call, axis);
    }
    for (int axis = axes - 1; axis > 0; --axis) Merge(axis);
  }

  std::int64_t Count() const {
    std::int64_t count = 1;
    for (int axis = 0; axis < axes; ++axis) count *= counts[axis];
    return count;
  }
  // An axis that steps by one in x, while the last one does in y: a transposition; else -1.
  int Across() const {
    if (axes < 2 || y_stride[axes - 1] != 1 || x_stride[axes - 1] == 1 || table[axes - 1] != nullptr)
      return -1;
    for (int axis = axes - 2; axis >= 0; --axis) {
      if (x_stride[axis] == 1 && table[axis] == nullptr) return axis;
    }
    return -1;
  }
  bool Runs() const {
    return axes > 0 && x_stride[axes - 1] == 1 && y_stride[axes - 1] == 1 && table[axes - 1] == nullptr;
  }

 private:
  void Insert(const GatherCall& call, int axis) {
    int at = axes++;
    for (; at > 0 && y_stride[at - 1] < call.y_stride[axis]; --at) Set(at, at - 1);
    counts[at] = call.counts[axis];
    x_stride[at] = call.x_stride[axis];
    y_stride[at] = call.y_stride[axis];
    table[at] = call.table[axis];
  }
  void Set(int to, int from) {
    counts[to] = counts[from];
    x_stride[to] = x_stride[from];
    y_stride[to] = y_stride[from];
    table[to] = table[from];
  }
  // This axis and the one before it.
  void Merge(int axis) {
    if (table[axis] != nullptr || table[axis - 1] != nullptr) return;
    if (x_stride[axis - 1] != x_stride[axis] * counts[axis]) return;
    if (y_stride[axis - 1] != y_stride[axis] * counts[axis]) return;
    const std::int64_t merged = counts[axis - 1] * counts[axis];
    Set(axis - 1, axis);
    counts[axis - 1] = merged;
    for (int i = axis; i + 1 < axes; ++i) Set(i, i + 1);
    --axes;
  }
};

template <class Index>
struct Places {
  int axes = 0;
  Divider<Index> count[kMostAxes];
  std::int64_t x_stride[kMostAxes] = {}, y_stride[kMostAxes] = {};
  const std::int32_t* table[kMostAxes] = {};

  void Add(const Order& order, int axis, int n = 1) {
    count[axes] = Divider<Index>(order.counts[axis] / n);
    x_stride[axes] = order.x_stride[axis] * n;
    y_stride[axes] = order.y_stride[axis] * n;
    table[axes++] = order.table[axis];
  }
  // Where element `number` comes from and goes to; false: it is filled. The first axis takes what is left.
  __device__ __forceinline__ bool Find(Index number, std::int64_t& x, std::int64_t& y) const {
    bool there = true;
    x = y = 0;
    for (int axis = axes - 1; axis >= 0; --axis) {
      const auto place = static_cast<std::int64_t>(axis == 0 ? number : TakeRest(number, count[axis]));
      const std::int64_t from = table[axis] == nullptr ? place : table[axis][place];
      there = there && from >= 0;
      x += from * x_stride[axis];
      y += place * y_stride[axis];
    }
    return there;
  }
};

// The addresses and elements of both sides.
struct Sides {
  const void* x;
  void* y;
  Element from, to;
  float fill;

  explicit Sides(const GatherCall& call)
      : x(call.x), y(call.y), from(call.from), to(call.to), fill(call.fill) {}
};

// n neighbours at once.
template <class Index, int n>
__global__ void __launch_bounds__(kThreads) GatherKernel(Sides sides, Index packs, Places<Index> places) {
  for (Index pack = FirstIndex<Index>(); pack < packs; pack += IndexStep<Index>()) {
    std::int64_t x, y;
    float values[n];
    if (places.Find(pack, x, y)) {
      Load(sides.x, sides.from, x, values);
    } else {
      TANDEM_UNROLL
      for (int i = 0; i < n; ++i) values[i] = sides.fill;
    }
    Store(sides.y, sides.to, y, values);
  }
}

// Two axes of which one lies together in x (`across`), the other in y (`along`), in squares that go through
// shared memory, so that both sides are read and written in runs.
struct Squares {
  std::int64_t across, along, x_stride, y_stride;  // x steps along by x_stride, y across by y_stride
  Divider<std::uint32_t> columns, rows;            // squares along and across
  Places<std::uint32_t> around;
};

__global__ void __launch_bounds__(kTile* kTileRows)
    TransposeKernel(Sides sides, std::uint32_t squares, Squares how) {
  __shared__ float tile[kTile][kTile + 1];  // one more: a column lies in different banks
  for (std::uint32_t square = blockIdx.x; square < squares; square += gridDim.x) {
    std::uint32_t number = square;
    const std::int64_t along = static_cast<std::int64_t>(TakeRest(number, how.columns)) * kTile;
    const std::int64_t across = static_cast<std::int64_t>(TakeRest(number, how.rows)) * kTile;
    std::int64_t x, y;
    const bool there = how.around.Find(number, x, y);
    const std::int64_t column = across + threadIdx.x;
    for (int row = static_cast<int>(threadIdx.y); row < kTile; row += kTileRows) {
      float value[1] = {sides.fill};
      if (there && column < how.across && along + row < how.along) {
        Load(sides.x, sides.from, x + (along + row) * how.x_stride + column, value);
      }
      tile[row][threadIdx.x] = value[0];
    }
    __syncthreads();
    for (int row = static_cast<int>(threadIdx.y); row < kTile; row += kTileRows) {
      if (across + row < how.across && along + threadIdx.x < how.along) {
        const float value[1] = {tile[threadIdx.x][row]};
        Store(sides.y, sides.to, y + (across + row) * how.y_stride + along + threadIdx.x, value);
      }
    }
    __syncthreads();
  }
}

int Transpose(const GatherCall& call, const Order& order, int across, void* stream) {
  const int along = order.axes - 1;
  Squares how;
  how.across = order.counts[across];
  how.along = order.counts[along];
  how.x_stride = order.x_stride[along];
  how.y_stride = order.y_stride[across];
  const std::int64_t columns = DivideUp(how.along, kTile), rows = DivideUp(how.across, kTile);
  how.columns = Divider<std::uint32_t>(columns);
  how.rows = Divider<std::uint32_t>(rows);
  for (int axis = 0; axis < along; ++axis) {
    if (axis != across) how.around.Add(order, axis);
  }
  const std::int64_t squares = order.Count() / how.across / how.along * columns * rows;
  return Launch(TransposeKernel, squares < kMostBlocks ? squares : kMostBlocks, dim3(kTile, kTileRows),
                stream, Sides(call), static_cast<std::uint32_t>(squares), how);
}

template <class Index, int n>
int Start(const GatherCall& call, const Order& order, void* stream) {
  Places<Index> places;
  for (int axis = 0; axis < order.axes; ++axis) places.Add(order, axis, axis == order.axes - 1 ? n : 1);
  const std::int64_t packs = order.Count() / n;
  return Launch(GatherKernel<Index, n>, BlocksFor(packs), kThreads, stream, Sides(call),
                static_cast<Index>(packs), places);
}

template <int n>
bool Packs(const GatherCall& call, const Order& order) {
  const std::size_t from = n * BytesOf(call.from), to = n * BytesOf(call.to);
  if (!order.Runs() || order.counts[order.axes - 1] % n != 0 || order.Count() / n > kMostIndex) return false;
  for (int axis = 0; axis < order.axes - 1; ++axis) {
    if (order.x_stride[axis] % n != 0 || order.y_stride[axis] % n != 0) return false;
  }
  return Aligned(call.x, from < 16 ? from : 16) && Aligned(call.y, to < 16 ? to : 16);
}

}  // namespace

int RunGather(const GatherCall& call, void* stream) {
  const Order order(call);
  const std::int64_t count = order.Count();
  if (count == 0) return cudaSuccess;
  if (call.from == Element::kHalf && Packs<8>(call, order)) {
    return Start<std::uint32_t, 8>(call, order, stream);
  }
  if (Packs<4>(call, order)) return Start<std::uint32_t, 4>(call, order, stream);
  constexpr std::int64_t least = 8;  // narrower ones would leave most of a square empty
  const int across = order.Across();
  if (across >= 0 && count <= kMostIndex && order.counts[across] >= least &&
      order.counts[order.axes - 1] >= least) {
    return Transpose(call, order, across, stream);
  }
  return WithIndex(count, [&](auto index) { return Start<decltype(index), 1>(call, order, stream); });
}

}  // namespace tandem::gpu::TANDEM_KERNELS
