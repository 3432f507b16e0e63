#include "model/sass/tools.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "model/error.hpp"
#include "tests/sass/fixtures.hpp"

namespace perfmodel::sass {
namespace {

namespace fs = std::filesystem;
using namespace testing;

class ToolsTest : public ::testing::Test {
 protected:
  ToolsTest() {
    places_.program_folders = {folder_.path() / "path"};
    places_.toolkit_roots = {folder_.path() / "cuda"};
    places_.python_roots = {folder_.path() / "venv"};
  }
  [[nodiscard]] fs::path add(const std::string& name) const {
    return write_script(folder_, name, "exit 0");
  }
  [[nodiscard]] std::string found(CudaTool tool = CudaTool::nvdisasm) const {
    return search_tool(tool, places_).program.value_or("").string();
  }

  TemporaryFolder folder_;
  ToolPlaces places_;
};

TEST_F(ToolsTest, PathThenToolkitThenWheels) {
  EXPECT_EQ(found(), "");
  const fs::path wheel = add("venv/lib/python3.12/site-packages/nvidia/cu13/bin/nvdisasm");
  EXPECT_EQ(found(), wheel);
  const fs::path toolkit = add("cuda/bin/nvdisasm");
  EXPECT_EQ(found(), toolkit);
  const fs::path path = add("path/nvdisasm");
  EXPECT_EQ(found(), path);
  places_.nvdisasm = toolkit;
  EXPECT_EQ(found(), toolkit) << "the variable comes first";
  EXPECT_EQ(found(CudaTool::cuobjdump), "");
  const fs::path other = add("path/cuobjdump");
  EXPECT_EQ(found(CudaTool::cuobjdump), other);
}

TEST_F(ToolsTest, MissingToolIsUnavailableWithARemedy) {
  try {
    require_tool(CudaTool::nvdisasm, places_);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::unavailable);
    EXPECT_STREQ(error.what(),
                 "nvdisasm: neither on PATH nor in a CUDA Toolkit or wheel; it reads machine code: "
                 "run scripts/setup.sh, or 'pip install nvidia-cuda-nvdisasm', or install the CUDA "
                 "Toolkit; PERFMODEL_NVDISASM may name the program");
  }
  EXPECT_EQ(error_of([&] { require_tool(CudaTool::cuobjdump, places_); }),
            "cuobjdump: neither on PATH nor in a CUDA Toolkit or wheel; it takes machine code out "
            "of programs and fatbins: run scripts/setup.sh, or 'pip install "
            "nvidia-cuda-cuobjdump', or install the CUDA Toolkit; PERFMODEL_CUOBJDUMP may name the "
            "program");
}

TEST_F(ToolsTest, VariableThatNamesNothing) {
  places_.nvdisasm = "/nonexistent/nvdisasm";
  (void)add("path/nvdisasm");
  EXPECT_EQ(error_of([&] { require_tool(CudaTool::nvdisasm, places_); }),
            "nvdisasm: PERFMODEL_NVDISASM names '/nonexistent/nvdisasm', which is no file: correct "
            "or unset PERFMODEL_NVDISASM");
}

TEST_F(ToolsTest, FileWithoutExecuteBitIsNamedUnlessAnotherHasIt) {
  const fs::path locked = folder_.write("cuda/bin/nvdisasm", "");
  const std::string said =
      "nvdisasm: " + locked.string() + " may not be executed: chmod +x '" + locked.string() + "'";
  EXPECT_EQ(error_of([&] { require_tool(CudaTool::nvdisasm, places_); }), said);
  places_.nvdisasm = locked;
  EXPECT_EQ(error_of([&] { require_tool(CudaTool::nvdisasm, places_); }), said);
  places_.nvdisasm.clear();
  const fs::path wheel = add("venv/lib/python3.12/site-packages/nvidia/cu13/bin/nvdisasm");
  EXPECT_EQ(found(), wheel);
}

TEST_F(ToolsTest, PlacesOfThisMachine) {
  const char* before = std::getenv("PERFMODEL_NVDISASM");
  const std::string kept = before == nullptr ? "" : before;
  setenv("PERFMODEL_NVDISASM", "/opt/nvdisasm", 1);
  const ToolPlaces places = tool_places();
  if (before == nullptr) {
    unsetenv("PERFMODEL_NVDISASM");
  } else {
    setenv("PERFMODEL_NVDISASM", kept.c_str(), 1);
  }
  EXPECT_EQ(places.nvdisasm, "/opt/nvdisasm");
  EXPECT_FALSE(places.program_folders.empty());
  EXPECT_EQ(places.toolkit_roots.back(), "/usr/local/cuda");
  EXPECT_TRUE(places.python_roots.front().string().ends_with("build/cuda-tools"));
}

}  // namespace
}  // namespace perfmodel::sass
