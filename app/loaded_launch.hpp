#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/machine_options.hpp"
#include "kernels/problem.hpp"
#include "model/device.hpp"
#include "model/sass/launch.hpp"
#include "model/sass/module.hpp"
#include "model/shape.hpp"
#include "model/spec/catalog.hpp"
#include "model/spec/launch_reader.hpp"

namespace perfmodel::app {

/// Machine code and a launch of it, with all that they point to.
struct LoadedLaunch {
  std::string name;   ///< of the kernel as people know it
  std::string shape;  ///< of a kernel of the catalogue: "4096x4096x4096"; else empty
  std::vector<sass::Module> modules;
  const sass::Module* module = nullptr;
  const sass::Function* function = nullptr;
  sass::Launch launch;
  std::string origin;                         ///< where the machine code comes from
  std::unique_ptr<kernels::Problem> problem;  ///< of a kernel of the catalogue
  Shape recorded_shape;                       ///< by which recordings know that problem
  spec::LaunchDescription description;        ///< of a kernel of a file
};

/// A kernel of the catalogue at a shape (--shape; empty: the default), with the machine code that
/// `options` name. Throws Error.
LoadedLaunch load_catalogue_launch(spec::Catalog& catalog, const std::string& kernel,
                                   const std::string& shape, const MachineOptions& options);

/// The kernel and launch of a file that `options` name. Throws Error.
LoadedLaunch load_cubin_launch(const MachineOptions& options);

/// Modules of a file that hold the kernel; `kernel` empty: all. `arch` may be empty.
std::vector<sass::Module> load_code(const std::filesystem::path& file, const std::string& arch,
                                    const std::string& kernel);

/// The stored machine code that a device runs: its own architecture's, or the nearest before it of
/// the same generation. Empty where there is none.
std::string stored_architecture(const spec::Catalog& catalog, const Device& device);

/// The device that --device names, or the first one that runs code for `sm`; with a name, throws
/// Error where that device does not run it.
std::optional<Device> device_for_code(const spec::Catalog& catalog, const std::string& wanted,
                                      int sm);

}  // namespace perfmodel::app
