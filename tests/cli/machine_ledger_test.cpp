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
  const std::string message =
      complaint({"ledger", "--cubin", saxpy, "--grid", "1", "--block", "1", "--arg", "i32:1"});
  EXPECT_NE(message.find("saxpy"), std::string::npos) << message;
  EXPECT_NE(message.find("4"), std::string::npos) << message;
}

}  // namespace
}  // namespace perfmodel
