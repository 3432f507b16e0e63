#include "profiling/import/import.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "model/error.hpp"
#include "model/statistics.hpp"
#include "model/text.hpp"
#include "profiling/device_query.hpp"
#include "profiling/import/ncu_table.hpp"
#include "profiling/import/text_encoding.hpp"

namespace perfmodel::profiling {
namespace {

constexpr std::string_view unnamed_device = "unnamed device";

/// The name of a device that no specification describes, as a recording may hold it: "nvidia-h20"
/// for "NVIDIA H20"; without a name "unknown-sm_90" or "unknown".
std::string slug_of(const DeviceAttributes& device) {
  constexpr std::size_t longest = 60;
  std::string slug;
  for (const char c : device.name) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0) {
      slug += static_cast<char>(std::tolower(byte));
    } else if (!slug.empty() && slug.back() != '-') {
      slug += '-';
    }
  }
  slug.resize(std::min(slug.size(), longest));
  slug.erase(slug.find_last_not_of('-') + 1);
  if (!slug.empty()) {
    return slug;
  }
  const std::string architecture = architecture_of(device);
  return is_plain_name(architecture) ? "unknown-" + architecture : "unknown";
}

/// Fills in the device: the one asked for, else the one of the catalogue that the file describes.
void name_device(Imported& imported, const ImportOptions& options,
                 const std::vector<Device>& catalogue) {
  Recording& recording = imported.recording;
  DeviceAttributes& attributes = recording.device_attributes.value();
  const std::string architecture = architecture_of(attributes);
  if (options.device) {
    recording.device = options.device->name;
    if (!architecture.empty() && architecture != options.device->architecture) {
      imported.warnings.push_back(fmt::format("{} is {}, but the file was measured on {}",
                                              options.device->name, options.device->architecture,
                                              printable(architecture)));
    }
  } else if (const auto known = catalogue_name(attributes, catalogue);
             known && !attributes.name.empty()) {
    recording.device = *known;
  } else {
    recording.device = slug_of(attributes);
    std::vector<std::string> alike;
    for (const Device& device : catalogue) {
      if (device.architecture == architecture) {
        alike.push_back(device.name);
      }
    }
    imported.warnings.push_back(fmt::format(
        "{}, so the recording names it {}; say which one it is with --device{}",
        attributes.name.empty()
            ? "the file does not name the device"
            : fmt::format("no device of the catalogue is '{}'", printable(attributes.name)),
        recording.device,
        alike.empty() ? "" : fmt::format(" ({} are {})", architecture, join(alike))));
  }
  if (attributes.name.empty()) {
    attributes.name = unnamed_device;
  }
}

/// What turns seconds into cycles, as far as the file tells.
void name_clock(Recording& recording) {
  std::vector<double> clocks;
  for (const Measurement& entry : recording.entries) {
    if (entry.clocks && entry.clocks->sm_clock_hz) {
      clocks.push_back(*entry.clocks->sm_clock_hz);
    }
  }
  if (const std::optional<double> seen = median(clocks)) {
    recording.clock_basis = "measured";
    recording.clock_hz = *seen;
  } else if (recording.device_attributes->clock_rate_hz) {
    recording.clock_basis = "device-reported";
    recording.clock_hz = *recording.device_attributes->clock_rate_hz;
  }
}

}  // namespace

Imported import_measurements(std::string_view bytes, const ImportOptions& options,
                             const std::vector<Device>& catalogue) {
  const std::string text = to_utf8(bytes, options.file);
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos) {
    fail(fmt::format("{}: the file is empty", options.file));
  }
  Imported imported;
  if (has_ncu_header(text)) {
    imported = import_ncu(text, options);
  } else if (text[begin] == '{' || text[begin] == '[') {
    imported = import_nvbench(text, options);
  } else {
    fail(
        fmt::format("{}: neither a CSV export of Nsight Compute nor a JSON result of nvbench; "
                    "export with: ncu --csv --page raw --print-units base, or run the benchmark "
                    "with --json FILE",
                    options.file));
  }
  name_device(imported, options, catalogue);
  name_clock(imported.recording);
  return imported;
}

}  // namespace perfmodel::profiling
