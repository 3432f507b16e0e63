#include <gtest/gtest.h>

#include "model/spec/cost_table_file.hpp"
#include "tests/support/temporary_folder.hpp"

namespace perfmodel::spec {
namespace {

using testing::error_of;
using testing::replaced;

CostTable example() {
  CostTable table;
  table.model = "load-count";
  table.basis = {"rtx4090", "ladder", "measured", 2.64e9, 2};
  table.costs = {{"dist", 2.0 / 3.0, 0.1}, {"bcast", 0.5, std::nullopt}, {"ldg", -1e-300, 1e300}};
  table.references = {{"K2", Shape({{"m", 4096}, {"n", 1}, {"k", 7}}), 3.88, 1e-17, -0.25},
                      {"K3", Shape({{"m", 1}, {"n", 1}, {"k", 1}}), 0.1, 0.0, std::nullopt}};
  table.condition_number = 2.9173;
  return table;
}

TEST(CostTables, ReadBackExactly) {
  const testing::TemporaryFolder folder;
  const CostTable written = example();
  const auto file = folder.write("costs.yaml", write_cost_tables(std::vector{written}));
  const std::vector<CostTable> tables = read_cost_tables(file);
  ASSERT_EQ(tables.size(), 1U);
  const CostTable& read = tables.front();
  EXPECT_EQ(read.model, written.model);
  EXPECT_EQ(read.basis, written.basis);
  EXPECT_EQ(read.condition_number, written.condition_number);
  ASSERT_EQ(read.costs.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(read.costs[i].name, written.costs[i].name);
    EXPECT_EQ(read.costs[i].cycles, written.costs[i].cycles);
    EXPECT_EQ(read.costs[i].std_error, written.costs[i].std_error);
  }
  ASSERT_EQ(read.references.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(read.references[i].kernel, written.references[i].kernel);
    EXPECT_EQ(read.references[i].shape, written.references[i].shape);
    EXPECT_EQ(read.references[i].cycles_per_warp_fma, written.references[i].cycles_per_warp_fma);
    EXPECT_EQ(read.references[i].residual, written.references[i].residual);
    EXPECT_EQ(read.references[i].leave_one_out_error, written.references[i].leave_one_out_error);
  }
}

class BadCostTable : public ::testing::Test {
 protected:
  std::string error_with(std::string_view from, std::string_view to) {
    const auto file =
        folder_.write("c.yaml", replaced(write_cost_tables(std::vector{example()}), from, to));
    return error_of([&] { read_cost_tables(file); }).substr(folder_.path().string().size());
  }
  testing::TemporaryFolder folder_;
};

TEST_F(BadCostTable, UnknownModel) {
  EXPECT_EQ(error_with("model: load-count", "model: load-cost"),
            "/c.yaml:3:5: there is no model 'load-cost' (did you mean 'load-count'?); there are "
            "load-count, request");
}

TEST_F(BadCostTable, WrongColumns) {
  EXPECT_EQ(error_with("name: bcast", "name: broad"),
            "/c.yaml:3:5: model load-count prices dist, bcast, ldg, not dist, broad, ldg");
}

TEST_F(BadCostTable, NotANumber) {
  EXPECT_EQ(error_with("cost_cycles: 0.5", "cost_cycles: .nan"),
            "/c.yaml:12:36: cost_cycles must be a number, not '.nan'");
}

TEST_F(BadCostTable, ModelTwice) {
  const testing::TemporaryFolder folder;
  const auto file = folder.write("c.yaml", write_cost_tables(std::vector{example(), example()}));
  const std::string error = error_of([&] { read_cost_tables(file); });
  EXPECT_NE(error.find("model load-count has two cost tables"), std::string::npos) << error;
}

}  // namespace
}  // namespace perfmodel::spec
