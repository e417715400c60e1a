// What cuDNN wants to know of a convolution.
#pragma once

#include <cudnn.h>

#include "device/backends/cuda/card.h"

namespace tandem::gpu {

// Owns one descriptor.
template <class Descriptor>
class Described {
 public:
  using Make = cudnnStatus_t (*)(Descriptor*);
  using Destroy = cudnnStatus_t (*)(Descriptor);
  Described(Make make, Destroy destroy, cudnnStatus_t& status) : destroy_(destroy) { status = make(&it_); }
  ~Described() {
    if (it_ != nullptr) destroy_(it_);
  }
  Described(const Described&) = delete;
  Described& operator=(const Described&) = delete;
  Descriptor get() const { return it_; }

 private:
  Descriptor it_ = nullptr;
  Destroy destroy_;
};

class ConvDescriptors {
 public:
  // Throws EnvironmentError where cuDNN does not take it.
  explicit ConvDescriptors(const CardConv& problem);

  void SetMath(cudnnMathType_t math);
  cudnnTensorDescriptor_t x() const { return x_.get(); }
  cudnnTensorDescriptor_t y() const { return y_.get(); }
  cudnnTensorDescriptor_t bias() const { return bias_.get(); }
  cudnnFilterDescriptor_t weight() const { return weight_.get(); }
  cudnnConvolutionDescriptor_t conv() const { return conv_.get(); }
  cudnnActivationDescriptor_t after() const { return after_.get(); }

 private:
  void DescribeTensors(const CardConv& problem);
  void DescribeConv(const CardConv& problem);

  cudnnStatus_t made_[6] = {};  // how making each went
  Described<cudnnTensorDescriptor_t> x_, y_, bias_;
  Described<cudnnFilterDescriptor_t> weight_;
  Described<cudnnConvolutionDescriptor_t> conv_;
  Described<cudnnActivationDescriptor_t> after_;  // relu or nothing
};

// What the sums may be made with: fp32 on Ampere and later is rounded to TF32 unless that is forbidden.
cudnnMathType_t MathTypeOf(Math math);

}  // namespace tandem::gpu
