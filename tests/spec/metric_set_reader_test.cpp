#include "model/spec/metric_set_reader.hpp"

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.hpp"

namespace perfmodel::spec {
namespace {

using testing::error_of;
using testing::replaced;

constexpr const char* good = R"(schema: perfmodel.metrics/1
name: some
title: Some counters
metrics:
  - {name: a__one.sum, means: one}
  - {name: a__two.avg.per_second, or: a__three.sum, means: two}
)";

TEST(MetricSetReader, ReadsEveryField) {
  const testing::TemporaryFolder folder;
  const MetricSet set = read_metric_set(folder.write("some.yaml", good));
  EXPECT_EQ(set.name, "some");
  EXPECT_EQ(set.title, "Some counters");
  ASSERT_EQ(set.metrics.size(), 2U);
  EXPECT_EQ(set.metrics[0].name, "a__one.sum");
  EXPECT_EQ(set.metrics[0].alternative, "");
  EXPECT_EQ(set.metrics[1].alternative, "a__three.sum");
  EXPECT_EQ(set.metrics[1].meaning, "two");
}

TEST(MetricSetReader, RefusesWhatIsNoMetric) {
  const testing::TemporaryFolder folder;
  for (const char* bad : {"a__one", "a_one.sum", "A__one.sum", "a__one.", ".sum"}) {
    const auto file = folder.write("some.yaml", replaced(good, "a__one.sum", bad));
    EXPECT_EQ(error_of([&] { read_metric_set(file); }),
              file.string() + ":5:12: metric '" + bad +
                  "' must be a name with its roll-up, such as smsp__inst_executed.sum");
  }
}

TEST(MetricSetReader, RefusesAMetricTwice) {
  const testing::TemporaryFolder folder;
  const auto file =
      folder.write("some.yaml", replaced(good, "a__two.avg.per_second", "a__one.sum"));
  EXPECT_EQ(error_of([&] { read_metric_set(file); }),
            file.string() + ":6:5: metric 'a__one.sum' stands here twice");
}

TEST(MetricSetReader, RefusesUnknownKeys) {
  const testing::TemporaryFolder folder;
  const auto file = folder.write("some.yaml", replaced(good, "means: one", "mean: one"));
  EXPECT_EQ(error_of([&] { read_metric_set(file); }),
            file.string() + ":5:24: metric: unknown key 'mean' (did you mean 'means'?)");
}

}  // namespace
}  // namespace perfmodel::spec
