#include "model/verdict.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "model/analysis.hpp"

namespace perfmodel {
namespace {

/// A kernel whose figures can be set one by one.
class Verdicts : public ::testing::Test {
 protected:
  Verdicts() {
    device_.fma_per_clk_per_sm.value = 128;
    device_.sm_count.value = 1;
    kernel_.library = "";
    kernel_.work = {1, 1, 1};
    kernel_.median_s = 1.0;
    kernel_.cycles_per_warp_fma = 2.0;
    kernel_.ledger.emplace();
    kernel_.ledger->work = kernel_.work;
    kernel_.ledger->executed_fmas = 1;
    kernel_.ledger->requests_per_fma = 1;
    kernel_.ledger->coalesced_requests_per_fma = 1;
    set_attainment(0.5);
    set_prediction(2.0, Role::held_out);
  }

  void set_attainment(double attainment) {
    kernel_.roofline = evaluate_roofline(1.0, 1.0, attainment);
  }
  void set_prediction(double cycles, Role role) {
    kernel_.predictions = {{"load-count",
                            {{"dist", 1.0, cycles * 0.75}, {"ldg", 1.0, cycles * 0.25}},
                            cycles,
                            cycles / kernel_.cycles_per_warp_fma - 1.0,
                            role}};
  }
  [[nodiscard]] VerdictClass verdict() const { return judge(kernel_, device_).verdict_class; }
  [[nodiscard]] std::string finding(const std::string& topic) const {
    for (const Evidence& line : judge(kernel_, device_).evidence) {
      if (line.topic == topic) {
        return line.finding;
      }
    }
    return "";
  }

  Device device_;
  KernelAnalysis kernel_;
};

TEST_F(Verdicts, AtTheRoofIsBandwidthBound) {
  for (const auto& [attainment, expected] : {std::pair(0.84, VerdictClass::instruction_bound),
                                             std::pair(0.86, VerdictClass::bandwidth_bound),
                                             std::pair(1.04, VerdictClass::bandwidth_bound),
                                             std::pair(1.06, VerdictClass::instruction_bound)}) {
    set_attainment(attainment);
    EXPECT_EQ(verdict(), expected) << attainment;
  }
}

TEST_F(Verdicts, ManyRequestsAreUncoalescedBelowTheRoof) {
  kernel_.ledger->requests_per_fma = Rational(3, 2);
  EXPECT_EQ(verdict(), VerdictClass::instruction_bound);
  kernel_.ledger->requests_per_fma = 33;
  EXPECT_EQ(verdict(), VerdictClass::uncoalesced);
  EXPECT_EQ(judge(kernel_, device_).reason,
            "a warp makes 33 memory requests per FMA where coalesced loads would make 1");
  set_attainment(0.95);
  EXPECT_EQ(verdict(), VerdictClass::bandwidth_bound);
}

TEST_F(Verdicts, GathersAreAnUpperBoundAndConvictNobody) {
  kernel_.ledger->requests_per_fma = 33;
  kernel_.ledger->gather_requests_per_fma = 32;
  EXPECT_EQ(verdict(), VerdictClass::instruction_bound);
  EXPECT_EQ(finding("requests"),
            "a warp makes 33 memory requests per FMA where coalesced loads would make 1; 32 of "
            "them are gathers, an upper bound");
}

TEST_F(Verdicts, PricesThatMissTheTimeDoNotApply) {
  set_prediction(1.6, Role::held_out);
  EXPECT_EQ(verdict(), VerdictClass::instruction_bound);
  set_prediction(1.4, Role::held_out);
  EXPECT_EQ(verdict(), VerdictClass::model_not_applicable);
  EXPECT_EQ(judge(kernel_, device_).reason,
            "load instructions at their load-count prices make up 70 % of the measured cycles");
  set_prediction(2.6, Role::held_out);
  EXPECT_EQ(verdict(), VerdictClass::model_not_applicable);
}

TEST_F(Verdicts, AReferenceIsNotCitedAsEvidence) {
  set_prediction(2.0, Role::reference);
  EXPECT_EQ(verdict(), VerdictClass::instruction_bound);
  EXPECT_NE(judge(kernel_, device_).reason.find("by construction"), std::string::npos);
}

TEST_F(Verdicts, WithoutPricesOrLedgerNoModelApplies) {
  kernel_.predictions.clear();
  EXPECT_EQ(judge(kernel_, device_).reason, "no cost model is calibrated for it");
  kernel_.ledger.reset();
  kernel_.library = "cuBLAS";
  EXPECT_EQ(verdict(), VerdictClass::model_not_applicable);
}

TEST_F(Verdicts, FasterThanTheHardwareIsCalledOut) {
  kernel_.cycles_per_warp_fma = 0.2;
  EXPECT_EQ(finding("FMA pipe"),
            "0.2 cycles per warp-FMA are below the floor of 0.25: the time, the clock or the work "
            "is wrong");
}

TEST_F(Verdicts, PaddingIsEvidenceWhereThereIsAny) {
  EXPECT_EQ(finding("padding"), "");
  kernel_.ledger->executed_fmas = 2;
  EXPECT_EQ(finding("padding"), "50 % of the executed FMAs fall outside the matrices");
}

}  // namespace
}  // namespace perfmodel
