#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "kernels/kernel.hpp"
#include "model/error.hpp"

namespace perfmodel::kernels {

/// The message of the Error that `action` throws; fails the test if it throws none.
template <typename Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "no Error was thrown";
  return {};
}

inline Shape gemm_shape(std::int64_t m, std::int64_t n, std::int64_t k) {
  return Shape({{"m", m}, {"n", n}, {"k", k}});
}

template <typename T>
std::vector<T> values_in(std::span<const std::byte> bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) {
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  }
  return values;
}

inline std::vector<float> to_floats(const std::vector<double>& values) {
  return {values.begin(), values.end()};
}

}  // namespace perfmodel::kernels
