#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "model/sass/module.hpp"
#include "model/sass/tools.hpp"

namespace perfmodel::sass {

/// What of a file to load.
struct LoadOptions {
  std::optional<std::string> arch;    ///< "sm_90", "sm_90a" or "90"; every one when not set
  std::optional<std::string> kernel;  ///< see find_function.hpp; only this is disassembled
  ToolPlaces tools = tool_places();
};

/// Reads machine code. What a file holds decides how, not its name:
///  - a cubin, which nvdisasm takes apart;
///  - a fatbin, or a program, library, object or archive with device code, from which cuobjdump
///    takes the cubins;
///  - a listing stored by perfmodel, plain or gzip'ed, which needs neither;
///  - what `nvdisasm -json` printed.
/// One module for each cubin of the architecture, in the file's order; with `kernel`, only the
/// modules that have it, with no other function.
///
/// Throws Error: bad_input where the file cannot be read, holds nothing of the kind, or lacks the
/// architecture or kernel (with those it has); unavailable where a tool is missing.
std::vector<Module> load_modules(const std::filesystem::path& path,
                                 const LoadOptions& options = {});

/// A kernel as far as it is known without its code.
struct KernelSummary {
  std::string name;       ///< mangled
  std::string demangled;  ///< "void scale<float>(float*, char)"
  std::string arch;
  bool described = true;  ///< false for a bare disassembly: the numbers below are unknown
  std::uint32_t registers = 0;
  std::uint32_t static_shared_bytes = 0;  ///< without the system's
  std::uint32_t local_bytes = 0;
  std::uint32_t max_threads = 0;
  std::vector<Parameter> parameters;
};

/// The kernels of a file, in its order, without disassembling any; with `arch`, only those for it
/// (see LoadOptions). Throws Error as `load_modules`.
std::vector<KernelSummary> list_kernels(const std::filesystem::path& path,
                                        const ToolPlaces& tools = tool_places(),
                                        const std::optional<std::string>& arch = std::nullopt);

}  // namespace perfmodel::sass
