#include "model/spec/catalog.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "model/source_ledger.hpp"
#include "profiling/recording_file.hpp"
#include "tests/support/temporary_folder.hpp"

namespace perfmodel::spec {
namespace {

using testing::error_of;

TEST(ShippedSpecs, EveryDeviceLoads) {
  const Catalog catalog(testing::source_specs());
  const std::vector<std::string> names = catalog.device_names();
  for (const char* name : {"rtx4090", "rtx3090", "a100-40", "a100-80", "h100-sxm", "h100-pcie",
                           "h200", "l4", "l40s", "t4", "v100"}) {
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
  }
  for (const std::string& name : names) {
    EXPECT_EQ(catalog.device(name).name, name);
  }
}

TEST(ShippedSpecs, EveryKernelLoadsAndCountsAtItsDefaultShape) {
  Catalog catalog(testing::source_specs());
  EXPECT_GE(catalog.kernel_names().size(), 11U);
  for (const std::string& name : catalog.kernel_names()) {
    const KernelSpec& kernel = catalog.kernel(name);
    EXPECT_GE(evaluate_work(kernel, kernel.default_shape).fmas, 1);
    if (kernel.ledger) {
      EXPECT_GT(evaluate_source_ledger(kernel, kernel.default_shape).arithmetic_intensity, 0)
          << name;
    }
  }
}

// Loads and stores move exactly what the tiles hold where the tiles fit: a slip in `elements` or
// `per_thread` of a tiled kernel shows here.
TEST(ShippedSpecs, TiledKernelsWasteNothingAtMultiplesOfTheTile) {
  Catalog catalog(testing::source_specs());
  const Shape tile_multiple({{"m", 256}, {"n", 256}, {"k", 256}});
  for (const char* name : {"K1", "K2", "K3", "K3c", "K4", "K5", "K6"}) {
    const KernelSpec& kernel = catalog.kernel(name);
    const SourceLedger ledger = evaluate_source_ledger(kernel, tile_multiple);
    EXPECT_EQ(ledger.executed_fmas, ledger.work.fmas) << name;
    Rational moved = 0;
    const std::int64_t bytes = kernel.ledger->element_bytes;
    for (const Loop& loop : kernel.ledger->loops) {
      for (const GlobalAccess& load : loop.global_loads) {
        moved += ledger.threads * loop.trips.evaluate(tile_multiple) * load.per_thread *
                 load.width * bytes;
      }
    }
    for (const GlobalAccess& store : kernel.ledger->global_stores) {
      moved += ledger.threads * store.per_thread * store.width * bytes;
    }
    EXPECT_EQ(ledger.bytes_per_output * ledger.work.outputs, moved) << name;
  }
}

TEST(ShippedSpecs, EveryRecordingLoadsAndNamesKnownKernelsAndDevices) {
  Catalog catalog(testing::source_specs());
  for (const std::string& device : catalog.recorded_devices()) {
    for (const auto& file : catalog.recording_files(device)) {
      const Recording recording = profiling::read_recording(file);
      EXPECT_EQ(recording.device, device) << file;
      EXPECT_EQ(catalog.device(recording.device).name, device);
      for (const Measurement& entry : recording.entries) {
        if (entry.foreign) {
          continue;
        }
        const KernelSpec& kernel = catalog.kernel(entry.kernel);
        EXPECT_EQ(entry.shape.ordered_as(kernel.dimensions), entry.shape);
      }
    }
  }
}

TEST(Catalog, SuggestsTheNearestName) {
  Catalog catalog(testing::source_specs());
  EXPECT_EQ(error_of([&] { (void)catalog.device("rtx409"); }).substr(0, 58),
            "there is no device 'rtx409' (did you mean 'rtx4090'?); 'pe");
  EXPECT_EQ(error_of([&] { catalog.kernel("K3d"); }).substr(0, 50),
            "there is no kernel 'K3d' (did you mean 'K3'?); 'pe");
}

TEST(Catalog, RefusesAFileThatHoldsAnotherName) {
  const testing::TemporaryFolder folder;
  const std::string k3 = testing::read_file(testing::source_specs() / "kernels/K3.yaml");
  const auto file = folder.write("kernels/mine.yaml", k3);
  Catalog catalog(folder.path());
  EXPECT_EQ(error_of([&] { catalog.kernel("mine"); }),
            file.string() + ": holds 'K3'; a specification file is named after what it holds");
}

TEST(Catalog, ReadsAFileOutsideTheFolder) {
  const testing::TemporaryFolder folder;
  const std::string k3 = testing::read_file(testing::source_specs() / "kernels/K3.yaml");
  const auto file = folder.write("K3.yaml", k3);
  Catalog catalog(testing::source_specs());
  EXPECT_EQ(catalog.kernel(file.string()).name, "K3");
}

TEST(IsPath, TellsFilesFromNames) {
  EXPECT_TRUE(is_path("./x", ".yaml"));
  EXPECT_TRUE(is_path("x.yaml", ".yaml"));
  EXPECT_FALSE(is_path("x.yaml", ".json"));
  EXPECT_FALSE(is_path("rtx4090", ".yaml"));
}

}  // namespace
}  // namespace perfmodel::spec
