#include "profiling/cuda_resources.hpp"

#include <fmt/format.h>

#include "kernels/cuda_check.hpp"
#include "model/error.hpp"

namespace perfmodel::profiling {
namespace {

using kernels::check_cuda;

[[noreturn]] void fail_out_of_memory(std::size_t needed) {
  static_cast<void>(cudaGetLastError());
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  check_cuda(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
  throw Error(ErrorKind::unavailable,
              fmt::format("the device is out of memory: {} bytes are needed, {} of {} are free; "
                          "choose a smaller shape, or end what else uses the device",
                          needed, free_bytes, total_bytes));
}

void require_fits(std::size_t wanted, std::size_t available) {
  if (wanted > available) {
    throw Error(ErrorKind::bad_input,
                fmt::format("a copy of {} bytes does not fit a device buffer of {} bytes", wanted,
                            available));
  }
}

}  // namespace

DeviceBuffer::DeviceBuffer(std::size_t bytes) : bytes_(bytes) {
  if (bytes == 0) {
    return;
  }
  const cudaError_t code = cudaMalloc(&data_, bytes);
  if (code == cudaErrorMemoryAllocation) {
    fail_out_of_memory(bytes);
  }
  check_cuda(code, "cudaMalloc");
}

DeviceBuffer::~DeviceBuffer() {
  if (data_ != nullptr) {
    static_cast<void>(cudaFree(data_));
  }
}

void DeviceBuffer::copy_in(const void* from, std::size_t bytes) {
  require_fits(bytes, bytes_);
  if (bytes > 0) {
    check_cuda(cudaMemcpy(data_, from, bytes, cudaMemcpyHostToDevice), "cudaMemcpy to the device");
  }
}

void DeviceBuffer::copy_out(void* into, std::size_t bytes) const {
  require_fits(bytes, bytes_);
  if (bytes > 0) {
    check_cuda(cudaMemcpy(into, data_, bytes, cudaMemcpyDeviceToHost),
               "cudaMemcpy from the device");
  }
}

void DeviceBuffer::fill(int byte, cudaStream_t stream) {
  if (bytes_ > 0) {
    check_cuda(cudaMemsetAsync(data_, byte, bytes_, stream), "cudaMemsetAsync");
  }
}

Stream::Stream() {
  check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking),
             "cudaStreamCreateWithFlags");
}

Stream::~Stream() { static_cast<void>(cudaStreamDestroy(stream_)); }

void Stream::synchronize() const {
  check_cuda(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
}

Event::Event() { check_cuda(cudaEventCreate(&event_), "cudaEventCreate"); }

Event::~Event() { static_cast<void>(cudaEventDestroy(event_)); }

void Event::record(const Stream& stream) {
  check_cuda(cudaEventRecord(event_, stream.get()), "cudaEventRecord");
}

void Event::synchronize() const {
  check_cuda(cudaEventSynchronize(event_), "cudaEventSynchronize");
}

double Event::seconds_since(const Event& earlier) const {
  float milliseconds = 0.0F;
  check_cuda(cudaEventElapsedTime(&milliseconds, earlier.event_, event_), "cudaEventElapsedTime");
  return static_cast<double>(milliseconds) / 1e3;
}

}  // namespace perfmodel::profiling
