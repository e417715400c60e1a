// Runs an ONNX model by ONNX Runtime's CPU provider with one thread, for whoever counts what that executes.
//   onnxruntime_runs LIBRARY MODEL INPUT_NAME OUTPUT_NAME RUNS INPUT_FILE OUTPUT_FILE EXTENT...
// The library's functions come as a table that only grows; their places in it are part of its interface.
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "marks.h"

typedef void* Status;
enum {
  kErrorMessage = 2,
  kCreateEnv = 3,
  kCreateSession = 7,
  kRun = 9,
  kCreateOptions = 10,
  kSetOptimization = 23,
  kSetIntraThreads = 24,
  kSetInterThreads = 25,
  kCreateTensor = 49,
  kTensorData = 51,
  kTensorInfo = 65,
  kElementCount = 64,
  kCreateCpuMemory = 69
};
enum { kTable = 12, kFloat = 1, kAllOptimizations = 99, kArena = 0, kDefaultMemory = 0, kErrorsOnly = 3 };

static void** table;

static void Check(Status status) {
  if (status == NULL) return;
  fprintf(stderr, "onnxruntime_runs: %s\n", ((const char* (*)(Status))table[kErrorMessage])(status));
  exit(3);
}

static void Fail(const char* what) {
  fprintf(stderr, "onnxruntime_runs: %s\n", what);
  exit(3);
}

int main(int argc, char** argv) {
  if (argc < 9) Fail("usage: LIBRARY MODEL INPUT_NAME OUTPUT_NAME RUNS INPUT_FILE OUTPUT_FILE EXTENT...");
  void* library = dlopen(argv[1], RTLD_NOW);
  if (library == NULL) Fail(dlerror());
  struct Base {
    void** (*table)(uint32_t version);
    const char* (*version)(void);
  };
  const struct Base* (*base)(void) = (const struct Base* (*)(void))dlsym(library, "OrtGetApiBase");
  if (base == NULL) Fail("no ONNX Runtime");
  table = base()->table(kTable);
  if (table == NULL) Fail("its interface is older than 1.12");

  int64_t extents[16];
  const size_t axes = (size_t)(argc - 8);
  size_t count = 1;
  for (size_t i = 0; i < axes && i < 16; ++i) count *= (size_t)(extents[i] = atoll(argv[8 + i]));
  float* input = malloc(count * sizeof(float));
  FILE* file = fopen(argv[6], "rb");
  if (file == NULL || fread(input, sizeof(float), count, file) != count) Fail("the input cannot be read");
  fclose(file);

  void *env, *options, *session, *memory, *from, *to = NULL;
  Check(((Status(*)(int, const char*, void**))table[kCreateEnv])(kErrorsOnly, "tandem", &env));
  Check(((Status(*)(void**))table[kCreateOptions])(&options));
  Check(((Status(*)(void*, int))table[kSetIntraThreads])(options, 1));
  Check(((Status(*)(void*, int))table[kSetInterThreads])(options, 1));
  Check(((Status(*)(void*, int))table[kSetOptimization])(options, kAllOptimizations));
  Check(((Status(*)(void*, const char*, void*, void**))table[kCreateSession])(env, argv[2], options, &session));
  Check(((Status(*)(int, int, void**))table[kCreateCpuMemory])(kArena, kDefaultMemory, &memory));
  Check(((Status(*)(void*, void*, size_t, const int64_t*, size_t, int, void**))table[kCreateTensor])(
      memory, input, count * sizeof(float), extents, axes, kFloat, &from));
  const char *in = argv[3], *out = argv[4];
  const int runs = atoi(argv[5]);
  double* times = malloc((size_t)(runs > 0 ? runs : 1) * sizeof(double));
  for (int run = 0; run < runs; ++run) {
    to = NULL;
    if (run == runs - 1) Mark();
    const double start = MicrosecondsNow();
    Check(((Status(*)(void*, void*, const char* const*, void* const*, size_t, const char* const*, size_t,
                      void**))table[kRun])(session, NULL, &in, &from, 1, &out, 1, &to));
    times[run] = MicrosecondsNow() - start;
    if (run == runs - 1) Mark();
  }
  TellMedian(times, (size_t)runs);
  free(times);
  if (to != NULL) {
    void* info;
    size_t elements;
    float* data;
    Check(((Status(*)(void*, void**))table[kTensorInfo])(to, &info));
    Check(((Status(*)(void*, size_t*))table[kElementCount])(info, &elements));
    Check(((Status(*)(void*, void**))table[kTensorData])(to, (void**)&data));
    file = fopen(argv[7], "wb");
    if (file == NULL || fwrite(data, sizeof(float), elements, file) != elements || fclose(file) != 0) Fail("the output cannot be written");
  }
  printf("%s\n", base()->version());
  return 0;
}
