#include "model/sass/ledger_audit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace perfmodel::sass {
namespace {

const AuditFigure& named(const std::vector<AuditFigure>& figures, const std::string& name) {
  for (const AuditFigure& figure : figures) {
    if (figure.name == name) {
      return figure;
    }
  }
  throw std::out_of_range(name);
}

TEST(LedgerAudit, ComparesCountsWithCounters) {
  MachineTotals totals;
  totals.warp_instructions = 1000;
  totals.global_load_sectors = 500;
  totals.lsu_wavefronts = 99;
  const auto figures = audit_ledger(totals, nullptr,
                                    {{"smsp__inst_executed.sum", 1000},
                                     {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 502},
                                     {"l1tex__data_pipe_lsu_wavefronts.sum", 100}});
  ASSERT_EQ(figures.size(), 3U);  // those that are 0 everywhere are left out
  EXPECT_EQ(named(figures, "warp instructions").difference(), 0.0);
  EXPECT_EQ(named(figures, "warp instructions").passed(), true);
  EXPECT_NEAR(named(figures, "global load sectors").difference().value(), 500.0 / 502 - 1, 1e-12);
  EXPECT_EQ(named(figures, "global load sectors").passed(), false);  // 0.4 % of 0.1 % allowed
  EXPECT_EQ(named(figures, "LSU wavefronts").passed(), true);        // 1 % of 2 % allowed
}

TEST(LedgerAudit, WithoutACounterNothingIsJudged) {
  MachineTotals totals;
  totals.warp_instructions = 1000;
  const auto figures = audit_ledger(totals, nullptr, {});
  ASSERT_EQ(figures.size(), 1U);
  EXPECT_EQ(figures[0].measured, std::nullopt);
  EXPECT_EQ(figures[0].difference(), std::nullopt);
  EXPECT_EQ(figures[0].passed(), std::nullopt);
}

TEST(LedgerAudit, WhatHardwareNeverCountedIsADifferenceWithoutBound) {
  MachineTotals totals;
  totals.global_store_sectors = 4;
  const auto figures =
      audit_ledger(totals, nullptr, {{"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", 0}});
  ASSERT_EQ(figures.size(), 1U);
  EXPECT_TRUE(std::isinf(figures[0].difference().value()));
  EXPECT_EQ(figures[0].passed(), false);
}

TEST(LedgerAudit, WhatOnlyHardwareCountedIsShown) {
  const auto figures = audit_ledger({}, nullptr, {{"smsp__inst_executed.sum", 5}});
  ASSERT_EQ(figures.size(), 1U);
  EXPECT_EQ(figures[0].difference(), -1.0);
  EXPECT_EQ(figures[0].passed(), false);
}

TEST(LedgerAudit, TheSourceStandsBeside) {
  MachineTotals totals;
  totals.shared_load_instructions = 40;
  totals.fp32_fmas = 3200;
  LedgerComparison source;
  source.useful_fmas = 3200;
  source.rows = {
      {"dist", "", 1.0, 0, 0, {}}, {"bcast", "", 0.5, 0, 0, {}}, {"fma", "", 1.0, 0, 0, {}}};
  const auto figures = audit_ledger(totals, &source, {});
  EXPECT_EQ(named(figures, "shared load instructions").source, 150.0);  // 1.5 x 3200 / 32
  EXPECT_EQ(named(figures, "fp32 multiply-adds").source, 3200.0);
}

TEST(LedgerAudit, EveryMetricIsNamedOnce) {
  std::set<std::string> metrics;
  for (const AuditedCount& count : audited_counts()) {
    EXPECT_TRUE(metrics.insert(count.metric).second) << count.metric;
  }
}

}  // namespace
}  // namespace perfmodel::sass
