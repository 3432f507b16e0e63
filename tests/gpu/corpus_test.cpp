// The emulator against a device, on the kernels of tests/sass/corpus. The machine code that is
// emulated is the stored one: PERFMODEL_CORPUS names its folder where that is not the source's.

#include <cuda_runtime.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>

#include "model/sass/emulate.hpp"
#include "model/sass/find_function.hpp"
#include "model/sass/load.hpp"
#include "tests/sass/corpus/emulation.hpp"

namespace corpus {

namespace {

std::map<std::string, const void*>& linked_kernels() {
  static std::map<std::string, const void*> kernels;
  return kernels;
}

}  // namespace

// Called by the device code, see tests/sass/corpus/kernel.hpp.
bool add_kernel(const char* name, const void* kernel) {
  return linked_kernels().emplace(name, kernel).second;
}

namespace {

namespace sass = perfmodel::sass;

std::filesystem::path corpus_folder() {
  const char* const given = std::getenv("PERFMODEL_CORPUS");
  return given != nullptr ? given : PERFMODEL_CORPUS;
}

/// The output after the kernel ran on the device; throws std::runtime_error.
Bytes run_on_device(const Case& one, const void* kernel) {
  const auto check = [&](cudaError_t status, const char* what) {
    if (status != cudaSuccess) {
      throw std::runtime_error(fmt::format("{}: {}", what, cudaGetErrorString(status)));
    }
  };
  std::vector<void*> buffers(one.arguments.size());
  std::vector<Value> values(one.arguments.size());
  std::vector<void*> parameters;
  for (std::size_t i = 0; i < one.arguments.size(); ++i) {
    if (const auto* const given = std::get_if<Value>(&one.arguments[i])) {
      values[i] = *given;
      parameters.push_back(values[i].bytes.data());
      continue;
    }
    const Bytes& initial = std::get<Buffer>(one.arguments[i]).initial;
    check(cudaMalloc(&buffers[i], initial.size()), "cudaMalloc");
    check(cudaMemcpy(buffers[i], initial.data(), initial.size(), cudaMemcpyHostToDevice), "copy");
    parameters.push_back(static_cast<void*>(&buffers[i]));
  }
  check(cudaLaunchKernel(kernel, dim3(one.grid[0], one.grid[1], one.grid[2]),
                         dim3(one.block[0], one.block[1], one.block[2]), parameters.data(),
                         one.dynamic_shared_bytes, nullptr),
        "launch");
  check(cudaDeviceSynchronize(), "run");
  Bytes result(std::get<Buffer>(one.arguments[one.output]).initial.size());
  check(cudaMemcpy(result.data(), buffers[one.output], result.size(), cudaMemcpyDeviceToHost),
        "copy back");
  for (void* const buffer : buffers) {
    cudaFree(buffer);
  }
  return result;
}

TEST(CorpusOnDevice, EmulatorGivesTheSameResults) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    GTEST_SKIP() << "skipped: no device";
  }
  cudaDeviceProp device{};
  ASSERT_EQ(cudaGetDeviceProperties(&device, 0), cudaSuccess);
  const int sm = 10 * device.major + device.minor;
  const std::filesystem::path listing = corpus_folder() / fmt::format("sm_{}.json.gz", sm);
  if (!std::filesystem::exists(listing)) {
    GTEST_SKIP() << "skipped: no " << listing
                 << "; PERFMODEL_CORPUS=FOLDER says where tests/sass/corpus is";
  }
  const std::vector<sass::Module> modules = sass::load_modules(listing);
  std::size_t exact = 0;
  std::size_t close = 0;
  for (const Case& one : cases()) {
    if (one.least_sm > sm || !one.computed) {
      continue;
    }
    SCOPED_TRACE(one.kernel);
    const sass::Module* const module = module_of(modules, one);
    ASSERT_NE(module, nullptr);
    ASSERT_TRUE(linked_kernels().contains(one.kernel));
    const Bytes measured = run_on_device(one, linked_kernels().at(one.kernel));
    const Bytes emulated =
        sass::run_launch(*module, sass::find_function(*module, one.kernel), launch_of(one))
            .outputs.at(one.output);
    EXPECT_EQ(differences(one, measured, emulated), "") << "wanted: device, found: emulator";
    if (one.expected) {
      EXPECT_EQ(differences(one, one.expected(), measured), "")
          << "wanted: reference, found: device";
    }
    // Where the hardware approximates, the emulator need not give the same last bits.
    Case strict = one;
    strict.ulps = 0;
    const std::string inexact = differences(strict, measured, emulated);
    exact += inexact.empty() ? 1 : 0;
    if (!inexact.empty() && one.ulps > 0) {
      ++close;
      fmt::print("{}: of the last bits {}\n", one.kernel, inexact.substr(0, inexact.find('\n')));
    }
  }
  fmt::print("{} launches agree bit by bit, {} within the tolerance of an approximation\n", exact,
             close);
}

}  // namespace
}  // namespace corpus
