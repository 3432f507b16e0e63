#include "model/spec/catalog.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "model/error.hpp"
#include "model/spec/device_reader.hpp"
#include "model/spec/kernel_reader.hpp"
#include "model/spec/metric_set_reader.hpp"
#include "model/text.hpp"

namespace perfmodel::spec {
namespace {

std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder,
                                            std::string_view extension) {
  std::vector<std::filesystem::path> files;
  std::error_code status;
  for (const auto& entry : std::filesystem::directory_iterator(folder, status)) {
    if (entry.path().extension() == extension) {
      files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  return files;
}

std::vector<std::string> stems(const std::vector<std::filesystem::path>& files) {
  std::vector<std::string> names;
  names.reserve(files.size());
  for (const auto& file : files) {
    names.push_back(file.stem().string());
  }
  return names;
}

/// The file behind a name of the catalogue, or Error with the nearest name.
std::filesystem::path find_file(const std::filesystem::path& folder, const std::string& name,
                                std::string_view what) {
  if (is_path(name, ".yaml")) {
    return name;
  }
  const std::vector<std::string> names = stems(files_in(folder, ".yaml"));
  if (std::ranges::find(names, name) == names.end()) {
    const std::string hint = did_you_mean(name, names);
    fail(fmt::format("there is no {} '{}'{}; 'perfmodel list {}s' shows all {}", what,
                     printable(name), hint, what, names.size()));
  }
  return folder / (name + ".yaml");
}

/// A file of the catalogue must hold what its name says, or two files could claim one name.
void require_name(const std::filesystem::path& file, const std::string& name) {
  if (file.stem() != name) {
    fail(fmt::format("{}: holds '{}'; a specification file is named after what it holds",
                     file.string(), name));
  }
}

}  // namespace

bool is_path(std::string_view argument, std::string_view extension) {
  return argument.ends_with(extension) || argument.find('/') != std::string_view::npos;
}

std::vector<std::string> Catalog::device_names() const {
  return stems(files_in(root_ / "devices", ".yaml"));
}

std::vector<std::string> Catalog::kernel_names() const {
  return stems(files_in(root_ / "kernels", ".yaml"));
}

std::vector<std::string> Catalog::recorded_devices() const {
  std::vector<std::string> names;
  std::error_code status;
  for (const auto& entry : std::filesystem::directory_iterator(root_ / "recordings", status)) {
    if (entry.is_directory()) {
      names.push_back(entry.path().filename().string());
    }
  }
  std::ranges::sort(names);
  return names;
}

std::vector<std::filesystem::path> Catalog::recording_files(const std::string& device) const {
  return files_in(root_ / "recordings" / device, ".json");
}

std::vector<MetricSet> Catalog::metric_sets() const {
  std::vector<MetricSet> sets;
  for (const std::filesystem::path& file : files_in(root_ / "metrics", ".yaml")) {
    sets.push_back(read_metric_set(file));
    require_name(file, sets.back().name);
  }
  return sets;
}

Device Catalog::device(const std::string& name) const {
  const std::filesystem::path file = find_file(root_ / "devices", name, "device");
  Device device = read_device(file);
  require_name(file, device.name);
  return device;
}

const KernelSpec& Catalog::kernel(const std::string& name) {
  const auto known = kernels_.find(name);
  if (known != kernels_.end()) {
    return known->second;
  }
  const std::filesystem::path file = find_file(root_ / "kernels", name, "kernel");
  KernelSpec kernel = read_kernel(file);
  require_name(file, kernel.name);
  return kernels_.emplace(name, std::move(kernel)).first->second;
}

}  // namespace perfmodel::spec
