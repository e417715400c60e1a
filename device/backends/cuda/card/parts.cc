#include "device/backends/cuda/card/parts.h"

#include <cstring>
#include <new>
#include <string>
#include <utility>

#include "device/backends/cuda/libraries/cuda_check.h"
#include "profiles/base/input_error.h"

#if CUDART_VERSION >= 12050
#include <cuda.h>
#include <cudaTypedefs.h>
#endif

namespace tandem::gpu {

int LargestPart(int multiprocessors, int parts, const std::function<int(int least)>& groups_of) {
  for (int size = multiprocessors / parts; size > 0; --size) {
    if (groups_of(size) >= parts) return size;
  }
  return 0;
}

#if CUDART_VERSION >= 12050
namespace {

constexpr unsigned kFromCuda = 12050;

// Of the driver, which is no library that this is linked with: one that is older has not all of them.
struct GreenCalls {
  PFN_cuGetErrorName_v6000 error_name = nullptr;
  PFN_cuDeviceGet_v2000 device = nullptr;
  PFN_cuDeviceGetDevResource_v12040 resource = nullptr;
  PFN_cuDevSmResourceSplitByCount_v12040 split = nullptr;
  PFN_cuDevResourceGenerateDesc_v12040 describe = nullptr;
  PFN_cuGreenCtxCreate_v12040 create = nullptr;
  PFN_cuGreenCtxDestroy_v12040 destroy = nullptr;
  PFN_cuGreenCtxStreamCreate_v12050 stream = nullptr;

  explicit GreenCalls(const FindDriverCall& find) {
    Take(find, error_name, "cuGetErrorName");
    Take(find, device, "cuDeviceGet");
    Take(find, resource, "cuDeviceGetDevResource");
    Take(find, split, "cuDevSmResourceSplitByCount");
    Take(find, describe, "cuDevResourceGenerateDesc");
    Take(find, create, "cuGreenCtxCreate");
    Take(find, destroy, "cuGreenCtxDestroy");
    Take(find, stream, "cuGreenCtxStreamCreate");
  }

  void Check(CUresult result, const char* what) const {
    if (result == CUDA_SUCCESS) return;
    if (result == CUDA_ERROR_OUT_OF_MEMORY) throw std::bad_alloc();
    const char* name = nullptr;
    if (error_name(result, &name) != CUDA_SUCCESS) name = nullptr;
    throw EnvironmentError(std::string(what) + ": " + (name != nullptr ? name : "error of the driver"));
  }

 private:
  template <class Function>
  static void Take(const FindDriverCall& find, Function& function, const char* name) {
    void* const at = find(name);
    if (at == nullptr) {
      throw EnvironmentError(std::string("the driver has no ") + name + ": one of CUDA 12.5 or newer has");
    }
    std::memcpy(&function, &at, sizeof function);
  }
};

// The parts of a card: all that were asked for, or none.
class Contexts {
 public:
  explicit Contexts(const GreenCalls& calls) : calls_(calls) {}
  ~Contexts() {
    for (const CUgreenCtx context : made_) calls_.destroy(context);
  }
  Contexts(const Contexts&) = delete;
  Contexts& operator=(const Contexts&) = delete;

  void Add(CUdevResource& part, CUdevice card) {
    CUdevResourceDesc description{};
    CUgreenCtx context{};
    calls_.Check(calls_.describe(&description, &part, 1), "describing a part of the card");
    calls_.Check(calls_.create(&context, description, card, CU_GREEN_CTX_DEFAULT_STREAM),
                 "making a part of the card");
    made_.push_back(context);
  }
  std::vector<CUgreenCtx> Keep() { return std::exchange(made_, {}); }

 private:
  const GreenCalls& calls_;
  std::vector<CUgreenCtx> made_;
};

std::vector<CUdevResource> SplitInto(const GreenCalls& calls, const CUdevResource& all, int parts) {
  const int multiprocessors = static_cast<int>(all.sm.smCount);
  const int size = LargestPart(multiprocessors, parts, [&](int least) {
    unsigned groups = 0;
    const CUresult asked = calls.split(nullptr, &groups, &all, nullptr, 0, static_cast<unsigned>(least));
    return asked == CUDA_SUCCESS ? static_cast<int>(groups) : 0;
  });
  auto made = static_cast<unsigned>(parts);
  std::vector<CUdevResource> split(made);
  if (size > 0) {
    calls.Check(calls.split(split.data(), &made, &all, nullptr, 0, static_cast<unsigned>(size)),
                "dividing the card");
  }
  if (size == 0 || made < static_cast<unsigned>(parts)) {
    throw EnvironmentError("of its " + std::to_string(multiprocessors) +
                           " multiprocessors the driver makes no " + std::to_string(parts) + " equal parts");
  }
  return split;
}

}  // namespace

void* DriverCall(const char* name) {
  void* at = nullptr;
  cudaDriverEntryPointQueryResult found{};
  Check(cudaGetDriverEntryPointByVersion(name, &at, kFromCuda, cudaEnableDefault, &found),
        "asking the driver for parts of the card");
  return found == cudaDriverEntryPointSuccess ? at : nullptr;
}

std::vector<std::shared_ptr<const PartStreams>> MakeParts(int device, int parts, const FindDriverCall& find) {
  const auto all_calls = std::make_shared<const GreenCalls>(find);
  const GreenCalls& calls = *all_calls;
  CUdevice card{};
  CUdevResource all{};
  calls.Check(calls.device(&card, device), "looking at the card");
  calls.Check(calls.resource(card, &all, CU_DEV_RESOURCE_TYPE_SM), "asking for the card's multiprocessors");
  Contexts contexts(calls);
  for (CUdevResource& part : SplitInto(calls, all, parts)) contexts.Add(part, card);
  std::vector<std::shared_ptr<const PartStreams>> made;
  for (const CUgreenCtx context : contexts.Keep()) {
    made.push_back(std::make_shared<const PartStreams>([all_calls, context](int priority) {
      CUstream stream{};
      all_calls->Check(all_calls->stream(&stream, context, CU_STREAM_NON_BLOCKING, priority),
                       "making a stream of a part of the card");
      return stream;
    }));
  }
  return made;
}
#else
void* DriverCall(const char*) { return nullptr; }

std::vector<std::shared_ptr<const PartStreams>> MakeParts(int, int, const FindDriverCall&) {
  throw EnvironmentError("this was built with CUDA " + std::to_string(CUDART_VERSION / 1000) + "." +
                         std::to_string(CUDART_VERSION % 1000 / 10) +
                         ", which knows none: from 12.5 on it does");
}
#endif

}  // namespace tandem::gpu
