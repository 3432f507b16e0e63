#include "reports/machine_ledger_report.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "tests/support/machine_ledgers.hpp"

namespace perfmodel::reports {
namespace {

using testing::small_k3;

std::string terminal_text(const sass::MachineLedger& ledger, const MachineLedgerView& view,
                          std::size_t width = 80) {
  return render(machine_ledger_report(ledger, view), Format::table, {width, false});
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(MachineLedgerReport, SaysWhatWasEmulated) {
  sass::MachineLedger ledger = small_k3();
  EXPECT_TRUE(contains(terminal_text(ledger, {}), "Its one block was emulated."));
  ledger.blocks_total = 4;
  EXPECT_TRUE(contains(terminal_text(ledger, {}), "All 4 blocks were emulated."));
  ledger.sampling = sass::Sampling::random;
  ledger.blocks_total = 1000;
  ledger.blocks_emulated = 64;
  ledger.relative_uncertainty = 0.0123;
  ledger.data_independent = false;
  const std::string text = terminal_text(ledger, {}, 200);
  EXPECT_TRUE(contains(text,
                       "64 of 1000 blocks were emulated, chosen at random: totals are estimates, "
                       "instructions to 1.2 % (95 % confidence)."))
      << text;
  EXPECT_TRUE(contains(text, "Counts hold for these contents of the buffers"));
}

TEST(MachineLedgerReport, CountsAreWholeAndPerFma) {
  const std::string text = terminal_text(small_k3(), {});
  EXPECT_TRUE(contains(text, "LSU wavefronts            1600   1.5625\n")) << text;
  EXPECT_TRUE(contains(text, "0x0030        256         512    512 ")) << text;
}

TEST(MachineLedgerReport, FitsTheTerminal) {
  for (const bool annotate : {false, true}) {
    for (const std::size_t width : {60U, 80U, 200U}) {
      std::istringstream lines(
          terminal_text(small_k3(), {"", "", nullptr, nullptr, annotate}, width));
      for (std::string line; std::getline(lines, line);) {
        EXPECT_LE(line.size(), width) << line;
      }
    }
  }
}

TEST(MachineLedgerReport, ShowsTheLargestOpcodesAndTheRest) {
  MachineLedgerView view;
  view.top_opcodes = 2;
  const std::string text = terminal_text(small_k3(), view);
  EXPECT_TRUE(contains(text, "4 others          416")) << text;
  view.top_opcodes = 5;
  EXPECT_FALSE(contains(terminal_text(small_k3(), view), "others"));
}

TEST(MachineLedgerReport, ShowsDefectsAndDoubts) {
  sass::MachineLedger ledger = small_k3();
  ledger.defects = {{sass::DefectKind::out_of_bounds, 16, "k3.cu", 31,
                     "thread (5,0,0) reads 4 bytes behind buffer 1", 3}};
  ledger.not_computed = {{"HMMA.16816.F32", 12}};
  ledger.unknown = {{"FROB.X", 1}};
  const std::string text = terminal_text(ledger, {}, 120);
  EXPECT_TRUE(contains(
      text, "0x0010   out of bounds      3  k3.cu:31  thread (5,0,0) reads 4 bytes behind"))
      << text;
  EXPECT_TRUE(contains(text, "HMMA.16816.F32"));
  EXPECT_TRUE(contains(text, "No address and no branch depended on them: the counts stand."));
  EXPECT_TRUE(contains(text, "FROB.X"));
  ledger.results_affected = true;
  EXPECT_TRUE(contains(terminal_text(ledger, {}, 120), "the counts may be wrong."));
}

TEST(MachineLedgerReport, JsonHasTheDocumentedTotalsAsIntegers) {
  const nlohmann::ordered_json json = machine_ledger_report(small_k3(), {"K3", "", nullptr}).json;
  EXPECT_EQ(json.at("schema"), "perfmodel.machine-ledger/1");
  EXPECT_EQ(json.at("kernel"), "K3");
  EXPECT_EQ(json.at("function"), "_ZN9perfmodel7kernels8sgemm_k3EPKfS2_Pfiii");
  EXPECT_EQ(json.at("arch"), "sm_90");
  const auto& machine = json.at("machine");
  EXPECT_TRUE(machine.at("warp_instructions").is_number_integer());
  EXPECT_EQ(machine.at("warp_instructions"), 2464);
  EXPECT_EQ(machine.at("by_pipe").at("lsu"), 1344);
  EXPECT_EQ(machine.at("by_opcode").at("LDS.128"), 256);
  for (const char* key :
       {"thread_instructions", "shared_load_instructions", "shared_load_wavefronts",
        "shared_store_wavefronts", "global_load_requests", "global_load_sectors",
        "global_store_requests", "global_store_sectors", "lsu_wavefronts", "barriers"}) {
    EXPECT_TRUE(machine.at(key).is_number_integer()) << key;
  }
  EXPECT_EQ(json.at("instructions").size(), 7U);
  EXPECT_EQ(json.at("instructions")
                .at(3)
                .at("memory")
                .at("by_access")
                .at(sass::access_class_name(sass::AccessClass::broadcast)),
            256);
  EXPECT_EQ(json.at("loops").at(0).at("trip_count"), 1);
}

TEST(MachineLedgerReport, CsvHasEveryFigureOrTheListing) {
  const auto lines_of = [](const Report& report) {
    const std::string csv = render(report, Format::csv, {});
    return std::count(csv.begin(), csv.end(), '\n');
  };
  const Report figures = machine_ledger_report(small_k3(), {});
  const std::string csv = render(figures, Format::csv, {});
  EXPECT_TRUE(csv.starts_with("section,item,figure,value\r\n"));
  EXPECT_TRUE(contains(csv, "\r\nopcode,LDS.128,count,256\r\n"));
  EXPECT_TRUE(contains(csv, "\r\ninstruction,0x0030,wavefronts,512\r\n"));
  const Report listing = machine_ledger_report(small_k3(), {"", "", nullptr, nullptr, true});
  EXPECT_EQ(lines_of(listing), 8);
  EXPECT_TRUE(contains(render(listing, Format::csv, {}),
                       "0x0030,256,1,512,,/somewhere/k3.cu:34,\"LDS.128 R0, R1, R2\"\r\n"));
}

TEST(MachineLedgerReport, BytesThatAreNoTextDoNoHarm) {
  sass::MachineLedger ledger = small_k3();
  ledger.lines[0].source_file = "\xff\x1b.cu";
  ledger.kernel = "\xfe\x1b[2J";
  const Report report = machine_ledger_report(ledger, {});
  EXPECT_NO_THROW(render(report, Format::json, {}));
  EXPECT_FALSE(contains(render(report, Format::table, {80, false}), "\x1b"));
}

}  // namespace
}  // namespace perfmodel::reports
