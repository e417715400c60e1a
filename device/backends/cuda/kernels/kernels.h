// Room device/backends/cuda/kernels: kernels of our own (.cu), which compile for the host too.
//
// The kernels as functions of the host that start them. Compiled once for the card and, by the tests, once
// for the host: each in a namespace of its own.
#pragma once

#include "device/backends/cuda/kernel_calls.h"

#ifndef TANDEM_KERNELS
#define TANDEM_KERNELS on_card
#endif

namespace tandem::gpu::TANDEM_KERNELS {

int RunChannel(const ChannelCall& call, void* stream);
int RunBinary(const BinaryCall& call, void* stream);
int RunGather(const GatherCall& call, void* stream);
int RunResize(const ResizeCall& call, void* stream);
int RunPool(const PoolCall& call, void* stream);
int RunLrn(const LrnCall& call, void* stream);
int RunRows(const RowsCall& call, void* stream);
int RunMean(const MeanCall& call, void* stream);
int RunDepthwise(const DepthwiseCall& call, void* stream);
int RunMatvec(const MatvecCall& call, void* stream);
int RunBurn(const BurnCall& call, void* stream);

constexpr KernelTable kKernels = {RunChannel, RunBinary, RunGather,    RunResize, RunPool, RunLrn,
                                  RunRows,    RunMean,   RunDepthwise, RunMatvec, RunBurn};

}  // namespace tandem::gpu::TANDEM_KERNELS
