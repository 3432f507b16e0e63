// `ledger` of machine code, from a stored listing so that no tool of NVIDIA is needed.

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/support/program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace perfmodel {
namespace {

using nlohmann::json;
using testing::ProgramResult;
using testing::run_perfmodel;

const std::string saxpy = PERFMODEL_LISTINGS "/saxpy-sm_90.json";

std::string complaint(const std::vector<std::string>& arguments, int exit_code = 2) {
  const ProgramResult result = run_perfmodel(arguments);
  EXPECT_EQ(result.exit_code, exit_code) << result.out;
  EXPECT_EQ(result.out, "");
  const std::string prefix = "perfmodel: ";
  EXPECT_TRUE(result.err.starts_with(prefix)) << result.err;
  return result.err.substr(prefix.size(), result.err.size() - prefix.size() - 1);
}

/// Arguments of a launch of 8 blocks of 64 threads on 500 elements: the last warp has 20 lanes.
std::vector<std::string> saxpy_500(std::vector<std::string> more = {}) {
  std::vector<std::string> arguments = {"ledger", "--cubin", saxpy,     "--kernel", "saxpy",
                                        "--grid", "8",       "--block", "64"};
  for (const char* argument :
       {"i32:500", "f32:2.5", "buffer:2000:random_f32:1", "buffer:2000:zeros"}) {
    arguments.insert(arguments.end(), {"--arg", argument});
  }
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST(MachineLedgerCommand, CountsSaxpyAsByHand) {
  const ProgramResult result = run_perfmodel(saxpy_500({"--format", "json"}));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  const json report = json::parse(result.out);
  EXPECT_EQ(report.at("kernel"), "saxpy");
  EXPECT_EQ(report.at("arch"), "sm_90");
  EXPECT_EQ(report.at("blocks_total"), 8);
  EXPECT_EQ(report.at("data_independent"), true);
  EXPECT_TRUE(report.at("source").is_null());
  const json& machine = report.at("machine");
  // 16 warps run the 19 instructions up to the second EXIT; all have a lane inside.
  EXPECT_EQ(machine.at("warp_instructions"), 16 * 19);
  EXPECT_EQ(machine.at("fp32_fmas"), 500);
  EXPECT_EQ(machine.at("by_opcode").at("FFMA"), 16);
  EXPECT_EQ(machine.at("global_load_requests"), 2 * 16);
  // 20 lanes of the last warp: 80 bytes, 3 sectors.
  EXPECT_EQ(machine.at("global_load_sectors"), 2 * (15 * 4 + 3));
  EXPECT_EQ(machine.at("global_store_sectors"), 15 * 4 + 3);
  EXPECT_EQ(machine.at("global_load_useful_bytes"), 2 * 2000);
  EXPECT_EQ(machine.at("barriers"), 0);
}

TEST(MachineLedgerCommand, RepresentativeBlocksAgreeWithAll) {
  const ProgramResult some = run_perfmodel(saxpy_500({"--format", "json"}));
  const ProgramResult all = run_perfmodel(saxpy_500({"--format", "json", "--all-blocks"}));
  EXPECT_EQ(json::parse(some.out).at("machine"), json::parse(all.out).at("machine"));
}

TEST(MachineLedgerCommand, AFileDescribesTheSameLaunch) {
  const testing::TemporaryFolder folder;
  const auto file = folder.write("launch.yaml", R"(kernel: saxpy
grid: [8]
block: [64]
arguments:
  - {i32: 500}
  - {f32: 2.5}
  - {buffer: 2000, fill: random_f32, seed: 1}
  - {buffer: 2000, fill: zeros}
)");
  const ProgramResult by_file =
      run_perfmodel({"ledger", "--cubin", saxpy, "--launch", file.string()});
  EXPECT_EQ(by_file.exit_code, 0) << by_file.err;
  EXPECT_EQ(by_file.out, run_perfmodel(saxpy_500()).out);
}

TEST(MachineLedgerCommand, ReportsReadsBehindABuffer) {
  std::vector<std::string> arguments = saxpy_500();
  std::replace(arguments.begin(), arguments.end(), std::string("i32:500"), std::string("i32:501"));
  const ProgramResult result = run_perfmodel(arguments);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_NE(result.out.find("Defects in the emulated blocks"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("out of bounds"), std::string::npos);
  EXPECT_NE(result.out.find("saxpy.cu:6"), std::string::npos);
  EXPECT_TRUE(result.err.starts_with("perfmodel: warning: ")) << result.err;
}

TEST(MachineLedgerCommand, AnnotatesTheListing) {
  const ProgramResult result = run_perfmodel(saxpy_500({"--annotate", "--format", "csv"}));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(
      result.out.starts_with("address,executions,lane_share,wavefronts,sectors,source,text\r\n"))
      << result.out;
  EXPECT_NE(result.out.find("0x0100,16,"), std::string::npos) << result.out;
}

TEST(MachineLedgerCommand, CountsDistinctBytesOfAWave) {
  const ProgramResult result =
      run_perfmodel({"ledger", "K2", "--arch", "sm_90", "--shape", "1024x1024x1024",
                     "--unique-bytes", "--device", "h200", "-f", "json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const json unique = json::parse(result.out).at("unique_bytes");
  EXPECT_EQ(unique.at("device"), "h200");
  EXPECT_EQ(unique.at("blocks_per_sm"), 2);
  EXPECT_EQ(unique.at("blocks_per_wave"), 264);
  EXPECT_EQ(unique.at("block").at("loads").at("bytes"), 2 * 32 * 4096);
  EXPECT_EQ(unique.at("block").at("stores").at("sectors"), 32 * 4);
  const json& wave = unique.at("wave");
  EXPECT_EQ(wave.at("basis"), "law");
  EXPECT_EQ(wave.at("blocks"), 264);
  EXPECT_GE(wave.at("blocks_verified"), 4);
  // 8 rows of 32 tiles, and 8 tiles of the next.
  EXPECT_EQ(wave.at("buffers")[0].at("loads").at("bytes"), 9 * 32 * 4096);
  EXPECT_EQ(wave.at("buffers")[1].at("loads").at("bytes"), 1024 * 4096);
  EXPECT_EQ(wave.at("buffers")[2].at("argument"), 3);
  EXPECT_EQ(wave.at("stores").at("bytes"), 264 * 4096);
  EXPECT_EQ(wave.at("stores").at("most_bytes"), 264 * 4096);
  EXPECT_EQ(unique.at("launch").at("loads").at("bytes"), 2 * 1024 * 4096);

  const ProgramResult first = run_perfmodel(saxpy_500({"--unique-bytes"}));
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_NE(first.out.find("Distinct bytes of global memory"), std::string::npos) << first.out;
  EXPECT_NE(first.out.find("Launch: exact, from all of its blocks."), std::string::npos)
      << first.out;
  EXPECT_EQ(complaint({"ledger", "K3", "--arch", "sm_90", "--unique-bytes", "--device", "rtx4090"}),
            "--device rtx4090 is sm_89 and does not run code for sm_90; choose another with "
            "--device (see 'perfmodel list devices') or other code with --arch");
  EXPECT_EQ(complaint({"ledger", "K3", "--arch", "sm_90", "--device", "h200"}),
            "--device without --unique-bytes: nothing else depends on the device");
}

TEST(MachineLedgerCommand, ListsAndStoresWithoutALaunch) {
  const ProgramResult list = run_perfmodel({"ledger", "--cubin", saxpy, "--list", "-f", "json"});
  EXPECT_EQ(list.exit_code, 0) << list.err;
  const json functions = json::parse(list.out).at("functions");
  ASSERT_EQ(functions.size(), 1U);
  EXPECT_EQ(functions[0].at("parameter_bytes"), "4 4 8 8");
  const testing::TemporaryFolder folder;
  const std::string copy = (folder.path() / "copy.json").string();
  const ProgramResult store = run_perfmodel({"ledger", "--cubin", saxpy, "--save-listing", copy});
  EXPECT_EQ(store.exit_code, 0) << store.err;
  EXPECT_EQ(testing::read_file(copy), testing::read_file(saxpy));
}

TEST(MachineLedgerBad, OptionsThatContradictEachOther) {
  EXPECT_EQ(complaint({"ledger"}),
            "name a kernel of the catalogue (see 'perfmodel list kernels') or a file with machine "
            "code (--cubin)");
  EXPECT_EQ(complaint({"ledger", "K3", "--kernel", "x"}),
            "--kernel without --cubin: it is for a kernel of a file with machine code");
  EXPECT_EQ(complaint({"ledger", "K3", "--annotate"}),
            "--annotate without --arch or --cubin: the source ledger needs no machine code");
  EXPECT_EQ(complaint({"ledger", "K3", "--cubin", saxpy, "--grid", "1"}),
            "--grid with a kernel of the catalogue, which knows its function and launch; leave out "
            "one of them");
  EXPECT_EQ(complaint({"ledger", "--cubin", saxpy, "--shape", "1x1x1"}),
            "--shape without a kernel of the catalogue: the launch says what a kernel works on");
  EXPECT_EQ(complaint({"ledger", "--cubin", saxpy, "--matrix", "stencil-A"}),
            "--matrix without a kernel of the catalogue");
  EXPECT_EQ(complaint({"ledger", "--cubin", saxpy, "--list", "--annotate"}),
            "--annotate with --list, which runs nothing");
  EXPECT_EQ(complaint({"ledger", "--cubin", saxpy, "--launch", "x.yaml", "--grid", "1"}),
            "--launch with --grid, --block, --dynamic-shared-bytes or --arg: describe the launch "
            "once");
  EXPECT_EQ(complaint({"ledger", "--cubin", saxpy, "--grid", "1"}),
            "--block is missing: a launch by flags needs --grid and --block");
  EXPECT_EQ(complaint({"ledger", "--cubin", saxpy}),
            "the launch is missing: give --launch FILE, or --grid, --block and --arg; --list shows "
            "the kernels");
  EXPECT_EQ(complaint({"ledger", "K3", "--arch", "sm_90", "--matrix", "stencil-A"}),
            "--matrix with kernel K3, which is not sparse; see --shape");
  EXPECT_EQ(complaint({"ledger", "spmv-csr", "--arch", "sm_90", "--shape", "rows=8,nnz=9"}),
            "--shape with kernel spmv-csr: a sparse kernel runs on a matrix, see --matrix");
}

TEST(MachineLedgerBad, CodeThatIsNotThere) {
  const std::string message = complaint({"ledger", "K3", "--arch", "sm_91"});
  EXPECT_TRUE(message.starts_with(
      "there is no stored machine code for 'sm_91' (did you mean 'sm_90'?); there is sm_"))
      << message;
  EXPECT_NE(
      complaint({"ledger", "--cubin", saxpy, "--kernel", "saxpi", "--grid", "1", "--block", "1"})
          .find("no kernel 'saxpi'"),
      std::string::npos);
  const testing::TemporaryFolder folder;
  const std::string empty = folder.write("empty.cubin", "").string();
  EXPECT_TRUE(
      complaint({"ledger", "--cubin", empty, "--grid", "1", "--block", "1"}).starts_with(empty));
  EXPECT_TRUE(
      complaint({"ledger", "K0", "--arch", "sm_90"}).starts_with("kernel K0 has no source ledger"));
}

TEST(MachineLedgerBad, ArgumentsThatDoNotMatch) {
  std::vector<std::string> arguments = {"ledger", "--cubin", saxpy, "--grid", "1", "--block", "1"};
  const auto add = [&](const std::string& argument) {
    arguments.insert(arguments.end(), {"--arg", argument});
  };
  add("i64:1");
  EXPECT_EQ(complaint(arguments),
            "saxpy takes 4 parameters (of 4, 4, 8, 8 bytes), but the launch gives 1 argument; give "
            "one for each, in their order");
  add("f32:1");
  add("buffer:4");
  add("buffer:4");
  EXPECT_EQ(complaint(arguments),
            "saxpy: parameter 1 has 4 bytes, but argument 1 is a value of 8; give an i32, u32 or "
            "f32");
}

TEST(MachineLedgerBad, ExtentsWithoutCommas) {
  EXPECT_EQ(complaint({"ledger", "--cubin", saxpy, "--grid", "8x8", "--block", "1"}),
            "--grid '8x8': grid must have its extents between commas, such as 8,8,1");
}

/// The stored saxpy with other code, all of it from line 7 of its source, without parameters and
/// with 2 KiB of shared memory.
std::string kernel_file(const testing::TemporaryFolder& folder, const std::string& name,
                        const std::vector<std::string>& code) {
  json listing = json::parse(testing::read_file(saxpy));
  json& function = listing.at("modules").at(0).at("functions").at(0);
  function.at("code") = code;
  function.at("source") = {code.size(), 0, 7};
  function.at("parameters") = json::array();
  function.at("static_shared_bytes") = 2048;
  return folder.write(name, listing.dump()).string();
}

std::vector<std::string> launch_of(const std::string& file, std::vector<std::string> more = {}) {
  std::vector<std::string> arguments = {"ledger", "--cubin", file, "--grid", "1", "--block", "64"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST(MachineLedgerBad, CodeThatDoesNotRun) {
  const testing::TemporaryFolder folder;
  const std::string unknown = kernel_file(folder, "unknown.json", {"NOP", "FROB.X R1,R2", "EXIT"});
  EXPECT_EQ(complaint(launch_of(unknown)),
            "saxpy: the opcode of 'FROB.X R1,R2' at address 0x0010 (sm_90) is not known to the "
            "emulator; report this line as a defect of perfmodel, or count and flag such "
            "instructions with --count-unknown");
  EXPECT_EQ(complaint(launch_of(kernel_file(folder, "loop.json", {"NOP", "BRA 0x0", "EXIT"}),
                                {"--max-instructions", "1000"})),
            "saxpy: block (0,0,0) did not end within 1000 warp instructions; it loops from address "
            "0x0000 (saxpy.cu:7) to address 0x0010 (saxpy.cu:7). Raise the limit with "
            "--max-instructions if that is no endless loop");
  EXPECT_EQ(complaint(launch_of(kernel_file(folder, "dead.json",
                                            {"S2R R0,SR_TID.X", "ISETP.GT.AND P0,PT,R0,0x1f,PT",
                                             "@P0 EXIT", "BAR.SYNC 0x0,0x40", "EXIT"}))),
            "saxpy: block (0,0,0) is deadlocked at a barrier that not all of its threads reach: "
            "warp 0 (lanes 0xffffffff) at address 0x0030 (saxpy.cu:7)");
}

TEST(MachineLedgerBad, FilesThatAreCutShort) {
  const testing::TemporaryFolder folder;
  const std::string whole = testing::read_file(saxpy);
  // In the middle of a string.
  const std::string file =
      folder.write("cut short.json", whole.substr(0, whole.find("FFMA") + 2)).string();
  const std::string message = complaint(launch_of(file));
  EXPECT_TRUE(message.starts_with(file + ":1:")) << message;
  EXPECT_TRUE(message.ends_with("the file is truncated: it ends in the middle of a value"))
      << message;
}

TEST(MachineLedgerBad, ListsOfAnotherArchitecture) {
  EXPECT_EQ(complaint({"ledger", "--cubin", saxpy, "--list", "--arch", "sm_80"}),
            saxpy + ": holds no code for sm_80, only for sm_90; compile it with '-arch sm_80'");
  EXPECT_EQ(run_perfmodel({"ledger", "--cubin", saxpy, "--list", "--arch", "sm_90a"}).out,
            run_perfmodel({"ledger", "--cubin", saxpy, "--list"}).out);
}

TEST(MachineLedgerCommand, NamesOfFilesNeedNoCare) {
  const testing::TemporaryFolder folder;
  const std::string file = kernel_file(folder, "it's a \"file\" $(name).json", {"NOP", "EXIT"});
  const ProgramResult result = run_perfmodel(launch_of(file, {"--format", "json"}));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(json::parse(result.out).at("machine").at("warp_instructions"), 4);
}

TEST(MachineLedgerCommand, DefectsAreLookedForOnlyWhereWanted) {
  const testing::TemporaryFolder folder;
  // Both warps write the same word of shared memory.
  const std::string file =
      kernel_file(folder, "race.json", {"S2R R0,SR_TID.X", "MOV R2,0x400", "STS [R2],R0", "EXIT"});
  const auto defects = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = launch_of(file, more);
    arguments.insert(arguments.end(), {"--format", "json"});
    return json::parse(run_perfmodel(arguments).out).at("defects");
  };
  const json found = defects({});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].at("kind"), "shared-memory race");
  EXPECT_EQ(found[0].at("address"), 0x20);
  EXPECT_EQ(defects({"--no-defects"}), json::array());
}

}  // namespace
}  // namespace perfmodel
