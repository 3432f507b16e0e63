#include "model/counter_free_evidence.hpp"

#include <gtest/gtest.h>

namespace perfmodel {
namespace {

class CounterFreeEvidence : public ::testing::Test {
 protected:
  CounterFreeEvidence() {
    device_.sm_count.value = 10;
    recording_.clock_hz = 1e9;
    add("K", 64, 1.0);
  }

  Measurement& add(const char* kernel, std::int64_t n, double median_s) {
    Measurement entry;
    entry.kernel = kernel;
    entry.shape = Shape({{"m", n}, {"n", n}});
    entry.median_s = median_s;
    recording_.entries.push_back(entry);
    return recording_.entries.back();
  }

  std::string finding(const std::string& topic, const sass::MachineLedger* ledger = nullptr) {
    const auto fmas = [](const Shape& shape) {
      return static_cast<double>(shape.extent("m") * shape.extent("n"));
    };
    for (const Evidence& line : counter_free_evidence(recording_, recording_.entries.front(),
                                                      others_, device_, ledger, fmas)) {
      if (line.topic == topic) {
        return line.finding;
      }
    }
    return "";
  }

  Device device_;
  Recording recording_;
  std::vector<Recording> others_;
};

TEST_F(CounterFreeEvidence, SaysHowToMeasureWhatIsMissing) {
  EXPECT_EQ(finding("N against N+1"),
            "not measured; 'perfmodel measure --kernels K --shape 65x65 --record FILE' does");
  EXPECT_EQ(finding("alignment"),
            "not measured; 'perfmodel measure --kernels K --shape 68x68 --record FILE' does");
  EXPECT_EQ(finding("time against size"),
            "not measured; 'perfmodel measure --kernels K --shape 128x128 --record FILE' does");
  EXPECT_NE(finding("occupancy limit").find("not recorded"), std::string::npos);
  EXPECT_NE(finding("time against clock").find("--lock-gpu-clocks"), std::string::npos);
  EXPECT_EQ(finding("requests"), "");
}

TEST_F(CounterFreeEvidence, FindsTheStrideThatCosts) {
  add("K", 65, 0.3 * 65 * 65 / (64 * 64));
  add("other", 65, 9);
  EXPECT_EQ(finding("N against N+1"),
            "65x65 takes 0.3 times the time per FMA of 64x64: the stride of N alone cost the "
            "difference");
  add("K", 68, 0.3 * 68 * 68 / (64 * 64));
  EXPECT_EQ(finding("alignment"),
            "65x65 takes 1 times the time per FMA of 68x68: the step makes no difference");
}

TEST_F(CounterFreeEvidence, FindsRowsOffTheirBoundaries) {
  add("K", 65, 2.0 * 65 * 65 / (64 * 64));
  add("K", 68, 1.0 * 68 * 68 / (64 * 64));
  EXPECT_NE(finding("alignment").find("off 16-byte boundaries cost time"), std::string::npos);
}

TEST_F(CounterFreeEvidence, TimeGrowsWithTheWorkOrNot) {
  add("K", 32, 0.25);
  EXPECT_NE(finding("time against size").find("work^1.00; it grows with the work"),
            std::string::npos);
  recording_.entries.back().median_s = 0.9;
  EXPECT_NE(finding("time against size").find("slower than the work"), std::string::npos);
  recording_.entries.back().median_s = 0.1;
  EXPECT_NE(finding("time against size").find("faster than the work"), std::string::npos);
}

TEST_F(CounterFreeEvidence, AnotherClockTells) {
  recording_.entries.front().clocks.emplace().sm_clock_hz = 2e9;
  Recording slow = recording_;
  slow.entries.front().clocks->sm_clock_hz = 1e9;
  slow.entries.front().median_s = 2.0;
  others_ = {recording_, slow};
  EXPECT_EQ(
      finding("time against clock"),
      "at 1000 instead of 2000 MHz it takes 2 times as long: 100 % of what the SM clock alone "
      "explains");
  others_[1].entries.front().median_s = 1.0;
  EXPECT_NE(finding("time against clock").find("0 % of what"), std::string::npos);
}

TEST_F(CounterFreeEvidence, RequestsComeFromTheMachineCode) {
  sass::MachineLedger ledger;
  ledger.totals.lsu_wavefronts = 5e9;
  ledger.totals.global_load_requests = 10;
  ledger.totals.global_load_sectors = 160;
  // 5e9 wavefronts over 10 SMs are half of the 1e9 cycles of a second.
  EXPECT_NE(finding("requests", &ledger).find("16 sectors per global load request"),
            std::string::npos);
  EXPECT_NE(finding("requests", &ledger).find("are 50.0 % of the measured cycles"),
            std::string::npos);
}

TEST_F(CounterFreeEvidence, OccupancyIsAsRecorded) {
  recording_.entries.front().occupancy = 0.5;
  recording_.entries.front().blocks_per_sm = 2;
  EXPECT_EQ(finding("occupancy limit"), "2 blocks per SM are resident, 50.0 % of the threads");
}

}  // namespace
}  // namespace perfmodel
