#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace perfmodel::sass {

/// NVIDIA's programs that machine code is read with.
enum class CudaTool : std::uint8_t {
  nvdisasm,   ///< turns a cubin into instructions
  cuobjdump,  ///< takes cubins out of fatbins and programs
};

/// "nvdisasm", "cuobjdump".
const char* tool_name(CudaTool tool);
/// How to get it.
std::string tool_remedy(CudaTool tool);

/// Where the tools are looked for, in this order; within a list, the first counts.
struct ToolPlaces {
  std::filesystem::path nvdisasm;                      ///< PERFMODEL_NVDISASM; empty where not set
  std::filesystem::path cuobjdump;                     ///< PERFMODEL_CUOBJDUMP
  std::vector<std::filesystem::path> program_folders;  ///< of PATH
  std::vector<std::filesystem::path> toolkit_roots;    ///< CUDA Toolkits, with a folder `bin`
  std::vector<std::filesystem::path> python_roots;     ///< prefixes such as a virtual environment
};

/// The places of this machine: PERFMODEL_NVDISASM and PERFMODEL_CUOBJDUMP, PATH, CUDA_HOME,
/// CUDA_PATH, /usr/local/cuda, the folder that scripts/setup.sh installs into, the active virtual
/// environment and the user's own packages.
ToolPlaces tool_places();

/// Where the CUDA wheels of PyPI put what they hold, below prefixes of Python installations:
/// lib/python3.x/site-packages/nvidia/<part>/<kind>, with `kind` "bin" or "lib".
std::vector<std::filesystem::path> wheel_folders(const std::vector<std::filesystem::path>& roots,
                                                 const std::string& kind);

/// What looking for a tool brought to light.
struct ToolSearch {
  std::optional<std::filesystem::path> program;
  std::string problem;  ///< why there is none: "neither on PATH nor ..."
  std::string remedy;
};
ToolSearch search_tool(CudaTool tool, const ToolPlaces& places);

/// The program; throws Error(unavailable) with the remedy.
std::filesystem::path require_tool(CudaTool tool, const ToolPlaces& places);

}  // namespace perfmodel::sass
