#include "reports/machine_ledger_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <span>
#include <utility>
#include <vector>

#include "model/device.hpp"
#include "model/sass/find_function.hpp"
#include "model/text.hpp"
#include "reports/cells.hpp"
#include "reports/machine_ledger_json.hpp"

namespace perfmodel::reports {
namespace {

using sass::AccessClass;
using sass::LedgerLine;
using sass::MachineLedger;
using sass::MemorySpace;

constexpr double sector_bytes = 32;
constexpr std::size_t longest_text = 400;

/// A count in full where it is whole and people can read it, else six significant digits.
std::string count_text(double count) {
  constexpr double longest_in_full = 1e15;
  if (count == std::floor(count) && std::abs(count) < longest_in_full) {
    return fmt::format("{}", static_cast<std::int64_t>(count));
  }
  return fmt::format("{:.6g}", count);
}

Cell whole_cell(double count) { return {count_text(count), full_precision(count)}; }

/// Nothing in place of a zero that would only hide the other figures.
Cell nonzero_cell(double count) { return count == 0 ? no_cell() : whole_cell(count); }

Cell address_cell(std::uint32_t address) { return text_cell(fmt::format("0x{:04x}", address)); }

Cell code_cell(const std::string& text) { return text_cell(printable(text, longest_text)); }

Cell place_cell(const std::string& file, std::uint32_t line) {
  if (file.empty()) {
    return no_cell();
  }
  const std::string name = std::filesystem::path(file).filename().string();
  return {fmt::format("{}:{}", printable(name), line),
          fmt::format("{}:{}", printable(file, longest_text), line)};
}

bool touches_memory(const LedgerLine& line) {
  return line.space != MemorySpace::none && line.space != MemorySpace::constant;
}

bool moves_sectors(const LedgerLine& line) {
  return line.counts.sectors > 0 && line.space != MemorySpace::shared;
}

/// "strided 16384 B"; with its share where a request in a thousand is of another class.
std::string access_text(const LedgerLine& line) {
  const auto& by_access = line.counts.by_access;
  const auto* const most = std::ranges::max_element(by_access);
  double all = 0;
  for (const double requests : by_access) {
    all += requests;
  }
  if (*most <= 0) {
    return "";
  }
  const auto access = static_cast<AccessClass>(most - by_access.begin());
  std::string text = sass::access_class_name(access);
  if (access == AccessClass::strided) {
    text += fmt::format(" {} B", count_text(line.counts.stride_bytes));
  }
  constexpr double pure = 0.999;
  return *most < pure * all ? fmt::format("{} {:.0f} %", text, 100 * *most / all) : text;
}

std::string extents_text(const std::array<std::uint32_t, 3>& extents) {
  return extents[2] == 1 ? fmt::format("{}x{}", extents[0], extents[1])
                         : fmt::format("{}x{}x{}", extents[0], extents[1], extents[2]);
}

std::string sampling_text(const MachineLedger& ledger) {
  switch (ledger.sampling) {
    case sass::Sampling::all:
      return ledger.blocks_total == 1
                 ? "Its one block was emulated."
                 : fmt::format("All {} blocks were emulated.", ledger.blocks_total);
    case sass::Sampling::classes:
      return fmt::format(
          "{} of {} blocks were emulated: one of each class of blocks that agree, so the totals "
          "are exact.",
          ledger.blocks_emulated, ledger.blocks_total);
    case sass::Sampling::random:
      return fmt::format(
          "{} of {} blocks were emulated, chosen at random: totals are estimates{}. --all-blocks "
          "counts exactly.",
          ledger.blocks_emulated, ledger.blocks_total,
          ledger.relative_uncertainty > 0
              ? fmt::format(", instructions to {:.2g} % (95 % confidence)",
                            100 * ledger.relative_uncertainty)
              : ", though these blocks ran equally many instructions");
  }
  return "";
}

/// How the distinct bytes are known, in a sentence.
std::string basis_text(const sass::Footprint& footprint) {
  switch (footprint.basis) {
    case sass::FootprintBasis::all_blocks:
      return "exact, from all of its blocks";
    case sass::FootprintBasis::law:
      return fmt::format(
          "exact: the law by which addresses move from block to block, verified on {} blocks",
          footprint.blocks_verified);
    case sass::FootprintBasis::estimate:
      return fmt::format("estimated from random blocks; at most {} bytes loaded and {} stored",
                         count_text(std::round(footprint.loads.most_bytes)),
                         count_text(std::round(footprint.stores.most_bytes)));
  }
  return "";
}

/// A figure of the report with its name for people and for programs.
struct Total {
  const char* title;
  const char* key;
  double count;
  double lanes;        ///< what one of them stands for per FMA: 32 for a warp-wide event
  bool always = true;  ///< shown even where it is zero
};

std::vector<Total> totals_of(const sass::MachineTotals& totals) {
  constexpr double warp = warp_lanes;
  return {
      {"warp instructions", "warp_instructions", totals.warp_instructions, warp},
      {"thread instructions", "thread_instructions", totals.thread_instructions, 1},
      {"fp32 multiply-adds", "fp32_fmas", totals.fp32_fmas, 1, false},
      {"fp64 multiply-adds", "fp64_fmas", totals.fp64_fmas, 1, false},
      {"fp16 multiply-adds (HFMA2)", "fp16_fmas", totals.fp16_fmas, 1, false},
      {"shared loads", "shared_load_instructions", totals.shared_load_instructions, warp, false},
      {"shared load wavefronts", "shared_load_wavefronts", totals.shared_load_wavefronts, warp,
       false},
      {"shared stores", "shared_store_instructions", totals.shared_store_instructions, warp, false},
      {"shared store wavefronts", "shared_store_wavefronts", totals.shared_store_wavefronts, warp,
       false},
      {"global load requests", "global_load_requests", totals.global_load_requests, warp},
      {"global load sectors", "global_load_sectors", totals.global_load_sectors, warp},
      {"global load lines", "global_load_lines", totals.global_load_lines, warp},
      {"global bytes asked for", "global_load_useful_bytes", totals.global_load_useful_bytes, 1},
      {"global store requests", "global_store_requests", totals.global_store_requests, warp},
      {"global store sectors", "global_store_sectors", totals.global_store_sectors, warp},
      {"global store lines", "global_store_lines", totals.global_store_lines, warp},
      {"global bytes stored", "global_store_useful_bytes", totals.global_store_useful_bytes, 1},
      {"local requests", "local_requests", totals.local_requests, warp, false},
      {"local sectors", "local_sectors", totals.local_sectors, warp, false},
      {"atomic requests", "atomic_requests", totals.atomic_requests, warp, false},
      {"LSU wavefronts", "lsu_wavefronts", totals.lsu_wavefronts, warp},
      {"barriers", "barriers", totals.barriers, warp, false},
      {"branches", "branches", totals.branches, warp},
      {"divergent branches", "divergent_branches", totals.divergent_branches, warp, false},
  };
}

class MachineLedgerWriter {
 public:
  MachineLedgerWriter(const MachineLedger& ledger, const MachineLedgerView& view)
      : ledger_(ledger), view_(view) {
    const sass::MachineTotals& totals = ledger.totals;
    fmas_ = view.source != nullptr ? view.source->comparison.useful_fmas
                                   : totals.fp32_fmas + totals.fp64_fmas;
    if (fmas_ == 0) {
      // Only where there are no others: compilers also move constants with HFMA2.
      fmas_ = totals.fp16_fmas;
    }
    data_.columns = {{"section", "section", Align::left},
                     {"item", "item", Align::left},
                     {"figure", "figure", Align::left},
                     {"value", "value"}};
  }

  Report write() {
    document_.title = title();
    summary();
    comparison();
    add(totals_table());
    unique_bytes();
    add(pipe_table());
    add(opcode_table());
    add(memory_table());
    add(loop_table());
    add(defect_table());
    doubts();
    Report report;
    if (view_.annotate) {
      Table listing = listing_table();
      add(listing);
      report.data = std::move(listing);
    } else {
      instruction_figures();
      report.data = std::move(data_);
    }
    report.document = std::move(document_);
    report.json = machine_ledger_json(ledger_, view_);
    return report;
  }

 private:
  [[nodiscard]] std::string title() const {
    const std::string function = printable(sass::short_name(ledger_.kernel), longest_text);
    if (view_.source != nullptr) {
      return fmt::format("{} at {}, {} machine code", view_.kernel, view_.source->shape.key(),
                         ledger_.arch);
    }
    return fmt::format("{}, {} machine code",
                       view_.kernel.empty() ? function : printable(view_.kernel), ledger_.arch);
  }

  void summary() {
    if (view_.source != nullptr) {
      paragraph(view_.source->kernel.summary + ".");
    }
    const sass::Launch& launch = ledger_.launch;
    paragraph(fmt::format(
        "{}: grid {}, blocks of {} ({} threads); {} registers per thread, {} bytes of shared "
        "memory per block.",
        printable(sass::short_name(ledger_.kernel), longest_text), extents_text(launch.grid),
        extents_text(launch.block), launch.threads_per_block(), ledger_.registers,
        ledger_.shared_bytes));
    if (!view_.origin.empty()) {
      paragraph(fmt::format("Code: {}.", printable(view_.origin, longest_text)));
    }
    paragraph(sampling_text(ledger_));
    paragraph(ledger_.data_independent
                  ? "Counts do not depend on the contents of the buffers: no loaded value decides "
                    "which instructions run or what they address."
                  : "Counts hold for these contents of the buffers: loaded values may decide which "
                    "instructions run or what they address.");
    paragraph(fmt::format("A block touches {} distinct bytes of global memory (whole sectors).",
                          count_text(ledger_.unique_bytes_per_block)));
    if (fmas_ > 0) {
      paragraph(fmt::format("Per FMA: events of a warp count 32 times; {} {} FMAs.",
                            count_text(fmas_), view_.source != nullptr ? "useful" : "executed"));
    }
    figure("launch", "blocks", "blocks_total", std::to_string(ledger_.blocks_total));
    figure("launch", "blocks", "blocks_emulated", std::to_string(ledger_.blocks_emulated));
    figure("launch", "blocks", "sampling", sass::sampling_name(ledger_.sampling));
    figure("launch", "blocks", "data_independent", ledger_.data_independent ? "1" : "0");
    figure("launch", "blocks", "relative_uncertainty",
           full_precision(ledger_.relative_uncertainty));
    figure("launch", "block", "registers", std::to_string(ledger_.registers));
    figure("launch", "block", "shared_bytes", std::to_string(ledger_.shared_bytes));
    figure("launch", "block", "unique_bytes_per_block",
           full_precision(ledger_.unique_bytes_per_block));
  }

  void comparison() {
    if (view_.source == nullptr) {
      return;
    }
    Table table;
    table.title = "Source and machine code, per useful FMA";
    table.columns = {{"count", "count", Align::left},
                     {"source", "source"},
                     {"machine", "machine_instructions"},
                     {"elements", "machine_elements"},
                     {"why", "reasons", Align::left}};
    for (const sass::LedgerComparisonRow& row : view_.source->comparison.rows) {
      const bool moves_elements = row.elements > 0;
      table.rows.push_back(
          {text_cell(row.name), row.source ? significant_cell(*row.source, 5) : no_cell(),
           significant_cell(row.instructions, 5),
           moves_elements ? significant_cell(row.elements, 5) : no_cell(),
           text_cell(row.reasons.empty() ? row.meaning
                                         : row.meaning + ": " + join(row.reasons, "; "))});
      if (row.source) {
        figure("comparison", row.name, "source", full_precision(*row.source));
      }
      figure("comparison", row.name, "machine_instructions", full_precision(row.instructions));
      figure("comparison", row.name, "machine_elements", full_precision(row.elements));
      for (const std::string& reason : row.reasons) {
        figure("comparison", row.name, "reason", reason);
      }
    }
    add(table);
  }

  Table totals_table() {
    Table table;
    table.title = "Totals of the launch";
    table.columns = {{"count", "figure", Align::left}, {"launch", "count"}};
    if (fmas_ > 0) {
      table.columns.push_back({"per FMA", "per_fma"});
    }
    for (const Total& total : totals_of(ledger_.totals)) {
      figure("total", total.key, "count", full_precision(total.count));
      if (total.count == 0 && !total.always) {
        continue;
      }
      std::vector<Cell> row = {text_cell(total.title), whole_cell(total.count)};
      if (fmas_ > 0) {
        row.push_back(significant_cell(total.lanes * total.count / fmas_, 5));
      }
      table.rows.push_back(std::move(row));
    }
    return table;
  }

  /// What blocks touch together in global memory.
  void unique_bytes() {
    if (view_.unique_bytes == nullptr) {
      return;
    }
    const UniqueBytesView& unique = *view_.unique_bytes;
    struct Extent {
      const char* name;
      const sass::Footprint* footprint;
    };
    std::vector<Extent> extents = {{"block", &unique.block}};
    if (unique.wave) {
      extents.push_back({"wave", &unique.wave->footprint});
    }
    extents.push_back({"launch", &unique.launch});
    Table table;
    table.title = "Distinct bytes of global memory";
    table.columns = {{"buffer", "buffer", Align::left}};
    const auto add_row = [&](const std::string& name, const std::vector<sass::UniqueBytes>& cells) {
      std::vector<Cell>& row = table.rows.emplace_back(std::vector<Cell>{code_cell(name)});
      for (const sass::UniqueBytes& one : cells) {
        row.push_back(nonzero_cell(std::round(one.bytes)));
      }
    };
    for (const Extent& extent : extents) {
      for (const char* direction : {"loaded", "stored"}) {
        table.columns.push_back({fmt::format("{}, {}", extent.name, direction),
                                 fmt::format("{}_{}_bytes", extent.name, direction)});
      }
    }
    // The launch touches every buffer that a part of it does.
    for (const sass::BufferFootprint& buffer : unique.launch.buffers) {
      std::vector<sass::UniqueBytes> cells;
      for (const Extent& extent : extents) {
        const auto& buffers = extent.footprint->buffers;
        const auto same = std::ranges::find(buffers, buffer.name, &sass::BufferFootprint::name);
        cells.push_back(same != buffers.end() ? same->loads : sass::UniqueBytes{});
        cells.push_back(same != buffers.end() ? same->stores : sass::UniqueBytes{});
      }
      add_row(buffer.name, cells);
    }
    std::vector<sass::UniqueBytes> sums;
    for (const Extent& extent : extents) {
      sums.push_back(extent.footprint->loads);
      sums.push_back(extent.footprint->stores);
      unique_figures(extent.name, *extent.footprint);
    }
    add_row("all", sums);
    add(table);
    if (unique.wave) {
      paragraph(fmt::format("Wave: the first {} blocks, {} SMs of {} with {} each; {}.",
                            unique.wave->footprint.blocks, unique.wave->sm_count,
                            printable(unique.wave->device), unique.wave->blocks_per_sm,
                            basis_text(unique.wave->footprint)));
    }
    paragraph(fmt::format("Launch: {}.", basis_text(unique.launch)));
  }

  void unique_figures(const char* extent, const sass::Footprint& footprint) {
    figure("unique", extent, "blocks", std::to_string(footprint.blocks));
    figure("unique", extent, "basis", sass::footprint_basis_name(footprint.basis));
    const auto add_figures = [&](const std::string& item, const sass::UniqueBytes& loads,
                                 const sass::UniqueBytes& stores) {
      figure("unique", item, "loaded_bytes", full_precision(loads.bytes));
      figure("unique", item, "loaded_sectors", full_precision(loads.sectors));
      figure("unique", item, "stored_bytes", full_precision(stores.bytes));
      figure("unique", item, "stored_sectors", full_precision(stores.sectors));
    };
    add_figures(extent, footprint.loads, footprint.stores);
    for (const sass::BufferFootprint& buffer : footprint.buffers) {
      add_figures(fmt::format("{}, {}", extent, printable(buffer.name, longest_text)), buffer.loads,
                  buffer.stores);
    }
  }

  /// A row of warp instructions with their share and their count per FMA.
  [[nodiscard]] std::vector<Cell> instruction_row(const std::string& name, double count) const {
    const double all = ledger_.totals.warp_instructions;
    std::vector<Cell> row = {code_cell(name), whole_cell(count),
                             all > 0 ? percent_cell(count / all) : no_cell()};
    if (fmas_ > 0) {
      row.push_back(significant_cell(warp_lanes * count / fmas_, 5));
    }
    return row;
  }

  [[nodiscard]] Table instruction_table(const char* table_title, const char* first) const {
    Table table;
    table.title = table_title;
    table.columns = {
        {first, first, Align::left}, {"warp instr.", "warp_instructions"}, {"share", "share"}};
    if (fmas_ > 0) {
      table.columns.push_back({"per FMA", "per_fma"});
    }
    return table;
  }

  Table pipe_table() {
    Table table = instruction_table("By execution unit", "pipe");
    for (std::size_t i = 0; i < sass::pipe_count; ++i) {
      const double count = ledger_.totals.by_pipe[i];
      const std::string name = sass::pipe_name(static_cast<sass::Pipe>(i));
      figure("pipe", name, "count", full_precision(count));
      if (count > 0) {
        table.rows.push_back(instruction_row(name, count));
      }
    }
    return table;
  }

  Table opcode_table() {
    Table table = instruction_table("By opcode", "opcode");
    const auto& opcodes = ledger_.totals.by_opcode;
    // One opcode is not worth a line that says how many are left.
    const std::size_t shown =
        opcodes.size() <= view_.top_opcodes + 1 ? opcodes.size() : view_.top_opcodes;
    double rest = 0;
    for (std::size_t i = 0; i < opcodes.size(); ++i) {
      const auto& [name, count] = opcodes[i];
      figure("opcode", printable(name), "count", full_precision(count));
      if (i < shown) {
        table.rows.push_back(instruction_row(name, count));
      } else {
        rest += count;
      }
    }
    if (shown < opcodes.size()) {
      table.rows.push_back(instruction_row(fmt::format("{} others", opcodes.size() - shown), rest));
    }
    return table;
  }

  [[nodiscard]] Table memory_table() const {
    Table table;
    table.title = "Memory instructions";
    table.columns = {{"address", "address", Align::left},
                     {"requests", "requests"},
                     {"wavefronts", "wavefronts"},
                     {"ideal", "ideal_wavefronts"},
                     {"sectors", "sectors"},
                     {"lines", "lines"},
                     {"useful", "efficiency"},
                     {"access", "access", Align::left},
                     {"source", "source", Align::left},
                     {"instruction", "text", Align::left}};
    for (const LedgerLine& line : ledger_.lines) {
      if (!touches_memory(line) || line.counts.executions <= 0) {
        continue;
      }
      const sass::InstructionCounts& counts = line.counts;
      table.rows.push_back(
          {address_cell(line.address), whole_cell(counts.requests), whole_cell(counts.wavefronts),
           whole_cell(counts.ideal_wavefronts), nonzero_cell(counts.sectors),
           nonzero_cell(counts.lines),
           moves_sectors(line) ? percent_cell(counts.useful_bytes / (counts.sectors * sector_bytes))
                               : no_cell(),
           text_cell(access_text(line)), place_cell(line.source_file, line.source_line),
           code_cell(line.text)});
    }
    return table;
  }

  Table loop_table() {
    Table table;
    table.title = "Loops";
    table.columns = {{"from", "first_address", Align::left},
                     {"back at", "branch_address", Align::left},
                     {"entries", "entries"},
                     {"iterations", "iterations"},
                     {"trips each", "trip_count"}};
    for (const sass::LoopCounts& loop : ledger_.loops) {
      table.rows.push_back({address_cell(loop.first_address), address_cell(loop.branch_address),
                            whole_cell(loop.entries), whole_cell(loop.iterations),
                            significant_cell(loop.trip_count(), 6)});
      const std::string item =
          fmt::format("0x{:04x}-0x{:04x}", loop.first_address, loop.branch_address);
      figure("loop", item, "entries", full_precision(loop.entries));
      figure("loop", item, "iterations", full_precision(loop.iterations));
    }
    return table;
  }

  Table defect_table() {
    Table table;
    table.title = "Defects in the emulated blocks";
    table.columns = {{"address", "address", Align::left},
                     {"defect", "kind", Align::left},
                     {"lanes", "occurrences"},
                     {"source", "source", Align::left},
                     {"what", "what", Align::left}};
    for (const sass::Defect& defect : ledger_.defects) {
      table.rows.push_back(
          {address_cell(defect.address), text_cell(sass::defect_kind_name(defect.kind)),
           text_cell(std::to_string(defect.occurrences)),
           place_cell(defect.source_file, defect.source_line), code_cell(defect.what)});
      const std::string item = fmt::format("0x{:04x}", defect.address);
      figure("defect", item, sass::defect_kind_name(defect.kind),
             printable(defect.what, longest_text));
    }
    return table;
  }

  /// What limits how far the counts can be trusted.
  void doubts() {
    add(doubtful_opcodes("not_computed", "Counted, but results not computed",
                         ledger_.not_computed));
    if (!ledger_.not_computed.empty()) {
      paragraph(ledger_.results_affected
                    ? "Addresses or control flow depended on them: the counts may be wrong."
                    : "No address and no branch depended on them: the counts stand.");
    }
    add(doubtful_opcodes("unknown", "Unknown opcodes, counted and skipped", ledger_.unknown));
    if (!ledger_.unknown.empty()) {
      paragraph("Whatever depends on their results may be wrong.");
    }
  }

  Table doubtful_opcodes(const char* section, const char* table_title,
                         const std::vector<std::pair<std::string, double>>& opcodes) {
    Table table = instruction_table(table_title, "opcode");
    for (const auto& [name, count] : opcodes) {
      table.rows.push_back(instruction_row(name, count));
      figure(section, printable(name), "count", full_precision(count));
    }
    return table;
  }

  [[nodiscard]] Table listing_table() const {
    Table table;
    table.title = "Annotated listing";
    table.columns = {{"address", "address", Align::left},
                     {"runs", "executions"},
                     {"lanes", "lane_share"},
                     {"wavefronts", "wavefronts"},
                     {"sectors", "sectors"},
                     {"source", "source", Align::left},
                     {"instruction", "text", Align::left}};
    for (const LedgerLine& line : ledger_.lines) {
      const sass::InstructionCounts& counts = line.counts;
      table.rows.push_back({address_cell(line.address), whole_cell(counts.executions),
                            counts.executions > 0
                                ? Cell{fmt::format("{:.0f} %", 100 * lane_share(counts)),
                                       full_precision(lane_share(counts))}
                                : no_cell(),
                            touches_memory(line) ? nonzero_cell(counts.wavefronts) : no_cell(),
                            touches_memory(line) ? nonzero_cell(counts.sectors) : no_cell(),
                            place_cell(line.source_file, line.source_line), code_cell(line.text)});
    }
    return table;
  }

  static double lane_share(const sass::InstructionCounts& counts) {
    return counts.predicated_lanes / (warp_lanes * counts.executions);
  }

  /// Every instruction that ran, for CSV.
  void instruction_figures() {
    for (const LedgerLine& line : ledger_.lines) {
      const sass::InstructionCounts& counts = line.counts;
      if (counts.executions <= 0) {
        continue;
      }
      const std::string item = fmt::format("0x{:04x}", line.address);
      figure("instruction", item, "text", printable(line.text, longest_text));
      if (!line.source_file.empty()) {
        figure("instruction", item, "source", place_cell(line.source_file, line.source_line).raw);
      }
      figure("instruction", item, "executions", full_precision(counts.executions));
      figure("instruction", item, "predicated_lanes", full_precision(counts.predicated_lanes));
      if (!touches_memory(line)) {
        continue;
      }
      figure("instruction", item, "access", access_text(line));
      for (const auto& [key, count] :
           {std::pair{"requests", counts.requests}, std::pair{"wavefronts", counts.wavefronts},
            std::pair{"ideal_wavefronts", counts.ideal_wavefronts},
            std::pair{"sectors", counts.sectors}, std::pair{"lines", counts.lines},
            std::pair{"useful_bytes", counts.useful_bytes}}) {
        figure("instruction", item, key, full_precision(count));
      }
    }
  }

  void paragraph(std::string text) { document_.parts.emplace_back(Paragraph{std::move(text)}); }

  void add(const Table& table) {
    if (!table.rows.empty()) {
      document_.parts.emplace_back(table);
    }
  }

  void figure(std::string_view section, std::string_view item, std::string_view name,
              std::string_view value) {
    data_.rows.push_back({text_cell(section), text_cell(item), text_cell(name), text_cell(value)});
  }

  const MachineLedger& ledger_;
  const MachineLedgerView& view_;
  double fmas_ = 0;
  Document document_;
  Table data_;
};

}  // namespace

Report machine_ledger_report(const sass::MachineLedger& ledger, const MachineLedgerView& view) {
  return MachineLedgerWriter(ledger, view).write();
}

}  // namespace perfmodel::reports
