#include "model/sass/disassembler.hpp"

#include <gtest/gtest.h>

#include "model/error.hpp"
#include "tests/sass/fixtures.hpp"

namespace perfmodel::sass {
namespace {

using namespace testing;
using perfmodel::testing::replaced;

const std::string listing = R"([{"SM":{"version":{"major":9,"minor":0}},"Producer":"nvdisasm V13",
".note.nv.tkinfo":{"tki_toolName":"ptxas","tki_toolVersion":"V13.0"},"news":1},
[{"function-name":"f","start":0,"length":64,"other-attributes":[],"sass-instructions":[
{"opcode":"S2R","operands":"R2,SR_TID.X","source-file-id":1,"source-line":18},
{"predicate":"PR","opcode":"P2R","operands":"R26,RZ,0x1"},
{"predicate":"@!P0","opcode":"BRA","operands":"0x20","source-line":19},
{"opcode":"NOP","other-attributes":{"control-flow":"True"}}]}],
{"directories":["/src","/src/b/../include"],"files":[{"dir-idx":0,"file":"a.cu"},
{"dir-idx":1,"file":"b.hpp"}]}])";

Module parse(const std::string& text) { return parse_disassembly(text, "f.json"); }
std::string error_with(std::string_view from, std::string_view to) {
  return error_of([&] { parse(replaced(listing, from, to)); });
}

TEST(Disassembly, Everything) {
  const Module module = parse(listing);
  EXPECT_EQ(module.sm, 90);
  EXPECT_EQ(module.arch, "sm_90");
  EXPECT_EQ(module.tool, "nvdisasm V13");
  EXPECT_EQ(module.compiler, "ptxas V13.0");
  EXPECT_EQ(module.source_files, (std::vector<std::string>{"/src/a.cu", "/src/include/b.hpp"}));
  ASSERT_EQ(module.functions.size(), 1U);
  EXPECT_FALSE(module.functions[0].described);
  const std::vector<ListedInstruction> code{
      {"", "S2R", "R2,SR_TID.X", 1, 18},
      {"", "P2R", "R26,PR,RZ,0x1", 1, 18},
      {"@!P0", "BRA", "0x20", 1, 19},
      {"", "NOP", "", 1, 19},
  };
  EXPECT_EQ(module.functions[0].instructions, code);
}

TEST(Disassembly, WithoutLineInformation) {
  const Module module = parse(R"([{"SM":{"version":{"major":12,"minor":1}},"Producer":"x"},[]])");
  EXPECT_EQ(module.arch, "sm_121");
  EXPECT_TRUE(module.functions.empty());
}

TEST(Disassembly, PredicateFileAsTarget) {
  const Module module = parse(replaced(replaced(listing, "\"P2R\"", "\"R2P\""), "R26,RZ", "R26"));
  EXPECT_EQ(module.functions[0].instructions[1].operands, "PR,R26,0x1");
}

TEST(Disassembly, SubroutinesListedApart) {
  // As nvdisasm 13.0 lists them: the kernel's length covers both.
  const Module module = parse(R"([{"SM":{"version":{"major":9,"minor":0}},"Producer":"x"},[
{"function-name":"k","start":0,"length":48,"sass-instructions":[
{"opcode":"CALL.REL.NOINC","operands":"$sub"},{"opcode":"EXIT"}]},
{"function-name":"$sub","start":32,"length":16,"sass-instructions":[
{"opcode":"RET.REL.NODEC","operands":"R2,k"}]}]])");
  ASSERT_EQ(module.functions.size(), 1U);
  EXPECT_EQ(module.functions[0].instructions.size(), 3U);
  EXPECT_EQ(module.functions[0].labels, (std::vector<CodeLabel>{{"$sub", 32}}));
}

TEST(Disassembly, OlderSpellingOfAddresses) {
  const auto operands = [](std::string_view opcode, std::string_view written) {
    const std::string text = replaced(
        replaced(listing, "\"S2R\"", "\"" + std::string(opcode) + "\""), "R2,SR_TID.X", written);
    return parse(text).functions[0].instructions[0].operands;
  };
  EXPECT_EQ(operands("LDS", "R12[R2]"), "R12,[R2]");
  EXPECT_EQ(operands("LDS", "R12,[R2]"), "R12,[R2]");
  EXPECT_EQ(operands("ATOMS.CAS", "RZ[RZ],R4,R5"), "RZ,[RZ],R4,R5");
  EXPECT_EQ(operands("LDC", "R2,c[0x0][R3]"), "R2,c[0x0][R3]");
  EXPECT_EQ(operands("LDG.E", "R2,desc[UR8][R4.64]"), "R2,desc[UR8][R4.64]");
  EXPECT_EQ(operands("LDGSTS.E", "desc[UR6][R8.64][R13]"), "[R13],desc[UR6][R8.64]");
  EXPECT_EQ(operands("LDGSTS.E", "desc[UR6][R4.64],!PT[R27+0xc00]"),
            "[R27+0xc00],desc[UR6][R4.64],!PT");
  EXPECT_EQ(operands("LDGSTS.E", "[R13],desc[UR6][R8.64]"), "[R13],desc[UR6][R8.64]");
}

TEST(Disassembly, Errors) {
  EXPECT_EQ(error_of([&] { parse("{}"); }),
            "f.json: is not the output of 'nvdisasm -json': a list of header and functions");
  EXPECT_EQ(error_of([&] { parse("[1"); }), "f.json: the listing is cut short");
  EXPECT_EQ(error_of([&] { parse(listing.substr(0, 400)); }), "f.json: the listing is cut short");
  EXPECT_EQ(error_of([&] { parse("[nul]"); }), "f.json: is not valid JSON at byte 5");
  EXPECT_EQ(error_with("\"SM\"", "\"XM\""), "f.json: the header lacks 'SM'");
  EXPECT_EQ(error_with(R"({"major":9,"minor":0})", "3"), "f.json: 'version' is no object");
  EXPECT_EQ(error_with("\"major\":9", "\"major\":-9"),
            "f.json: 'major' is no whole number of 32 bits");
  EXPECT_EQ(error_with("\"major\":9", "\"major\":123456"),
            "f.json: version 123456.0 of the SM is not plausible");
  EXPECT_EQ(error_with("\"nvdisasm V13\"", "3"), "f.json: 'Producer' is no text");
  EXPECT_EQ(error_with("\"start\":0", "\"start\":16"),
            "f.json: function f starts at address 16, where no function ends");
  EXPECT_EQ(error_with("\"length\":64", "\"length\":32"),
            "f.json: function f has 4 instructions in 32 bytes, where each takes 16");
  EXPECT_EQ(error_with("\"source-file-id\":1", "\"source-file-id\":2"),
            "f.json: function f comes from source file 2 of 2");
  EXPECT_EQ(error_with("R2,SR_TID.X", "R2\\u0007"), "f.json: 'operands' holds control characters");
  EXPECT_EQ(error_with("\"dir-idx\":1", "\"dir-idx\":2"),
            "f.json: a source file lies in folder 2 of 2");
  EXPECT_EQ(error_with("\"opcode\":\"BRA\"", "\"opcode\":\"BRA X\""),
            "f.json: function f holds no instruction but '@!P0 BRA X'");
  EXPECT_EQ(error_with("\"opcode\":\"NOP\",", ""), "f.json: an instruction lacks 'opcode'");
  EXPECT_EQ(error_with("\"directories\":[\"/src\",\"/src/b/../include\"]", "\"directories\":1"),
            "f.json: 'directories' is no list");
}

class DisassemblerTest : public ::testing::Test {
 protected:
  DisassemblerTest()
      : path_(fixture("variables_sm_90.cubin")),
        cubin_(read_cubin(bytes_of(read_file(path_)), "f.cubin")) {}

  [[nodiscard]] Error error_of_tool(const std::string& script) const {
    ToolPlaces places;
    places.nvdisasm = write_script(folder_, "nvdisasm", script);
    try {
      disassemble(cubin_, path_, "f.cubin", places);
    } catch (const Error& error) {
      return error;
    }
    return Error(ErrorKind::wrong_result, "no error");
  }

  TemporaryFolder folder_;
  std::filesystem::path path_;
  Cubin cubin_;
};

TEST_F(DisassemblerTest, RealCode) {
  if (!has_tool(CudaTool::nvdisasm)) {
    GTEST_SKIP() << "no nvdisasm";
  }
  for (const char* arch : {"75", "90", "120"}) {
    path_ = fixture("variables_sm_" + std::string(arch) + ".cubin");
    cubin_ = read_cubin(bytes_of(read_file(path_)), "f.cubin");
    const Module module = disassemble(cubin_, path_, "f.cubin", tool_places());
    EXPECT_EQ(module.tool.substr(0, 9), "nvdisasm ");
    EXPECT_EQ(module.compiler.substr(0, 6), "ptxas ");
    EXPECT_EQ(module.source_files.at(0), "/src/variables.cu");
    ASSERT_EQ(module.functions.size(), 3U);
    const Function& divide = module.functions[2];
    EXPECT_EQ(16 * divide.instructions.size(), cubin_.code_bytes[2]);
    EXPECT_GT(divide.instructions[0].source_line, 0U);
    EXPECT_EQ(divide.registers, cubin_.module.functions[2].registers);
    EXPECT_TRUE(divide.has_control);
    for (std::size_t i = 0; i < divide.instructions.size(); ++i) {
      EXPECT_EQ(divide.instructions[i].control, cubin_.controls[2].at(i)) << i;
    }

    const Module one = disassemble(cubin_, path_, "f.cubin", tool_places(), 2);
    ASSERT_EQ(one.functions.size(), 1U);
    EXPECT_EQ(one.functions[0], divide);
    EXPECT_EQ(one.variables, module.variables);
  }
}

TEST_F(DisassemblerTest, MissingToolOrOneThatFails) {
  EXPECT_TRUE(error_of([&] {
                disassemble(cubin_, path_, "f.cubin", no_tools());
              }).starts_with("nvdisasm: neither on PATH"));
  const std::string program = (folder_.path() / "nvdisasm").string();

  const Error old = error_of_tool("echo \"nvdisasm fatal   : Unknown option '-json'\" >&2; exit 1");
  EXPECT_EQ(old.kind(), ErrorKind::unavailable);
  EXPECT_EQ(old.what(), program +
                            ": is too old, it cannot print JSON (nvdisasm fatal   : Unknown option "
                            "'-json'): run scripts/setup.sh, or 'pip install "
                            "nvidia-cuda-nvdisasm', or install the CUDA Toolkit; "
                            "PERFMODEL_NVDISASM may name the program");
  const Error refused = error_of_tool("echo 'nvdisasm fatal : bad file' >&2; exit 3");
  EXPECT_EQ(refused.kind(), ErrorKind::bad_input);
  EXPECT_EQ(refused.what(),
            "f.cubin: cannot be disassembled: nvdisasm fatal : bad file (status 3 "
            "of " +
                program + ")");
  EXPECT_EQ(error_of_tool("exit 0").what(), program + ": the listing is cut short");
  EXPECT_STREQ(error_of_tool("echo '[{\"SM\":{\"version\":{\"major\":8,\"minor\":0}},"
                             "\"Producer\":\"x\"},[]]'")
                   .what(),
               "f.cubin: the ELF header says sm_90, the disassembler sm_80");
  EXPECT_STREQ(error_of_tool("echo '[{\"SM\":{\"version\":{\"major\":9,\"minor\":0}},"
                             "\"Producer\":\"x\"},[]]'")
                   .what(),
               "f.cubin: the disassembler lists no function _Z6chooseIiEvPT_c");
  EXPECT_STREQ(error_of_tool("echo '[{\"SM\":{\"version\":{\"major\":9,\"minor\":0}},"
                             "\"Producer\":\"x\"},[{\"function-name\":\"_Z6chooseIiEvPT_c\","
                             "\"start\":0,\"length\":0,\"sass-instructions\":[]}]]'")
                   .what(),
               "f.cubin: function _Z6chooseIiEvPT_c has 1024 bytes of code, but the disassembler "
               "lists 0 instructions");
}

}  // namespace
}  // namespace perfmodel::sass
