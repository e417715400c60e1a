#include "tests/support/device/distant_backend.h"

#include <sys/mman.h>

#include <algorithm>
#include <thread>

#include "profiles/base/check.h"

namespace tandem {
namespace {

constexpr std::size_t kFloats = std::size_t{1} << 28;  // addresses; pages come when they are touched
constexpr std::size_t kLine = 16;

float* Map(int protection) {
  void* at = ::mmap(nullptr, kFloats * sizeof(float), protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                    -1, 0);
  TANDEM_CHECK(at != MAP_FAILED, "a test has addresses");
  return static_cast<float*>(at);
}

// Only the thread that opened something uses it.
class OneThread {
 public:
  void Check() const { TANDEM_CHECK(std::this_thread::get_id() == mine_, "who opens a unit uses it"); }

 private:
  std::thread::id mine_ = std::this_thread::get_id();
};

void CopyDistant(const DistantBackend& backend, float* to, const float* from, const TensorBlock& block) {
  DistantCalls& calls = backend.calls();
  const int copy = calls.copies + calls.beside;
  if (calls.before_copy) calls.before_copy(copy);
  CopyOnHost(backend.memory().Real(to), backend.memory().Real(from), block);
}

class DistantExecutable final : public Executable {
 public:
  DistantExecutable(std::unique_ptr<Executable> kernels, const DistantBackend& backend)
      : kernels_(std::move(kernels)), backend_(&backend) {}

  void Run(std::span<const float* const> inputs, std::span<float* const> outputs) override {
    thread_.Check();
    ++backend_->calls().runs;
    Aim(inputs, outputs);
    kernels_->Run(reads_, writes_);
  }
  std::vector<ExecutionStep> Steps() const override { return kernels_->Steps(); }
  void RunTimed(std::span<const float* const> inputs, std::span<float* const> outputs,
                std::span<Nanos> ends) override {
    Aim(inputs, outputs);
    kernels_->RunTimed(reads_, writes_, ends);
  }

 private:
  void Aim(std::span<const float* const> inputs, std::span<float* const> outputs) {
    reads_.clear();
    writes_.clear();
    for (const float* input : inputs) {
      reads_.push_back(backend_->memory().Real(input));
      if (reads_.back() == input) ++backend_->calls().host_reads;
    }
    for (float* output : outputs) {
      writes_.push_back(backend_->memory().Real(output));
      if (writes_.back() == output) ++backend_->calls().host_writes;
    }
  }

  std::unique_ptr<Executable> kernels_;
  const DistantBackend* backend_;
  OneThread thread_;
  std::vector<const float*> reads_;
  std::vector<float*> writes_;
};

class DistantProcessor final : public Processor {
 public:
  DistantProcessor(std::unique_ptr<Processor> kernels, const DistantBackend& backend)
      : kernels_(std::move(kernels)), backend_(&backend) {}
  TensorMemory& memory() override { return backend_->memory(); }
  TensorMemory& host_memory() override { return backend_->pinned(); }
  void Copy(float* to, const float* from, const TensorBlock& block) override {
    thread_.Check();
    ++backend_->calls().copies;
    CopyDistant(*backend_, to, from, block);
  }
  std::vector<std::vector<LayerId>> Groups(const Model& model) const override {
    return kernels_->Groups(model);
  }
  std::unique_ptr<Executable> Compile(const SegmentSpec& spec) override {
    return std::make_unique<DistantExecutable>(kernels_->Compile(spec), *backend_);
  }

 private:
  std::unique_ptr<Processor> kernels_;
  const DistantBackend* backend_;
  OneThread thread_;
};

class DistantCopier final : public Copier {
 public:
  explicit DistantCopier(const DistantBackend& backend) : backend_(&backend) {}
  ~DistantCopier() override { thread_.Check(); }
  void Copy(float* to, const float* from, const TensorBlock& block) override {
    thread_.Check();
    ++backend_->calls().beside;
    CopyDistant(*backend_, to, from, block);
  }

 private:
  const DistantBackend* backend_;
  OneThread thread_;
};

}  // namespace

DistantMemory::DistantMemory() : shown_(Map(PROT_NONE)), real_(Map(PROT_READ | PROT_WRITE)) {}

DistantMemory::~DistantMemory() {
  ::munmap(shown_, kFloats * sizeof(float));
  ::munmap(real_, kFloats * sizeof(float));
}

const float* DistantMemory::Real(const float* at) const {
  return at >= shown_ && at < shown_ + kFloats ? real_ + (at - shown_) : at;
}

float* DistantMemory::Allocate(std::size_t floats) {
  const std::lock_guard lock(mutex_);
  const std::size_t size = (std::max<std::size_t>(floats, 1) + kLine - 1) / kLine * kLine;
  ++allocations;
  ++in_use;
  float* at = nullptr;
  if (std::vector<float*>& free = free_[size]; !free.empty()) {
    at = free.back();
    free.pop_back();
  } else {
    if (next_ + size > kFloats) throw std::bad_alloc();
    at = shown_ + next_;
    next_ += size;
  }
  sizes_[at] = size;
  std::fill_n(Real(at), size, 0.0F);
  return at;
}

void DistantMemory::Free(float* at) noexcept {
  const std::lock_guard lock(mutex_);
  --in_use;
  free_[sizes_[at]].push_back(at);
}

std::unique_ptr<Processor> DistantBackend::Open(const OpenRequest& request) const {
  Unit plain;
  plain.backend = &DeclaredBackend("reference");
  return std::make_unique<DistantProcessor>(BackendOf(plain, "").Open(request), *this);
}

std::unique_ptr<Copier> DistantBackend::OpenCopier(const OpenRequest&) const {
  return calls_.copiers ? std::make_unique<DistantCopier>(*this) : nullptr;
}

}  // namespace tandem
