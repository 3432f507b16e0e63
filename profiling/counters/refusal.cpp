#include "profiling/counters/refusal.hpp"

#include <fmt/format.h>

#include <array>

#include "profiling/container.hpp"

namespace perfmodel::profiling {
namespace {

/// CUPTI's result codes that have a meaning of their own here (cupti_result.h of CUDA 13.0; codes
/// are never reused).
struct KnownCode {
  int code;
  std::string_view name;
  RefusalKind kind;
  std::string_view explanation;
};

constexpr std::array known_codes = {
    KnownCode{8, "OUT_OF_MEMORY", RefusalKind::failed,
              "CUPTI ran out of memory, or was configured a second time in this process, which it "
              "does not allow for counts by instruction"},
    KnownCode{11, "API_NOT_IMPLEMENTED", RefusalKind::incompatible_library,
              "The installed CUPTI does not implement this call"},
    KnownCode{
        14, "NOT_COMPATIBLE", RefusalKind::incompatible_library,
        "CUPTI does not fit the installed driver or is used in a way that excludes this call"},
    KnownCode{26, "HARDWARE_BUSY", RefusalKind::other_profiler,
              "The counters of this GPU are in use by another process"},
    KnownCode{27, "NOT_SUPPORTED", RefusalKind::unsupported_device,
              "This device or driver does not support reading counters"},
    KnownCode{33, "VIRTUALIZED_DEVICE_NOT_SUPPORTED", RefusalKind::virtual_device,
              "This GPU is a virtual device without counters"},
    KnownCode{35, "INSUFFICIENT_PRIVILEGES", RefusalKind::insufficient_privileges,
              "The driver keeps hardware counters for administrators, and this process is none "
              "(other tools call this ERR_NVGPUCTRPERM)"},
    KnownCode{36, "OLD_PROFILER_API_INITIALIZED", RefusalKind::other_profiler,
              "An older profiler interface is active in this process"},
    KnownCode{38, "LEGACY_PROFILER_NOT_SUPPORTED", RefusalKind::unsupported_device,
              "This device is too new for the interface that was called"},
    KnownCode{39, "MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED", RefusalKind::other_profiler,
              "Another profiler is attached to this process"},
    KnownCode{40, "VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES", RefusalKind::virtual_device,
              "This GPU is a virtual device, and its host does not grant counters to guests"},
    KnownCode{41, "CONFIDENTIAL_COMPUTING_NOT_SUPPORTED", RefusalKind::unsupported_device,
              "The GPU is in confidential-computing mode, which hides its counters"},
    KnownCode{42, "CMP_DEVICE_NOT_SUPPORTED", RefusalKind::unsupported_device,
              "Mining processors (CMP) have no counters"},
    KnownCode{43, "MIG_DEVICE_NOT_SUPPORTED", RefusalKind::unsupported_device,
              "The GPU is divided into instances (MIG), and this one has no counters"},
    KnownCode{44, "SLI_DEVICE_NOT_SUPPORTED", RefusalKind::unsupported_device,
              "GPUs coupled by SLI have no counters"},
    KnownCode{45, "WSL_DEVICE_NOT_SUPPORTED", RefusalKind::unsupported_device,
              "Counters are not available under this version of WSL"},
    KnownCode{46, "INVALID_CHIP_NAME", RefusalKind::incompatible_library,
              "The installed CUPTI does not know this GPU"},
};

std::string remedy_of(RefusalKind kind, bool in_container) {
  switch (kind) {
    case RefusalKind::insufficient_privileges:
      return privilege_remedy(in_container) + ".";
    case RefusalKind::virtual_device:
      return "On the host of the virtual machine, set enable_profiling=1 in the vGPU's parameters "
             "(KVM: echo 'enable_profiling=1' into its vgpu_params file; VMware: "
             "pciPassthruN.cfg.enable_profiling=1) and start the guest again; in a cloud, ask the "
             "provider, or rent a whole GPU.";
    case RefusalKind::other_profiler:
      return "Stop Nsight Compute, Nsight Systems or the other tool; where DCGM watches the GPU, "
             "'dcgmi profiling --pause' hands the counters over and '--resume' takes them back; in "
             "a cloud the provider's monitoring can hold them.";
    case RefusalKind::incompatible_library:
      return "Install the CUPTI of CUDA 12.6 or newer that belongs to the driver ('pip install "
             "nvidia-cuda-cupti', or the toolkit), and name its libcupti.so in PERFMODEL_CUPTI.";
    case RefusalKind::no_library:
      return "Install the CUDA Toolkit with CUPTI, or 'pip install nvidia-cuda-cupti' and name its "
             "libcupti.so in PERFMODEL_CUPTI; a container needs it inside.";
    case RefusalKind::not_built:
      return "Build perfmodel where the CUDA Toolkit has CUPTI's headers (12.6 or newer).";
    case RefusalKind::unsupported_device:
      return "Measure on a whole GPU in its ordinary mode where counters are needed.";
    case RefusalKind::unknown_metric:
      return "'perfmodel list metrics --device NAME' shows the metrics of a chip.";
    case RefusalKind::failed:
      return "'perfmodel doctor' checks driver, device and CUPTI.";
  }
  return "";
}

}  // namespace

std::string_view to_string(RefusalKind kind) {
  switch (kind) {
    case RefusalKind::not_built:
      return "not built in";
    case RefusalKind::no_library:
      return "no CUPTI";
    case RefusalKind::incompatible_library:
      return "incompatible CUPTI";
    case RefusalKind::insufficient_privileges:
      return "insufficient privileges";
    case RefusalKind::virtual_device:
      return "virtual device";
    case RefusalKind::other_profiler:
      return "another profiler";
    case RefusalKind::unsupported_device:
      return "unsupported device";
    case RefusalKind::unknown_metric:
      return "unknown metric";
    case RefusalKind::failed:
      return "failed";
  }
  return "";
}

std::string Refusal::paragraph() const {
  return remedy.empty() ? explanation : fmt::format("{} {}", explanation, remedy);
}

std::string privilege_remedy(bool in_container) {
  const std::string host =
      "echo 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' | sudo tee "
      "/etc/modprobe.d/nvidia-profiling.conf, then restart";
  const std::string container =
      "start the container with --cap-add=SYS_ADMIN (Kubernetes: securityContext.capabilities.add: "
      "[SYS_ADMIN])";
  const std::string cloud = "in a cloud, ask the provider for either";
  const std::string without = "perfmodel also argues from evidence that needs no counters";
  return in_container ? fmt::format("Inside this container: {}, or set on the host: {}; {}; {}",
                                    container, host, cloud, without)
                      : fmt::format("On this host: {}, or run as root; in a container: {}; {}; {}",
                                    host, container, cloud, without);
}

Refusal refusal_of_cupti(int code, std::string_view function, bool in_container) {
  for (const KnownCode& known : known_codes) {
    if (known.code == code) {
      return {known.kind,
              fmt::format("{} ({}: CUPTI_ERROR_{}).", known.explanation, function, known.name),
              remedy_of(known.kind, in_container)};
    }
  }
  return {RefusalKind::failed, fmt::format("CUPTI failed ({}: error {}).", function, code),
          remedy_of(RefusalKind::failed, in_container)};
}

Refusal refusal_without_code(RefusalKind kind, std::string explanation) {
  return {kind, std::move(explanation), remedy_of(kind, runs_in_container())};
}

}  // namespace perfmodel::profiling
