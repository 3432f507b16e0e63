#include "model/sass/load.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "model/error.hpp"
#include "model/sass/listing_file.hpp"
#include "tests/sass/fixtures.hpp"

namespace perfmodel::sass {
namespace {

namespace fs = std::filesystem;
using namespace testing;

class LoadTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::string error_for(const fs::path& path, const LoadOptions& options = {}) const {
    const std::string error = error_of([&] { load_modules(path, options); });
    // Paths differ from machine to machine.
    const std::string prefix = path.string() + ": ";
    return error.starts_with(prefix) ? error.substr(prefix.size()) : error;
  }
  [[nodiscard]] static LoadOptions with_script(const fs::path& cuobjdump) {
    LoadOptions options;
    options.tools.cuobjdump = cuobjdump;
    return options;
  }
  /// Plays cuobjdump for a file that starts like a fatbin: "extracts" the fixtures named.
  [[nodiscard]] LoadOptions extracting(const std::string& body) const {
    return with_script(
        write_script(folder_, "cuobjdump", "fixtures='" + fixture("").string() + "'\n" + body));
  }
  [[nodiscard]] fs::path fatbin() const {
    return folder_.write("in put's.fatbin", std::string("\x50\xed\x55\xba", 4) + "rest");
  }
  /// Two architectures in one stored listing.
  [[nodiscard]] fs::path stored_listing() const {
    std::vector<Module> modules(2);
    for (int i = 0; i < 2; ++i) {
      modules[i].sm = i == 0 ? 80 : 90;
      modules[i].arch = i == 0 ? "sm_80" : "sm_90";
      for (const char* name : {"_Z5scaleIfEvPT_c", "divide"}) {
        Function function;
        function.name = name;
        function.registers = 40;
        function.described = true;
        modules[i].functions.push_back(function);
      }
    }
    write_listing_file(folder_.path() / "stored", modules);
    return folder_.path() / "stored";
  }

  TemporaryFolder folder_;
};

TEST_F(LoadTest, FilesThatCannotBeRead) {
  EXPECT_EQ(error_for(folder_.path() / "none"), "no such file");
  EXPECT_EQ(error_for(folder_.path()), "is a folder; name a cubin, program or listing in it");
  EXPECT_EQ(error_for(folder_.write("empty", "")), "is empty");
  EXPECT_EQ(error_for("/dev/null"), "is no regular file");
  const fs::path locked = folder_.write("locked", "x");
  fs::permissions(locked, fs::perms::none);
  if (access(locked.c_str(), R_OK) != 0) {  // root reads everything
    EXPECT_EQ(error_for(locked), "cannot be read: Permission denied");
  }
}

TEST_F(LoadTest, FilesThatHoldSomethingElse) {
  EXPECT_EQ(error_for(folder_.write("a.cu", "int main() {}\n")),
            "holds no machine code of NVIDIA GPUs: neither a cubin, a fatbin, a program, an "
            "archive nor a listing");
  EXPECT_EQ(error_for(folder_.write("a.ptx", "//\n.version 8.0\n.target sm_90\n")),
            "is PTX, which is not what a GPU executes; compile it with 'ptxas -arch sm_NN' or "
            "'nvcc -cubin -arch sm_NN'");
  EXPECT_EQ(error_for(folder_.write("a.cubin",
                                    read_file(fixture("variables_sm_90.cubin")).substr(0, 300))),
            "the section table lies beyond the end of the file; it is cut short");
}

TEST_F(LoadTest, StoredListingNeedsNoTool) {
  const fs::path file = stored_listing();
  LoadOptions options;
  options.tools = no_tools();
  EXPECT_EQ(load_modules(file, options).size(), 2U);
  options.arch = "sm_90a";
  const auto modules = load_modules(file, options);
  ASSERT_EQ(modules.size(), 1U);
  EXPECT_EQ(modules[0].sm, 90);
  options.kernel = "scale";
  ASSERT_EQ(load_modules(file, options).at(0).functions.size(), 1U);
  EXPECT_EQ(load_modules(file, options)[0].functions[0].name, "_Z5scaleIfEvPT_c");
  options.arch.reset();
  EXPECT_EQ(load_modules(file, options).size(), 2U) << "one for each architecture";
  options.kernel = "devide";
  EXPECT_EQ(error_for(file, options),
            "no kernel 'devide' (did you mean 'divide'?); there are: scale<float>, divide");
  EXPECT_EQ(list_kernels(file, no_tools()).size(), 4U);
  EXPECT_EQ(list_kernels(file, no_tools())[0].registers, 40U);
}

TEST_F(LoadTest, Architectures) {
  LoadOptions options;
  options.arch = "89";
  EXPECT_EQ(error_for(stored_listing(), options),
            "holds no code for sm_89, only for sm_80, sm_90; compile it with '-arch sm_89'");
  EXPECT_EQ(error_for(fixture("variables_sm_90.cubin"), options),
            "holds no code for sm_89, only for sm_90; compile it with '-arch sm_89'");
  for (const char* wrong : {"", "sm_", "compute_90", "90x", "-90", "sm_90ab"}) {
    options.arch = wrong;
    EXPECT_EQ(error_for(stored_listing(), options),
              "'" + std::string(wrong) + "' is no architecture; write it like sm_90");
  }
}

TEST_F(LoadTest, BareDisassembly) {
  const fs::path file = folder_.write(
      "bare", R"( [{"SM":{"version":{"major":9,"minor":0}},"Producer":"x"},[{"function-name":"f",
      "start":0,"length":16,"sass-instructions":[{"opcode":"EXIT"}]}]])");
  LoadOptions options;
  options.tools = no_tools();
  options.kernel = "f";
  const auto modules = load_modules(file, options);
  ASSERT_EQ(modules.size(), 1U);
  EXPECT_FALSE(modules[0].functions.at(0).described);
  EXPECT_FALSE(list_kernels(file, no_tools()).at(0).described);
}

TEST_F(LoadTest, ListsACubinWithoutTools) {
  const auto kernels = list_kernels(fixture("variables_sm_120.cubin"), no_tools());
  ASSERT_EQ(kernels.size(), 3U);
  EXPECT_EQ(kernels[1].demangled, "void choose<float>(float*, char)");
  EXPECT_EQ(kernels[1].arch, "sm_120");
  EXPECT_EQ(kernels[2].static_shared_bytes, 1024U);
  EXPECT_EQ(kernels[2].parameters.size(), 5U);
}

TEST_F(LoadTest, CubinsOfAContainerInTheirOrder) {
  // Names in the wrong order for sorting as text, and a program's cubin is read through a link.
  const LoadOptions options = extracting(
      "test \"$1 $2 $3\" = '-xelf all input' && test \"$(head -c 8 input | tail -c 4)\" = rest ||"
      " exit 9\n"
      "cp \"$fixtures/variables_sm_75.cubin\" input.2.sm_75.cubin\n"
      "cp \"$fixtures/variables_sm_90.cubin\" input.10.sm_90.cubin");
  const auto kernels = list_kernels(fatbin(), options.tools);
  ASSERT_EQ(kernels.size(), 6U);
  EXPECT_EQ(kernels[0].arch, "sm_75");
  EXPECT_EQ(kernels[3].arch, "sm_90");
}

TEST_F(LoadTest, ContainerErrors) {
  LoadOptions options;
  options.tools = no_tools();
  EXPECT_TRUE(error_for(fatbin(), options).starts_with("cuobjdump: neither on PATH"));
  EXPECT_EQ(error_for(fatbin(), extracting("echo 'cuobjdump info : File does not contain device "
                                           "code' >&2; exit 255")),
            "holds no device code; name the program or library that has the kernels in it");
  EXPECT_EQ(error_for(fatbin(), extracting("test $1 != -lptx || echo 'PTX file 1: a.ptx'")),
            "holds only PTX, which is compiled when it is loaded; compile it for an architecture: "
            "'nvcc -arch sm_NN'");
  const std::string said =
      error_for(fatbin(), extracting("echo 'cuobjdump fatal : Invalid header' >&2; exit 1"));
  EXPECT_EQ(said,
            "no machine code can be taken out of it, it may be cut short: cuobjdump fatal : "
            "Invalid header "
            "(status 1 of " +
                (folder_.path() / "cuobjdump").string() + ")");
  const std::string cut =
      error_for(fatbin(), extracting("head -c 999 \"$fixtures/variables_sm_75.cubin\" > "
                                     "input.1.sm_75.cubin"));
  EXPECT_EQ(cut, fatbin().string() +
                     " (input.1.sm_75.cubin): the section table lies beyond the end of the file; "
                     "it is cut short");
}

TEST_F(LoadTest, ScratchFoldersGoAway) {
  const TemporaryFolder scratch;
  const char* before = std::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  const fs::path file = fatbin();
  const LoadOptions options = extracting("touch left over; exit 1");
  setenv("TMPDIR", scratch.path().c_str(), 1);
  (void)error_for(file, options);
  EXPECT_TRUE(fs::is_empty(scratch.path()));
  const fs::path missing = scratch.path() / "none";
  setenv("TMPDIR", missing.c_str(), 1);
  const std::string error = error_for(file, options);
  if (before == nullptr) {
    unsetenv("TMPDIR");
  } else {
    setenv("TMPDIR", kept.c_str(), 1);
  }
  EXPECT_TRUE(error.ends_with("set TMPDIR")) << error;
}

TEST_F(LoadTest, OnlyTheWantedKernelIsDisassembled) {
  if (!has_tool(CudaTool::nvdisasm)) {
    GTEST_SKIP() << "no nvdisasm";
  }
  const fs::path file =
      folder_.write("-we'ird \"na me", read_file(fixture("variables_sm_90.cubin")));
  LoadOptions options;
  options.kernel = "divide";
  const auto modules = load_modules(file, options);
  ASSERT_EQ(modules.size(), 1U);
  ASSERT_EQ(modules[0].functions.size(), 1U);
  EXPECT_EQ(modules[0].functions[0].instructions.size(), 168U);
  EXPECT_EQ(parse_listing(write_listing(modules), "f"), modules);
}

TEST_F(LoadTest, RealContainer) {
  if (!has_tool(CudaTool::cuobjdump)) {
    GTEST_SKIP() << "no cuobjdump";
  }
  EXPECT_EQ(error_for("/bin/sh"),
            "holds no device code; name the program or library that has the kernels in it");
  const auto kernels = list_kernels(fixture("variables.fatbin"));
  ASSERT_EQ(kernels.size(), 6U);
  EXPECT_EQ(kernels[0].arch, "sm_75");
  EXPECT_EQ(kernels[5].arch, "sm_90");
  EXPECT_EQ(error_for(fixture("ptx_only.fatbin")),
            "holds only PTX, which is compiled when it is loaded; compile it for an architecture: "
            "'nvcc -arch sm_NN'");
}

}  // namespace
}  // namespace perfmodel::sass
