// Counters and the audit of the ledger as far as they go without a GPU.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace perfmodel {
namespace {

using nlohmann::json;
using testing::ProgramResult;

/// No device, and no CUPTI unless the test names one.
ProgramResult run(const std::vector<std::string>& arguments,
                  const char* cupti = "/nowhere/libcupti.so") {
  return testing::run_perfmodel(
      arguments, {{{"CUDA_VISIBLE_DEVICES", "-1"}, {"PERFMODEL_CUPTI", cupti}}, {}, {}});
}

std::string complaint(const std::vector<std::string>& arguments, int exit_code) {
  const ProgramResult result = run(arguments);
  EXPECT_EQ(result.exit_code, exit_code) << result.err;
  EXPECT_EQ(result.out, "");
  return result.err;
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(ListMetrics, NeedsNeitherGpuNorCupti) {
  const ProgramResult result = run({"list", "metrics", "--format", "json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json metrics = json::parse(result.out).at("metrics");
  EXPECT_GT(metrics.size(), 50U);
  EXPECT_EQ(metrics[0].at("set"), "dram");
  EXPECT_EQ(metrics[0].at("metric"), "dram__bytes_read.sum");
}

TEST(ListMetrics, OfAChipSaysHowToGetCupti) {
  const std::string said = complaint({"list", "metrics", "--device", "h200"}, 3);
  // Either this build has no counters, or it looked for the library.
  EXPECT_TRUE(contains(said, "/nowhere/libcupti.so") || contains(said, "built without")) << said;
}

TEST(ListMetrics, OptionsOfMetricsBelongToMetrics) {
  EXPECT_TRUE(contains(complaint({"list", "devices", "--all"}, 2), "'perfmodel list metrics'"));
  EXPECT_TRUE(contains(complaint({"list", "metrics", "--all"}, 2), "--device"));
  EXPECT_TRUE(contains(complaint({"list", "metrics", "--device", "h20"}, 2), "h200"));
}

TEST(MeasureCounters, AreRefusedTogetherWithCheckOnly) {
  EXPECT_TRUE(contains(complaint({"measure", "--check-only", "--counters", "on"}, 2),
                       "--check-only takes no counters"));
}

TEST(MeasureCounters, KnowTheirModes) {
  EXPECT_TRUE(contains(complaint({"measure", "--counters", "maybe"}, 2), "--counters"));
  EXPECT_TRUE(contains(complaint({"measure", "--replay", "twice"}, 2), "--replay"));
}

TEST(AuditLedger, ArguesWithoutCounters) {
  const ProgramResult result = run({"audit-ledger", "--device", "rtx4090", "--kernels", "K1",
                                    "--shape", "4096x4096x4096", "--format", "json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json report = json::parse(result.out);
  EXPECT_EQ(report.at("schema"), "perfmodel.ledger-audit/1");
  const json& kernel = report.at("kernels").at(0);
  EXPECT_EQ(kernel.at("kernel"), "K1 at 4096x4096x4096");
  EXPECT_EQ(kernel.at("judged"), 0);
  std::vector<std::string> topics;
  for (const json& line : kernel.at("evidence_without_counters")) {
    topics.push_back(line.at("topic"));
  }
  EXPECT_EQ(topics,
            (std::vector<std::string>{"requests", "N against N+1", "alignment", "occupancy limit",
                                      "time against size", "time against clock"}));
}

TEST(AuditLedger, JudgesWhatARecordingCounted) {
  // Counters of K2 at 64x64x64 as the ledger has them, but for one.
  const testing::TemporaryFolder folder;
  const auto file = folder.write("mine.json", R"({"schema": "perfmodel.recording/1",
 "device": "h200", "clock": {"basis": "measured", "clock_hz": 1e9},
 "source": {"kind": "measured", "description": "test"},
 "device_attributes": {"name": "GPU"}, "environment": {}, "complete": true,
 "entries": [{"kernel": "K2", "shape": {"m": 64, "n": 64, "k": 64}, "samples_s": [1e-5],
  "counters": {"source": "cupti-range", "values": {
   "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": 16384,
   "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum": 100}}}]})");
  const ProgramResult result =
      run({"audit-ledger", "--recording", file.string(), "--format", "json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json report = json::parse(result.out);
  EXPECT_EQ(report.at("judged"), 2);
  EXPECT_EQ(report.at("passed"), 1);
  EXPECT_FALSE(report.at("kernels").at(0).contains("evidence_without_counters"));
  const ProgramResult table = run({"audit-ledger", "--recording", file.string()});
  EXPECT_TRUE(contains(table.out, "FAIL"));
  EXPECT_TRUE(contains(table.out, "1 of 2 judged counts agree"));
}

TEST(AuditLedger, AuditsAKernelThatNcuCounted) {
  const testing::TemporaryFolder folder;
  const std::string imported = (folder.path() / "imported.json").string();
  ASSERT_EQ(run({"import", PERFMODEL_IMPORT_FIXTURES "/h200-ncu-raw-few.csv", "--out", imported})
                .exit_code,
            0);
  const auto launch = [&](const char* blocks) {
    return folder
        .write("launch.yaml",
               "schema: perfmodel.launch/1\nkernel: perfmodel::kernels::sgemm_k3\ngrid: [" +
                   std::string(blocks) +
                   "]\nblock: [32, 32]\narguments: [{buffer: 262144}, {buffer: 262144}, "
                   "{buffer: 262144}, {i32: 256}, {i32: 256}, {i32: 256}]\n")
        .string();
  };
  const std::string code = PERFMODEL_SOURCE_SPECS "/listings/sm_90.json.gz";
  const ProgramResult result = run({"audit-ledger", "--recording", imported, "--cubin", code,
                                    "--launch", launch("8, 8"), "--format", "json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json report = json::parse(result.out);
  EXPECT_EQ(report.at("judged"), 1);  // this export has the instructions only
  EXPECT_EQ(report.at("passed"), 1);
  const ProgramResult other =
      run({"audit-ledger", "--recording", imported, "--cubin", code, "--launch", launch("4, 4")});
  EXPECT_EQ(other.exit_code, 3);
  EXPECT_TRUE(contains(other.err, "no launch of perfmodel::kernels::sgemm_k3 with this grid"));
}

TEST(AuditLedger, SaysWhatItLacks) {
  EXPECT_TRUE(contains(complaint({"audit-ledger"}, 2), "--device"));
  EXPECT_TRUE(contains(complaint({"audit-ledger", "--device", "h200", "--kernels", "K99"}, 3),
                       "no kernel with a source ledger that matches 'K99'"));
  EXPECT_TRUE(contains(complaint({"audit-ledger", "--device", "h200", "--kernels", "("}, 2),
                       "regular expression"));
  EXPECT_TRUE(contains(complaint({"audit-ledger", "--launch", "l.yaml"}, 2), "--cubin"));
  EXPECT_TRUE(contains(complaint({"audit-ledger", "--per-instruction"}, 2), "one kernel"));
  EXPECT_TRUE(contains(
      complaint({"audit-ledger", "--per-instruction", "--kernels", "K3", "--shape", "64x64x64"}, 3),
      "no GPU"));
}

}  // namespace
}  // namespace perfmodel
