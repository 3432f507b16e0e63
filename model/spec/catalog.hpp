#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/device.hpp"
#include "model/kernel_spec.hpp"
#include "model/metric_set.hpp"

namespace perfmodel::spec {

/// The specifications on disk: `devices/*.yaml`, `kernels/*.yaml`, `metrics/*.yaml`
/// and `recordings/<device>/*.json` below one folder. Files are read when asked for.
class Catalog {
 public:
  explicit Catalog(std::filesystem::path root) : root_(std::move(root)) {}

  [[nodiscard]] std::vector<std::string> device_names() const;
  [[nodiscard]] std::vector<std::string> kernel_names() const;
  /// Names of the devices that have recordings.
  [[nodiscard]] std::vector<std::string> recorded_devices() const;
  /// The recordings of a device, by file name.
  [[nodiscard]] std::vector<std::filesystem::path> recording_files(const std::string& device) const;

  /// The sets of hardware counters, by name.
  [[nodiscard]] std::vector<MetricSet> metric_sets() const;

  /// A device by name, or from a file when `name` ends in .yaml. Throws Error with the nearest
  /// name.
  [[nodiscard]] Device device(const std::string& name) const;
  /// A kernel likewise; kept, so that references stay valid.
  const KernelSpec& kernel(const std::string& name);

  [[nodiscard]] const std::filesystem::path& root() const { return root_; }

 private:
  std::filesystem::path root_;
  std::map<std::string, KernelSpec, std::less<>> kernels_;
};

/// Whether an argument is meant as a file rather than as a name of the catalogue.
bool is_path(std::string_view argument, std::string_view extension);

}  // namespace perfmodel::spec
