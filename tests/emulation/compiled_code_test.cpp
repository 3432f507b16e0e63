#include <gtest/gtest.h>

#include "kernels/launcher.hpp"
#include "model/sass/load.hpp"
#include "model/sass/tools.hpp"
#include "tests/emulation/catalogue.hpp"

namespace perfmodel::kernels::testing {
namespace {

/// The code that this build compiled, taken out of this very program.
TEST(CompiledCode, ComputesTheReference) {
  const sass::LoadOptions options;
  for (const sass::CudaTool tool : {sass::CudaTool::cuobjdump, sass::CudaTool::nvdisasm}) {
    const sass::ToolSearch search = sass::search_tool(tool, options.tools);
    if (!search.program) {
      GTEST_SKIP() << sass::tool_name(tool) << ": " << search.problem << "; " << search.remedy;
    }
  }
  const std::vector<sass::Module> modules = sass::load_modules("/proc/self/exe", options);
  const std::vector<std::string> names = tested_kernels();
  for (std::size_t i = 0; i < names.size(); ++i) {
    for (const Case& one : cases_of(names[i])) {
      // Keeps the device code in the program.
      ASSERT_NE(device_function(*one.kernel, one.problem->shape()), nullptr) << one.name;
      const std::vector<MachineCode> found = code_of(one, modules);
      ASSERT_FALSE(found.empty()) << one.name;
      // One architecture for each kernel, another for the next.
      expect_reference(one, found[i % found.size()]);
    }
  }
}

}  // namespace
}  // namespace perfmodel::kernels::testing
