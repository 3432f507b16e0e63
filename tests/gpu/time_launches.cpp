// Times launches of kernels that were compiled apart from this program, and records them:
//   time_launches CODE LAUNCH.yaml... --out RECORDING.json
// CODE is a cubin, a fatbin or a folder of them. Buffers hold what the emulator gives them, so that
// a launch does here what `perfmodel ledger --cubin CODE --launch LAUNCH.yaml` counts.
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <deque>
#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "app/live_options.hpp"
#include "app/specs_folder.hpp"
#include "kernels/cuda_check.hpp"
#include "model/error.hpp"
#include "model/sass/memory.hpp"
#include "model/spec/launch_reader.hpp"
#include "profiling/campaign.hpp"
#include "profiling/counters/counters.hpp"
#include "profiling/counters/refusal.hpp"
#include "profiling/cuda_resources.hpp"
#include "profiling/launch_meter.hpp"
#include "profiling/recording_file.hpp"

namespace perfmodel::gpu_tests {
namespace {

namespace fs = std::filesystem;
using kernels::check_cuda;

struct Options {
  fs::path code;
  std::vector<fs::path> launches;
  fs::path out;
  int gpu = 0;
};

/// A file of device code, loaded.
class Library {
 public:
  explicit Library(const fs::path& file) {
    check_cuda(
        cudaLibraryLoadFromFile(&library_, file.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0),
        "cudaLibraryLoadFromFile of " + file.string());
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() { static_cast<void>(cudaLibraryUnload(library_)); }

  /// The kernel as calls of the runtime take it, or null.
  [[nodiscard]] const void* find(const std::string& kernel) const {
    cudaKernel_t found = nullptr;
    const cudaError_t status = cudaLibraryGetKernel(&found, library_, kernel.c_str());
    if (status == cudaErrorSymbolNotFound) {
      static_cast<void>(cudaGetLastError());
      return nullptr;
    }
    check_cuda(status, "cudaLibraryGetKernel of " + kernel);
    return found;
  }

 private:
  cudaLibrary_t library_ = nullptr;
};

std::deque<Library> load_libraries(const fs::path& code) {
  std::vector<fs::path> files;
  if (fs::is_directory(code)) {
    for (const fs::directory_entry& entry : fs::directory_iterator(code)) {
      if (entry.path().extension() == ".cubin" || entry.path().extension() == ".fatbin") {
        files.push_back(entry.path());
      }
    }
    std::ranges::sort(files);
  } else {
    files.push_back(code);
  }
  std::deque<Library> libraries;
  for (const fs::path& file : files) {
    libraries.emplace_back(file);
  }
  return libraries;
}

/// A launch whose buffers lie on the device.
class DeviceLaunch {
 public:
  DeviceLaunch(const void* function, const sass::Launch& launch)
      : function_(function),
        grid_(launch.grid[0], launch.grid[1], launch.grid[2]),
        block_(launch.block[0], launch.block[1], launch.block[2]),
        dynamic_shared_bytes_(launch.dynamic_shared_bytes),
        parameters_(launch.arguments.size()) {
    if (dynamic_shared_bytes_ > 0) {
      check_cuda(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      static_cast<int>(dynamic_shared_bytes_)),
                 "cudaFuncSetAttribute");
    }
    buffers_.reserve(launch.arguments.size());
    for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
      if (const auto* const value = std::get_if<sass::ValueArgument>(&launch.arguments[i])) {
        parameters_[i] = value->bytes;
        continue;
      }
      void* const address = add_buffer(std::get<sass::BufferArgument>(launch.arguments[i]));
      std::memcpy(parameters_[i].data(), &address, sizeof(address));
    }
    for (auto& parameter : parameters_) {
      pointers_.push_back(parameter.data());
    }
  }
  DeviceLaunch(const DeviceLaunch&) = delete;
  DeviceLaunch& operator=(const DeviceLaunch&) = delete;
  ~DeviceLaunch() = default;

  void queue(cudaStream_t stream) {
    check_cuda(
        cudaLaunchKernel(function_, grid_, block_, pointers_.data(), dynamic_shared_bytes_, stream),
        "cudaLaunchKernel");
  }

 private:
  using Parameter = std::array<std::byte, sizeof(void*)>;

  void* add_buffer(const sass::BufferArgument& argument) {
    profiling::DeviceBuffer& buffer = buffers_.emplace_back(argument.size_bytes);
    if (argument.fill == sass::Fill::nothing || argument.fill == sass::Fill::zeros) {
      buffer.fill(0);
      check_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    } else {
      const std::vector<std::byte> contents = sass::Region("", 0, argument).contents();
      buffer.upload(std::span(contents));
    }
    return buffer.data();
  }

  const void* function_;
  dim3 grid_;
  dim3 block_;
  std::size_t dynamic_shared_bytes_;
  std::vector<profiling::DeviceBuffer> buffers_;
  std::vector<Parameter> parameters_;
  std::vector<void*> pointers_;  ///< to the parameters
};

struct NamedLaunch {
  std::string name;  ///< of its file, without the ending
  spec::LaunchDescription description;
  const void* function = nullptr;
};

std::vector<NamedLaunch> read_launches(const std::vector<fs::path>& files,
                                       const std::deque<Library>& libraries) {
  std::vector<NamedLaunch> launches;
  std::set<std::string> names;
  for (const fs::path& file : files) {
    NamedLaunch launch{file.stem().string(), spec::read_launch(file)};
    if (!names.insert(launch.name).second) {
      fail(fmt::format("{}: there is another launch of that name; rename one of the files",
                       file.string()));
    }
    if (launch.description.kernel.empty()) {
      fail(fmt::format("{}: the launch names no kernel; add 'kernel'", file.string()));
    }
    for (const Library& library : libraries) {
      if (launch.function == nullptr) {
        launch.function = library.find(launch.description.kernel);
      }
    }
    if (launch.function == nullptr) {
      fail(fmt::format("{}: no file of device code has the kernel {}; compile the one that does",
                       file.string(), launch.description.kernel));
    }
    launches.push_back(std::move(launch));
  }
  return launches;
}

Extents to_extents(const std::array<std::uint32_t, 3>& extents) {
  return {extents[0], extents[1], extents[2]};
}

Measurement time_launch(const NamedLaunch& one, const MeasureSettings& settings,
                        profiling::LaunchMeter& meter) {
  const sass::Launch& launch = one.description.launch;
  Measurement entry;
  entry.foreign = ForeignKernel{one.description.kernel,
                                to_extents(launch.grid),
                                to_extents(launch.block),
                                {{"launch", one.name}}};
  entry.verification =
      Verification{VerificationStatus::skipped, "there is no reference", {}, {}, {}};
  DeviceLaunch on_device(one.function, launch);
  meter.measure([&](cudaStream_t stream) { on_device.queue(stream); }, settings, entry);
  meter.note_occupancy(one.function, launch.threads_per_block(), launch.dynamic_shared_bytes,
                       entry);
  return entry;
}

/// The kernels' own times, after all samples were taken: tracing slows launches down.
void add_durations(const std::vector<NamedLaunch>& launches, int gpu, CacheMode cache_mode,
                   profiling::LaunchMeter& meter, Recording& recording) {
  constexpr std::size_t traced_launches = 5;
  try {
    const auto collector = profiling::open_collector(gpu, {}, profiling::ReplayMode::user);
    for (std::size_t i = 0; i < launches.size(); ++i) {
      DeviceLaunch on_device(launches[i].function, launches[i].description.launch);
      const profiling::ObservedLaunch observed =
          meter.observed([&](cudaStream_t stream) { on_device.queue(stream); }, cache_mode);
      recording.entries[i].kernel_durations_s =
          collector->kernel_durations_s(observed, traced_launches);
    }
  } catch (const profiling::CounterRefused& refused) {
    fmt::print(stderr, "time_launches: no kernel durations: {}\n", refused.what());
  }
}

void run(const Options& options) {
  const spec::Catalog catalog(app::find_specs(""));
  const app::FoundDevice device = app::find_live_device(options.gpu, catalog);
  profiling::LaunchMeter meter(device.live, device.nvml);
  const std::deque<Library> libraries = load_libraries(options.code);
  const std::vector<NamedLaunch> launches = read_launches(options.launches, libraries);
  const MeasureSettings settings;
  Recording recording = app::planned_recording(device, settings);
  const auto save = [&](bool complete) {
    recording.complete = complete;
    profiling::set_clock(recording);
    profiling::write_recording(options.out, recording);
  };
  for (const NamedLaunch& launch : launches) {
    const Measurement& entry = recording.entries.emplace_back(time_launch(launch, settings, meter));
    fmt::print("{:<32} {:10.3f} us, {} samples\n", launch.name, entry.median_s * 1e6,
               entry.samples_s.size());
    save(false);
  }
  add_durations(launches, options.gpu, settings.cache_mode, meter, recording);
  save(true);
  for (const std::string& warning : profiling::quality_warnings(recording)) {
    fmt::print(stderr, "time_launches: {}\n", warning);
  }
}

}  // namespace
}  // namespace perfmodel::gpu_tests

int main(int argc, char** argv) {
  perfmodel::gpu_tests::Options options;
  CLI::App command("Times launch descriptions of compiled kernels on a GPU", "time_launches");
  command.add_option("code", options.code, "cubin, fatbin, or a folder of them")
      ->required()
      ->check(CLI::ExistingPath);
  command.add_option("launches", options.launches, "launch descriptions (.yaml)")
      ->required()
      ->check(CLI::ExistingFile);
  command.add_option("--out", options.out, "recording to write (.json)")->required();
  command.add_option("--gpu", options.gpu, "device by CUDA's number; default: 0");
  CLI11_PARSE(command, argc, argv);
  try {
    perfmodel::gpu_tests::run(options);
  } catch (const perfmodel::Error& error) {
    fmt::print(stderr, "time_launches: {}\n", error.what());
    return 3;
  }
}
