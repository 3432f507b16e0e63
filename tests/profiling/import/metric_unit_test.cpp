#include "profiling/import/metric_unit.hpp"

#include <gtest/gtest.h>

namespace perfmodel::profiling {
namespace {

double factor(std::string_view unit) {
  const std::optional<UnitScale> scale = parse_unit(unit);
  EXPECT_TRUE(scale.has_value()) << unit;
  return scale.value_or(UnitScale{}).factor;
}

TEST(MetricUnit, Durations) {
  for (const auto& [unit, expected] : {std::pair{"second", 1.0},
                                       {"s", 1.0},
                                       {"msecond", 1e-3},
                                       {"ms", 1e-3},
                                       {"usecond", 1e-6},
                                       {"us", 1e-6},
                                       {"\xC2\xB5s", 1e-6},
                                       {"nsecond", 1e-9},
                                       {"ns", 1e-9}}) {
    EXPECT_DOUBLE_EQ(factor(unit), expected) << unit;
    EXPECT_TRUE(parse_unit(unit)->is_time) << unit;
  }
  // Nanoseconds and seconds are whole; the others were rounded.
  EXPECT_FALSE(parse_unit("nsecond")->scaled);
  EXPECT_TRUE(parse_unit("usecond")->scaled);
}

TEST(MetricUnit, BytesAndCounts) {
  for (const auto& [unit, expected] : {std::pair{"byte", 1.0},
                                       {"Kbyte", 1e3},
                                       {"Mbyte", 1e6},
                                       {"Gbyte", 1e9},
                                       {"Tbyte", 1e12},
                                       {"KB", 1e3},
                                       {"KiB", 1024.0},
                                       {"Kbyte/block", 1e3},
                                       {"register/thread", 1.0},
                                       {"inst", 1.0},
                                       {"Minst", 1e6},
                                       {"sector", 1.0},
                                       {"bank_conflict", 1.0},
                                       {"%", 1.0},
                                       {"", 1.0},
                                       {"n/a", 1.0},
                                       {"SM", 1.0},
                                       {"cycle", 1.0},
                                       {"inst/cycle", 1.0}}) {
    EXPECT_DOUBLE_EQ(factor(unit), expected) << unit;
    EXPECT_FALSE(parse_unit(unit)->is_time) << unit;
    EXPECT_FALSE(parse_unit(unit)->is_hertz) << unit;
  }
}

TEST(MetricUnit, Rates) {
  for (const auto& [unit, expected] : {std::pair{"hz", 1.0},
                                       {"Khz", 1e3},
                                       {"Mhz", 1e6},
                                       {"Ghz", 1e9},
                                       {"GHz", 1e9},
                                       {"cycle/second", 1.0},
                                       {"cycle/usecond", 1e6},
                                       {"cycle/nsecond", 1e9},
                                       {"inst/ns", 1e9},
                                       {"byte/s", 1.0},
                                       {"Gbyte/s", 1e9},
                                       {"Gbyte/second", 1e9}}) {
    EXPECT_DOUBLE_EQ(factor(unit), expected) << unit;
    EXPECT_TRUE(parse_unit(unit)->is_hertz) << unit;
  }
  EXPECT_TRUE(parse_unit("cycle/nsecond")->scaled);
  EXPECT_FALSE(parse_unit("cycle/second")->scaled);
}

TEST(MetricUnit, RefusesWhatIsNotKnown) {
  for (const char* unit : {"Foo Bar", "byte/", "3", "thread*inst", "Xbyte", "byte/s/s"}) {
    EXPECT_FALSE(parse_unit(unit)) << unit;
  }
}

}  // namespace
}  // namespace perfmodel::profiling
