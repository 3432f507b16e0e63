// What measuring commands say without a GPU: plans, and everything that is wrong before one is
// needed. CUDA is told to show no device, so that the tests hold on a GPU machine, too.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace perfmodel {
namespace {

using nlohmann::json;
using testing::ProgramResult;

ProgramResult run(const std::vector<std::string>& arguments) {
  return testing::run_perfmodel(arguments, {{{"CUDA_VISIBLE_DEVICES", "-1"}}, {}, {}});
}

std::string complaint(const std::vector<std::string>& arguments, int exit_code) {
  const ProgramResult result = run(arguments);
  EXPECT_EQ(result.exit_code, exit_code) << result.err;
  EXPECT_EQ(result.out, "");
  return result.err;
}

/// The one planned row of a kernel.
json plan(const std::string& kernel, const std::string& shape) {
  const ProgramResult result =
      run({"measure", "--plan", "--kernels", kernel, "--shape", shape, "--format", "json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return json::parse(result.out).at("kernels").at(0);
}

TEST(Plan, ShowsTheLadderWithoutAGpu) {
  const ProgramResult result = run({"measure", "--plan", "--format", "json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json kernels = json::parse(result.out).at("kernels");
  ASSERT_EQ(kernels.size(), 8U);
  EXPECT_EQ(kernels[0].at("remark"), "cuBLAS chooses");
  EXPECT_EQ(kernels[7].at("launches")[0].at("block"), json({32, 4, 1}));
  EXPECT_EQ(kernels[7].at("launches")[0].at("grid"), json({32, 128, 1}));
  EXPECT_EQ(kernels[7].at("device_bytes"), 3 * 4096 * 4096 * 4);
}

TEST(Plan, SaysWhyAKernelIsSkipped) {
  EXPECT_NE(plan("K6", "4097x4097x4097").at("remark").get<std::string>().find("multiple"),
            std::string::npos);
  EXPECT_NE(plan("tiled", "64x64x64x32x100").at("remark").get<std::string>().find("multiple"),
            std::string::npos);
  EXPECT_NE(plan("tiled", "64x64x64x32x2048").at("remark").get<std::string>().find("1024"),
            std::string::npos);
  EXPECT_NE(plan("K3", "4000000x32x32").at("remark").get<std::string>().find("65535"),
            std::string::npos);
  EXPECT_NE(plan("gemv-col-shared", "64x100000").at("remark").get<std::string>().find("shared"),
            std::string::npos);
}

TEST(Plan, AnEmptyResultNeedsNoLaunch) {
  EXPECT_EQ(plan("K3", "0x64x64").at("remark"), "empty result, nothing to launch");
  EXPECT_EQ(plan("K3", "64x64x0").at("launches").size(), 1U);
}

TEST(Measure, WithoutADeviceIsUnavailable) {
  for (const auto& arguments : std::vector<std::vector<std::string>>{
           {"measure"},
           {"sweep"},
           {"study"},
           {"analyze", "--device", "auto"},
           {"calibrate", "--device", "auto"},
           {"calibrate", "--device", "auto", "--model", "load-count"}}) {
    const std::string message = complaint(arguments, 3);
    EXPECT_TRUE(message.starts_with("perfmodel: no GPU to measure on: ")) << message;
    EXPECT_NE(message.find("'perfmodel doctor' says more"), std::string::npos) << message;
  }
}

TEST(Measure, RefusesBadKernelsAndShapes) {
  EXPECT_EQ(complaint({"measure", "--plan", "--kernels", "K[0"}, 2).substr(0, 60),
            "perfmodel: --kernels 'K[0' is not a regular expression: Unex");
  EXPECT_NE(complaint({"measure", "--plan", "--kernels", "spmv-csx"}, 2)
                .find("no kernel matches 'spmv-csx' (did you mean 'spmv-csr'?)"),
            std::string::npos);
  EXPECT_EQ(complaint({"measure", "--plan", "--shape=-4x4x4"}, 2),
            "perfmodel: shape '-4x4x4': extent -4 must be at least 0\n");
  EXPECT_EQ(complaint({"measure", "--plan", "--shape", "99999999999999999999x4x4"}, 2),
            "perfmodel: shape '99999999999999999999x4x4': extent '99999999999999999999' overflows "
            "64 bits\n");
  EXPECT_NE(complaint({"measure", "--plan", "-k", "K2", "--shape", "2000000000x2000000000x2"}, 2)
                .find("overflow"),
            std::string::npos);
  EXPECT_NE(complaint({"measure", "--plan", "--check-only"}, 2).find("excludes"),
            std::string::npos);
}

TEST(Calibrate, ListsTheMicrobenchmarksWithoutAGpu) {
  const ProgramResult result =
      run({"calibrate", "--list", "--only", "dram.read|fma.*", "--format", "json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json list = json::parse(result.out).at("microbenchmarks");
  ASSERT_EQ(list.size(), 3U);
  EXPECT_EQ(list[0].at("name"), "fma.rate");
  EXPECT_EQ(list[2].at("name"), "dram.read");
  EXPECT_EQ(list[2].at("unit"), "B/s");
  EXPECT_NE(complaint({"calibrate", "--device", "auto", "--only", "dram.reed"}, 2)
                .find("no micro-benchmark matches 'dram.reed' (did you mean 'dram.read'?)"),
            std::string::npos);
}

TEST(Calibrate, WritesNothingWithoutADevice) {
  const testing::TemporaryFolder folder;
  const auto file = folder.path() / "constants.json";
  complaint({"calibrate", "--device", "auto", "--save", file.string()}, 3);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Measure, NamesTheLineOfAMalformedMatrix) {
  const testing::TemporaryFolder folder;
  const auto file = folder.write("bad.mtx",
                                 "%%MatrixMarket matrix coordinate real general\n"
                                 "2 2 2\n"
                                 "1 1 4.0\n"
                                 "3 1 1.0\n");
  const std::string message =
      complaint({"measure", "--plan", "-k", "spmv-csr", "--matrix", file.string()}, 2);
  EXPECT_NE(message.find(file.string() + ":4"), std::string::npos) << message;
}

TEST(Doctor, WorksWithoutAGpu) {
  const ProgramResult result = run({"doctor", "--format", "json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(json::parse(result.out).is_object());
}

}  // namespace
}  // namespace perfmodel
