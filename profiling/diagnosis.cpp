#include "profiling/diagnosis.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <system_error>

#include "model/error.hpp"
#include "model/text.hpp"
#include "profiling/container.hpp"
#include "profiling/counters/refusal.hpp"

namespace perfmodel::profiling {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> environment_variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr || *value == '\0' ? std::nullopt : std::optional<std::string>(value);
}

/// The lines of a small text file; none where it cannot be read.
std::vector<std::string> lines_of(const fs::path& path) {
  constexpr std::size_t most_lines = 1000;
  std::vector<std::string> lines;
  std::ifstream stream(path);
  for (std::string line; lines.size() < most_lines && std::getline(stream, line);) {
    lines.push_back(std::move(line));
  }
  return lines;
}

/// The text after "KEY:" of the first such line, without surrounding blanks.
std::optional<std::string> value_after(const std::vector<std::string>& lines,
                                       std::string_view key) {
  const std::string start = std::string(key) + ":";
  for (const std::string& line : lines) {
    if (line.starts_with(start)) {
      const std::size_t begin = line.find_first_not_of(" \t", start.size());
      if (begin == std::string::npos) {
        return std::string();
      }
      return line.substr(begin, line.find_last_not_of(" \t\r") + 1 - begin);
    }
  }
  return std::nullopt;
}

bool is_file(const fs::path& path) {
  std::error_code status;
  return fs::is_regular_file(path, status);
}

/// The first part of "... Kernel Module  580.95.05  Release Build ..." that looks like a version.
std::optional<std::string> version_in(const std::string& line) {
  for (const std::string& word : split(line, ' ')) {
    const bool is_version =
        word.find('.') != std::string::npos &&
        std::ranges::all_of(word, [](char c) { return c == '.' || (c >= '0' && c <= '9'); });
    if (is_version) {
      return word;
    }
  }
  return std::nullopt;
}

FindingStatus status_of(AbsenceKind kind) {
  return kind == AbsenceKind::refused ? FindingStatus::refused : FindingStatus::missing;
}

class Diagnosis {
 public:
  explicit Diagnosis(const DiagnosisSources& sources)
      : sources_(sources), nvml_(sources.open_nvml()) {}

  std::vector<Finding> run() {
    check_driver();
    check_nvml();
    check_devices();
    check_compiler();
    check_library("cuBLAS", "libcublas.so",
                  "install the CUDA Toolkit, or 'pip install nvidia-cublas' and add its lib folder "
                  "to LD_LIBRARY_PATH");
    check_library("CUPTI", "libcupti.so",
                  "install the CUDA Toolkit with its extras, or 'pip install nvidia-cuda-cupti' "
                  "and add its lib folder to LD_LIBRARY_PATH");
    check_counters();
    check_tool(sass::CudaTool::nvdisasm);
    check_tool(sass::CudaTool::cuobjdump);
    check_writable("current folder", sources_.current_folder,
                   "change to a folder that you may write to, or name one with --out");
    check_writable("cache folder", sources_.cache_folder,
                   "set XDG_CACHE_HOME to a folder that you may write to");
    return std::move(findings_);
  }

 private:
  void ok(std::string check, std::string detail) {
    findings_.push_back({std::move(check), FindingStatus::ok, std::move(detail), ""});
  }
  void problem(std::string check, FindingStatus status, std::string detail, std::string remedy) {
    findings_.push_back({std::move(check), status, std::move(detail), std::move(remedy)});
  }

  [[nodiscard]] bool in_container() const {
    std::error_code status;
    return sources_.container_variables ||
           std::ranges::any_of(sources_.container_marks,
                               [&](const fs::path& mark) { return fs::exists(mark, status); });
  }

  void check_driver() {
    const std::vector<std::string> lines = lines_of(sources_.driver_version);
    const auto from_file = version_in(value_after(lines, "NVRM version").value_or(""));
    if (from_file) {
      ok("driver", fmt::format("{} ({})", *from_file, sources_.driver_version.string()));
      return;
    }
    if (nvml_) {
      if (const Answer<std::string> version = nvml_->driver_version()) {
        ok("driver", fmt::format("{} (NVML)", *version));
        return;
      }
    }
    problem("driver", FindingStatus::missing,
            fmt::format("no NVIDIA driver: {} is not readable and NVML gives no version",
                        sources_.driver_version.string()),
            in_container()
                ? "start the container with GPUs: 'docker run --gpus all ...', with the NVIDIA "
                  "Container Toolkit on the host; without a GPU, analyze recordings instead"
                : "install the NVIDIA driver of this distribution and restart; without a GPU, "
                  "analyze recordings instead");
  }

  void check_nvml() {
    if (nvml_) {
      ok("NVML", "clocks, power and temperature can be sampled");
      return;
    }
    problem("NVML", status_of(nvml_.absence().kind), nvml_.absence().why,
            in_container() ? "start the container with the 'utility' capability: "
                             "NVIDIA_DRIVER_CAPABILITIES=compute,utility"
                           : "install the driver's libnvidia-ml.so.1 (package libnvidia-compute or "
                             "nvidia-driver-libs)");
  }

  void check_devices() {
    const Answer<LiveDevices> live = query();
    if (!live) {
      problem("CUDA devices", status_of(live.absence().kind), live.absence().why,
              device_remedy(live.absence().kind));
      return;
    }
    ok("CUDA devices",
       fmt::format("{} found; the driver supports CUDA {}, the runtime is {}", live->devices.size(),
                   live->driver_cuda_version, live->runtime_version));
    for (const LiveDevice& device : live->devices) {
      ok(fmt::format("device {}", device.ordinal), describe(device.attributes));
    }
  }

  /// A driver that is half installed can make CUDA fail in ways that are no absence.
  [[nodiscard]] Answer<LiveDevices> query() const {
    try {
      return sources_.devices();
    } catch (const Error& error) {
      return Absence{AbsenceKind::refused, error.what()};
    }
  }

  static std::string device_remedy(AbsenceKind kind) {
    switch (kind) {
      case AbsenceKind::not_built:
        return "put nvcc on PATH and build perfmodel again: 'cmake --fresh --preset release && "
               "cmake --build --preset release'";
      case AbsenceKind::driver_too_old:
        return "update the NVIDIA driver, or build perfmodel with an older CUDA Toolkit";
      case AbsenceKind::no_device:
        return "unset CUDA_VISIBLE_DEVICES, and check 'nvidia-smi -L'";
      default:
        return "see the finding of the driver; 'nvidia-smi' says whether it works";
    }
  }

  [[nodiscard]] std::string describe(const DeviceAttributes& device) const {
    std::string text = device.name;
    if (device.compute_capability) {
      text += fmt::format(", compute capability {}", *device.compute_capability);
    }
    if (device.sm_count) {
      text += fmt::format(", {} SMs", *device.sm_count);
    }
    if (device.clock_rate_hz) {
      text += fmt::format(", up to {:.0f} MHz", *device.clock_rate_hz / 1e6);
    }
    if (nvml_ && device.pci_bus_id) {
      Answer<NvmlDevice> gpu = nvml_->device_by_pci_bus_id(*device.pci_bus_id);
      const ClockReading now = gpu ? gpu.value().read() : ClockReading{};
      if (now.sm_clock_hz) {
        text += fmt::format(", now {:.0f} MHz", *now.sm_clock_hz / 1e6);
      }
      if (now.throttle_bits && !throttle_reasons(*now.throttle_bits).empty()) {
        text += fmt::format(", held down by {}", join(throttle_reasons(*now.throttle_bits)));
      }
    }
    return text;
  }

  void check_compiler() {
    std::vector<fs::path> folders = sources_.tools.program_folders;
    for (const fs::path& root : sources_.tools.toolkit_roots) {
      folders.push_back(root / "bin");
    }
    for (const fs::path& folder : sass::wheel_folders(sources_.tools.python_roots, "bin")) {
      folders.push_back(folder);
    }
    for (const fs::path& folder : folders) {
      const fs::path program = folder / "nvcc";
      if (is_file(program) && access(program.c_str(), X_OK) == 0) {
        ok("nvcc", program.string());
        return;
      }
    }
    problem("nvcc", FindingStatus::missing,
            "neither on PATH nor in a CUDA Toolkit or wheel; it compiles kernels",
            "install NVIDIA's CUDA Toolkit and put its bin folder on PATH, or name it in "
            "CUDA_HOME");
  }

  /// As the commands that read machine code look for them.
  void check_tool(sass::CudaTool tool) {
    sass::ToolSearch search = sass::search_tool(tool, sources_.tools);
    if (search.program) {
      ok(sass::tool_name(tool), search.program->string());
    } else {
      problem(sass::tool_name(tool), FindingStatus::missing, std::move(search.problem),
              std::move(search.remedy));
    }
  }

  void check_library(const std::string& check, std::string_view beginning,
                     const std::string& remedy) {
    const std::vector<fs::path> found = find_cuda_libraries(sources_.libraries, beginning);
    if (!found.empty()) {
      ok(check, found.front().string());
    } else {
      problem(check, FindingStatus::missing,
              fmt::format("no {} in the loader's folders, a CUDA Toolkit or wheel", beginning),
              remedy);
    }
  }

  /// Whether this process has CAP_SYS_ADMIN, which is what the driver asks for: root inside a
  /// container usually lacks it. Nothing where the system does not tell.
  [[nodiscard]] std::optional<bool> is_admin() const {
    constexpr unsigned cap_sys_admin = 21;
    const auto text = value_after(lines_of(sources_.process_status), "CapEff");
    std::uint64_t capabilities = 0;
    constexpr int hexadecimal = 16;
    if (!text ||
        std::from_chars(text->data(), text->data() + text->size(), capabilities, hexadecimal).ec !=
            std::errc()) {
      return std::nullopt;
    }
    return ((capabilities >> cap_sys_admin) & 1U) != 0;
  }

  void check_counters() {
    const std::string check = "hardware counters";
    const auto setting = value_after(lines_of(sources_.driver_params), "RmProfilingAdminOnly");
    const bool admin = is_admin().value_or(false);
    if (!setting) {
      problem(
          check, FindingStatus::missing,
          fmt::format("not known: {} has no RmProfilingAdminOnly", sources_.driver_params.string()),
          "none needed without counters; with a driver, 'perfmodel measure' says whether it "
          "may read them");
      return;
    }
    if (*setting == "0") {
      ok(check, "open to all users (RmProfilingAdminOnly: 0)");
      return;
    }
    if (admin) {
      ok(check, "open to administrators only, and this process is one (CAP_SYS_ADMIN)");
      return;
    }
    problem(check, FindingStatus::refused,
            fmt::format("open to administrators only (RmProfilingAdminOnly: {}), and this process "
                        "lacks CAP_SYS_ADMIN",
                        printable(*setting)),
            privilege_remedy(in_container()));
  }

  void check_writable(const std::string& check, const fs::path& folder, const std::string& remedy) {
    std::error_code status;
    // The cache is made on first use: what counts is the nearest folder that exists.
    fs::path existing = folder;
    while (existing.has_relative_path() && !fs::exists(existing, status)) {
      existing = existing.parent_path();
    }
    if (folder.empty()) {
      problem(check, FindingStatus::missing, "neither XDG_CACHE_HOME nor HOME is set", remedy);
    } else if (access(existing.c_str(), W_OK | X_OK) == 0 && fs::is_directory(existing, status)) {
      ok(check, folder.string());
    } else {
      problem(check, FindingStatus::refused,
              fmt::format("{} cannot be written to", existing.string()), remedy);
    }
  }

  const DiagnosisSources& sources_;
  Answer<Nvml> nvml_;
  std::vector<Finding> findings_;
};

}  // namespace

DiagnosisSources this_machine(std::function<Answer<LiveDevices>()> devices) {
  DiagnosisSources sources;
  sources.driver_version = "/proc/driver/nvidia/version";
  sources.driver_params = "/proc/driver/nvidia/params";
  sources.process_status = "/proc/self/status";
  sources.container_marks = container_marks();
  sources.container_variables = has_container_variables();
  sources.tools = sass::tool_places();
  sources.libraries = cuda_library_places();
  const auto home = environment_variable("HOME");

  std::error_code status;
  sources.current_folder = fs::current_path(status);
  if (const auto cache = environment_variable("XDG_CACHE_HOME")) {
    sources.cache_folder = fs::path(*cache) / "perfmodel";
  } else if (home) {
    sources.cache_folder = fs::path(*home) / ".cache" / "perfmodel";
  }
  sources.open_nvml = [] { return Nvml::open(); };
  sources.devices = std::move(devices);
  return sources;
}

std::vector<Finding> diagnose(const DiagnosisSources& sources) { return Diagnosis(sources).run(); }

}  // namespace perfmodel::profiling
