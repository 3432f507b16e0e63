#include <gtest/gtest.h>

#include <cstdlib>

#include "model/metric_set.hpp"
#include "model/spec/catalog.hpp"
#include "profiling/counters/cupti_api.hpp"
#include "profiling/counters/metric_host.hpp"
#include "profiling/counters/range_profiler.hpp"

namespace perfmodel::profiling {
namespace {

std::vector<MetricChoice> choices(const std::vector<const char*>& names) {
  std::vector<MetricChoice> list;
  for (const char* name : names) {
    list.push_back({name, "", ""});
  }
  return list;
}

/// Runs against tests/support/fake_cupti.cpp.
class FakeCupti : public ::testing::Test {
 protected:
  void SetUp() override { api_ = open_cupti({PERFMODEL_FAKE_CUPTI}); }
  void TearDown() override {
    for (const char* variable : {"FAKE_CUPTI_FAILS", "FAKE_CUPTI_UNFIT", "FAKE_CUPTI_RANGES"}) {
      unsetenv(variable);
    }
  }

  /// The refusal of a collection of one launch, or nothing where it works.
  std::optional<Refusal> refusal() {
    try {
      collect(ReplayMode::user);
    } catch (const CounterRefused& refused) {
      return refused.refusal();
    }
    return std::nullopt;
  }

  std::map<std::string, double, std::less<>> collect(ReplayMode mode) {
    const MetricHost host(api_, chip_name(*api_, 0), counter_availability(*api_, nullptr, 0));
    const MetricConfiguration configuration =
        host.configure(choices({"xx__one.sum", "xx__one.max", "xx__two.sum"}));
    RangeProfiler profiler(api_, nullptr);
    return profiler.collect(host, configuration, {[this] { ++prepared_; }, [this] { ++launched_; }},
                            mode);
  }

  std::shared_ptr<const CuptiApi> api_;
  int prepared_ = 0;
  int launched_ = 0;
};

TEST_F(FakeCupti, CollectsEveryPass) {
  const auto values = collect(ReplayMode::user);
  EXPECT_EQ(launched_, 3);
  EXPECT_EQ(prepared_, 3);
  EXPECT_EQ(values.at("xx__one.sum"), 1);
  EXPECT_EQ(values.at("xx__one.max"), 3);
  EXPECT_EQ(values.at("xx__two.sum"), 2e-9);  // nanoseconds become seconds
}

TEST_F(FakeCupti, SumsOfSeveralKernelsAreAddedUp) {
  setenv("FAKE_CUPTI_RANGES", "3", 1);
  const auto values = collect(ReplayMode::kernel);
  EXPECT_EQ(values.at("xx__one.sum"), 3);
  EXPECT_FALSE(values.contains("xx__one.max"));
  setenv("FAKE_CUPTI_RANGES", "0", 1);
  EXPECT_EQ(refusal().value().explanation, "CUPTI saw no kernel in the launch.");
}

TEST_F(FakeCupti, ListsChipsAndMetrics) {
  EXPECT_EQ(MetricHost::chips(*api_), (std::vector<std::string>{"XX100", "XX102"}));
  const std::vector<MetricProperties> metrics = MetricHost(api_, "XX100").metrics();
  ASSERT_EQ(metrics.size(), 2U);
  EXPECT_EQ(metrics[0], (MetricProperties{"xx__one", "a count", "xx", ""}));
  EXPECT_EQ(metrics[1], (MetricProperties{"xx__two", "a count", "xx", "nanosecond"}));
}

TEST_F(FakeCupti, NamesTheMetricsThatTheChipLacks) {
  const MetricHost host(api_, "XX100");
  std::vector<MetricChoice> wanted = choices({"xx__one.sum", "xx__three.sum", "xx__four.sum"});
  wanted.back().alternative = "xx__two.sum";
  const MetricConfiguration configuration = host.configure(wanted);
  EXPECT_EQ(configuration.metrics, (std::vector<std::string>{"xx__one.sum", "xx__two.sum"}));
  EXPECT_EQ(configuration.not_known, std::vector<std::string>{"xx__three.sum"});
  EXPECT_EQ(configuration.passes, 3U);
  EXPECT_EQ(configuration.image, std::vector<std::uint8_t>(16, 7));
}

TEST_F(FakeCupti, NoMetricAtAllIsNoConfiguration) {
  const MetricConfiguration configuration =
      MetricHost(api_, "XX100").configure(choices({"xx__three.sum"}));
  EXPECT_TRUE(configuration.metrics.empty());
  EXPECT_EQ(configuration.passes, 0U);
}

struct Failure {
  const char* fails;  ///< FAKE_CUPTI_FAILS
  RefusalKind kind;
  const char* explanation;  ///< part of it

  friend void PrintTo(const Failure& failure, std::ostream* out) { *out << failure.fails; }
};

class FakeCuptiFails : public FakeCupti, public ::testing::WithParamInterface<Failure> {};

TEST_P(FakeCuptiFails, IsARefusalWithARemedy) {
  setenv("FAKE_CUPTI_FAILS", GetParam().fails, 1);
  const std::optional<Refusal> refused = refusal();
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->kind, GetParam().kind) << refused->paragraph();
  EXPECT_NE(refused->explanation.find(GetParam().explanation), std::string::npos)
      << refused->explanation;
  EXPECT_FALSE(refused->remedy.empty());
}

INSTANTIATE_TEST_SUITE_P(
    Codes, FakeCuptiFails,
    ::testing::Values(
        Failure{"cuptiProfilerInitialize=35", RefusalKind::insufficient_privileges,
                "cuptiProfilerInitialize: CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"},
        Failure{"cuptiProfilerGetCounterAvailability=35", RefusalKind::insufficient_privileges,
                "administrators"},
        Failure{"cuptiRangeProfilerEnable=35", RefusalKind::insufficient_privileges,
                "ERR_NVGPUCTRPERM"},
        Failure{"cuptiRangeProfilerEnable=40", RefusalKind::virtual_device, "guests"},
        Failure{"cuptiProfilerDeviceSupported=33", RefusalKind::virtual_device, "virtual device"},
        Failure{"cuptiRangeProfilerEnable=39", RefusalKind::other_profiler, "Another profiler"},
        Failure{"cuptiRangeProfilerSetConfig=26", RefusalKind::other_profiler, "another process"},
        Failure{"cuptiRangeProfilerEnable=41", RefusalKind::unsupported_device, "confidential"},
        Failure{"cuptiRangeProfilerEnable=42", RefusalKind::unsupported_device, "Mining"},
        Failure{"cuptiRangeProfilerEnable=43", RefusalKind::unsupported_device, "MIG"},
        Failure{"cuptiRangeProfilerEnable=44", RefusalKind::unsupported_device, "SLI"},
        Failure{"cuptiRangeProfilerEnable=45", RefusalKind::unsupported_device, "WSL"},
        Failure{"cuptiProfilerHostInitialize=46", RefusalKind::incompatible_library,
                "does not know this GPU"},
        Failure{"cuptiRangeProfilerEnable=14", RefusalKind::incompatible_library, "driver"},
        Failure{"cuptiRangeProfilerGetCounterDataSize=8", RefusalKind::failed, "memory"},
        Failure{"cuptiRangeProfilerStart=7", RefusalKind::failed, "error 7"},
        Failure{"cuptiRangeProfilerStop=999", RefusalKind::failed, "error 999"},
        Failure{"cuptiRangeProfilerDecodeData=1", RefusalKind::failed, "error 1"},
        Failure{"cuptiProfilerHostEvaluateToGpuValues=1", RefusalKind::failed, "error 1"},
        Failure{"cuptiDeviceGetChipName=2", RefusalKind::failed, "error 2"}));

TEST_F(FakeCupti, ModesWithoutCountersAreToldApart) {
  setenv("FAKE_CUPTI_UNFIT", "vgpu", 1);
  EXPECT_EQ(refusal().value().kind, RefusalKind::virtual_device);
  setenv("FAKE_CUPTI_UNFIT", "cc", 1);
  EXPECT_EQ(refusal().value().kind, RefusalKind::unsupported_device);
  EXPECT_NE(refusal().value().explanation.find("confidential computing"), std::string::npos);
}

TEST_F(FakeCupti, AMissingFunctionIsAnOlderLibrary) {
  // The fake has no activity records.
  try {
    api_->activity_enable(CUPTI_ACTIVITY_KIND_KERNEL);
    FAIL();
  } catch (const CounterRefused& refused) {
    EXPECT_EQ(refused.refusal().kind, RefusalKind::incompatible_library);
    EXPECT_EQ(refused.refusal().explanation,
              "The installed CUPTI has no function cuptiActivityEnable.");
  }
}

TEST(Cupti, NoLibraryNamesThePlacesTried) {
  try {
    open_cupti({"/nowhere/libcupti.so.13"});
    FAIL();
  } catch (const CounterRefused& refused) {
    EXPECT_EQ(refused.refusal().kind, RefusalKind::no_library);
    EXPECT_NE(refused.refusal().explanation.find("/nowhere/libcupti.so.13"), std::string::npos);
  }
}

TEST(Cupti, AnyOtherLibraryIsTooOld) {
  try {
    open_cupti({"libm.so.6"});
    FAIL();
  } catch (const CounterRefused& refused) {
    EXPECT_NE(refused.refusal().explanation.find("older than CUDA 12.6"), std::string::npos);
  }
}

/// The host half of the real library, where it is installed; it needs no GPU.
class RealCupti : public ::testing::Test {
 protected:
  void SetUp() override {
    try {
      api_ = open_cupti(cupti_places());
    } catch (const CounterRefused& refused) {
      GTEST_SKIP() << "skipped: " << refused.what();
    }
  }
  std::shared_ptr<const CuptiApi> api_;
};

TEST_F(RealCupti, EveryChipOfTheCatalogueHasTheMetricsOfTheSets) {
  const spec::Catalog catalog(PERFMODEL_SPECS);
  std::vector<MetricChoice> metrics;
  for (const MetricSet& set : catalog.metric_sets()) {
    metrics.insert(metrics.end(), set.metrics.begin(), set.metrics.end());
  }
  const std::vector<std::string> chips = MetricHost::chips(*api_);
  std::vector<std::string> tried;
  for (const std::string& name : catalog.device_names()) {
    const std::string chip = catalog.device(name).chip;
    if (std::ranges::find(chips, chip) == chips.end() ||
        std::ranges::find(tried, chip) != tried.end()) {
      continue;
    }
    tried.push_back(chip);
    const MetricConfiguration configuration = MetricHost(api_, chip).configure(metrics);
    EXPECT_GT(configuration.passes, 0U) << chip;
    EXPECT_FALSE(configuration.image.empty()) << chip;
    // One stall reason is gone from the newest chips.
    EXPECT_LE(configuration.not_known.size(), 1U) << chip;
  }
  EXPECT_GE(tried.size(), 4U);
}

TEST_F(RealCupti, OneConfigurationSharesPasses) {
  const MetricHost host(api_, "GH100");
  const std::vector<MetricChoice> both =
      choices({"smsp__inst_executed.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"});
  const MetricConfiguration together = host.configure(both);
  const std::size_t apart =
      host.configure({both.data(), 1}).passes + host.configure({both.data() + 1, 1}).passes;
  EXPECT_EQ(together.passes, 1U);
  EXPECT_EQ(apart, 2U);
}

TEST_F(RealCupti, PropertiesComeWithUnits) {
  const std::vector<MetricProperties> metrics = MetricHost(api_, "GH100").metrics();
  EXPECT_GT(metrics.size(), 3000U);
  const auto bytes = std::ranges::find(metrics, "dram__bytes_read", &MetricProperties::name);
  ASSERT_NE(bytes, metrics.end());
  EXPECT_EQ(bytes->dimension, "byte");
  EXPECT_EQ(bytes->hardware_unit, "dram");
}

}  // namespace
}  // namespace perfmodel::profiling
