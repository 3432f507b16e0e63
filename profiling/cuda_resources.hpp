#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <span>
#include <utility>

namespace perfmodel::profiling {

/// Device memory of its own (cudaMalloc, never managed: page migration would be timed as well).
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  /// Zero bytes are allowed. Throws Error; where memory is short, it says how much was needed and
  /// how much is free.
  explicit DeviceBuffer(std::size_t bytes);
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  DeviceBuffer(DeviceBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~DeviceBuffer();

  [[nodiscard]] void* data() const { return data_; }
  template <typename T>
  [[nodiscard]] T* as() const {
    return static_cast<T*>(data_);
  }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

  // Copies of the whole span, finished on return. Throw Error, also where it does not fit.
  template <typename T>
  void upload(std::span<const T> from) {
    copy_in(from.data(), from.size_bytes());
  }
  template <typename T>
  void download(std::span<T> into) const {
    copy_out(into.data(), into.size_bytes());
  }

  /// Sets every byte; in order with other work of the stream.
  void fill(int byte, cudaStream_t stream = nullptr);

 private:
  void copy_in(const void* from, std::size_t bytes);
  void copy_out(void* into, std::size_t bytes) const;

  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// A stream that does not wait for the default stream. Throws Error.
class Stream {
 public:
  Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream();

  [[nodiscard]] cudaStream_t get() const { return stream_; }
  /// Waits for all its work; throws Error where some of it failed.
  void synchronize() const;

 private:
  cudaStream_t stream_ = nullptr;
};

/// An event that takes the time. Throws Error.
class Event {
 public:
  Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event();

  void record(const Stream& stream);
  void synchronize() const;
  /// Seconds since `earlier`; both were recorded and synchronised.
  [[nodiscard]] double seconds_since(const Event& earlier) const;

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace perfmodel::profiling
