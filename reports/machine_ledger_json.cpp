#include "reports/machine_ledger_json.hpp"

#include <cmath>
#include <variant>

#include "reports/analysis_json.hpp"

namespace perfmodel::reports {
namespace {

using Json = nlohmann::ordered_json;

Json fill_json(const sass::BufferArgument& buffer) {
  switch (buffer.fill) {
    case sass::Fill::nothing:
      return nullptr;
    case sass::Fill::zeros:
      return "zeros";
    case sass::Fill::iota_i32:
      return "iota_i32";
    case sass::Fill::random_f32:
      return "random_f32";
    case sass::Fill::random_f64:
      return "random_f64";
    case sass::Fill::random_f16:
      return "random_f16";
    case sass::Fill::random_u32:
      return "random_u32";
    case sass::Fill::data:
      return "data";
  }
  return nullptr;
}

Json argument_json(const sass::Argument& argument) {
  if (const auto* buffer = std::get_if<sass::BufferArgument>(&argument)) {
    return {
        {"buffer_bytes", buffer->size_bytes}, {"fill", fill_json(*buffer)}, {"seed", buffer->seed}};
  }
  const auto& value = std::get<sass::ValueArgument>(argument);
  std::uint64_t bits = 0;
  for (std::size_t i = value.bytes.size(); i > 0; --i) {
    const bool used = i <= value.size_bytes;
    bits = (bits << 8) | (used ? std::to_integer<std::uint64_t>(value.bytes[i - 1]) : 0);
  }
  return {{"value_bits", bits}, {"size_bytes", value.size_bytes}};
}

Json launch_json(const sass::Launch& launch) {
  Json arguments = Json::array();
  for (const sass::Argument& argument : launch.arguments) {
    arguments.push_back(argument_json(argument));
  }
  return {{"grid", launch.grid},
          {"block", launch.block},
          {"dynamic_shared_bytes", launch.dynamic_shared_bytes},
          {"arguments", std::move(arguments)}};
}

Json named_counts(const std::vector<std::pair<std::string, double>>& counts) {
  Json json = Json::object();
  for (const auto& [name, count] : counts) {
    json[name] = count_json(count);
  }
  return json;
}

Json totals_json(const sass::MachineTotals& totals) {
  Json pipes = Json::object();
  for (std::size_t i = 0; i < sass::pipe_count; ++i) {
    pipes[sass::pipe_name(static_cast<sass::Pipe>(i))] = count_json(totals.by_pipe[i]);
  }
  return {{"warp_instructions", count_json(totals.warp_instructions)},
          {"thread_instructions", count_json(totals.thread_instructions)},
          {"by_pipe", std::move(pipes)},
          {"by_opcode", named_counts(totals.by_opcode)},
          {"shared_load_instructions", count_json(totals.shared_load_instructions)},
          {"shared_load_wavefronts", count_json(totals.shared_load_wavefronts)},
          {"shared_store_instructions", count_json(totals.shared_store_instructions)},
          {"shared_store_wavefronts", count_json(totals.shared_store_wavefronts)},
          {"global_load_requests", count_json(totals.global_load_requests)},
          {"global_load_sectors", count_json(totals.global_load_sectors)},
          {"global_load_lines", count_json(totals.global_load_lines)},
          {"global_load_useful_bytes", count_json(totals.global_load_useful_bytes)},
          {"global_store_requests", count_json(totals.global_store_requests)},
          {"global_store_sectors", count_json(totals.global_store_sectors)},
          {"global_store_lines", count_json(totals.global_store_lines)},
          {"global_store_useful_bytes", count_json(totals.global_store_useful_bytes)},
          {"local_requests", count_json(totals.local_requests)},
          {"local_sectors", count_json(totals.local_sectors)},
          {"atomic_requests", count_json(totals.atomic_requests)},
          {"lsu_wavefronts", count_json(totals.lsu_wavefronts)},
          {"barriers", count_json(totals.barriers)},
          {"branches", count_json(totals.branches)},
          {"divergent_branches", count_json(totals.divergent_branches)},
          {"fp32_fmas", count_json(totals.fp32_fmas)},
          {"fp64_fmas", count_json(totals.fp64_fmas)},
          {"fp16_fmas", count_json(totals.fp16_fmas)}};
}

const char* space_name(sass::MemorySpace space) {
  switch (space) {
    case sass::MemorySpace::none:
      return "none";
    case sass::MemorySpace::shared:
      return "shared";
    case sass::MemorySpace::global:
      return "global";
    case sass::MemorySpace::local:
      return "local";
    case sass::MemorySpace::constant:
      return "constant";
    case sass::MemorySpace::generic:
      return "generic";
  }
  return "";
}

Json place_json(const std::string& file, std::uint32_t line) {
  return file.empty() ? Json(nullptr) : Json{{"file", file}, {"line", line}};
}

Json instruction_json(const sass::LedgerLine& line) {
  const sass::InstructionCounts& counts = line.counts;
  Json json = {{"address", line.address},
               {"text", line.text},
               {"opcode", line.opcode},
               {"pipe", sass::pipe_name(line.pipe)},
               {"source", place_json(line.source_file, line.source_line)},
               {"executions", count_json(counts.executions)},
               {"active_lanes", count_json(counts.active_lanes)},
               {"predicated_lanes", count_json(counts.predicated_lanes)},
               {"taken", count_json(counts.taken)},
               {"divergences", count_json(counts.divergences)}};
  if (line.space == sass::MemorySpace::none) {
    json["memory"] = nullptr;
    return json;
  }
  Json classes = Json::object();
  for (std::size_t i = 0; i < counts.by_access.size(); ++i) {
    if (counts.by_access[i] > 0) {
      classes[sass::access_class_name(static_cast<sass::AccessClass>(i))] =
          count_json(counts.by_access[i]);
    }
  }
  json["memory"] = {{"space", space_name(line.space)},
                    {"store", line.store},
                    {"atomic", line.atomic},
                    {"access_bytes", line.access_bytes},
                    {"requests", count_json(counts.requests)},
                    {"wavefronts", count_json(counts.wavefronts)},
                    {"second_wavefronts", count_json(counts.second_wavefronts)},
                    {"ideal_wavefronts", count_json(counts.ideal_wavefronts)},
                    {"sectors", count_json(counts.sectors)},
                    {"lines", count_json(counts.lines)},
                    {"useful_bytes", count_json(counts.useful_bytes)},
                    {"by_access", std::move(classes)},
                    {"stride_bytes", count_json(counts.stride_bytes)}};
  return json;
}

Json unique_json(const sass::UniqueBytes& unique) {
  return {{"bytes", count_json(unique.bytes)},
          {"sectors", count_json(unique.sectors)},
          {"most_bytes", count_json(unique.most_bytes)},
          {"most_sectors", count_json(unique.most_sectors)}};
}

Json footprint_json(const sass::Footprint& footprint) {
  Json buffers = Json::array();
  for (const sass::BufferFootprint& buffer : footprint.buffers) {
    buffers.push_back({{"name", buffer.name},
                       {"argument", buffer.argument ? Json(*buffer.argument + 1) : Json(nullptr)},
                       {"size_bytes", buffer.size_bytes},
                       {"loads", unique_json(buffer.loads)},
                       {"stores", unique_json(buffer.stores)}});
  }
  return {{"blocks", footprint.blocks},
          {"basis", sass::footprint_basis_name(footprint.basis)},
          {"blocks_emulated", footprint.blocks_emulated},
          {"blocks_verified", footprint.blocks_verified},
          {"loads", unique_json(footprint.loads)},
          {"stores", unique_json(footprint.stores)},
          {"buffers", std::move(buffers)}};
}

Json unique_bytes_json(const UniqueBytesView& view) {
  Json json = {{"device", nullptr},
               {"sm_count", nullptr},
               {"blocks_per_sm", nullptr},
               {"blocks_per_wave", nullptr},
               {"block", footprint_json(view.block)},
               {"wave", nullptr},
               {"launch", footprint_json(view.launch)}};
  if (view.wave) {
    json["device"] = view.wave->device;
    json["sm_count"] = view.wave->sm_count;
    json["blocks_per_sm"] = view.wave->blocks_per_sm;
    json["blocks_per_wave"] = view.wave->sm_count * view.wave->blocks_per_sm;
    json["wave"] = footprint_json(view.wave->footprint);
  }
  return json;
}

Json comparison_json(const sass::LedgerComparison& comparison) {
  Json rows = Json::array();
  for (const sass::LedgerComparisonRow& row : comparison.rows) {
    rows.push_back({{"name", row.name},
                    {"meaning", row.meaning},
                    {"source", row.source ? count_json(*row.source) : Json(nullptr)},
                    {"machine_instructions", count_json(row.instructions)},
                    {"machine_elements", count_json(row.elements)},
                    {"reasons", row.reasons}});
  }
  return rows;
}

}  // namespace

nlohmann::ordered_json count_json(double count) {
  constexpr double largest_exact = 9007199254740992.0;  // 2^53
  if (count == std::floor(count) && std::abs(count) <= largest_exact) {
    return static_cast<std::int64_t>(count);
  }
  return count;
}

nlohmann::ordered_json machine_ledger_json(const sass::MachineLedger& ledger,
                                           const MachineLedgerView& view) {
  Json json = {{"schema", "perfmodel.machine-ledger/1"},
               {"kernel", view.kernel.empty() ? ledger.kernel : view.kernel},
               {"function", ledger.kernel},
               {"arch", ledger.arch},
               {"origin", view.origin},
               {"launch", launch_json(ledger.launch)},
               {"registers", ledger.registers},
               {"shared_bytes", ledger.shared_bytes},
               {"blocks_total", ledger.blocks_total},
               {"blocks_emulated", ledger.blocks_emulated},
               {"sampling", sass::sampling_name(ledger.sampling)},
               {"data_independent", ledger.data_independent},
               {"relative_uncertainty", ledger.relative_uncertainty},
               {"unique_bytes_per_block", count_json(ledger.unique_bytes_per_block)},
               {"unique_bytes", view.unique_bytes != nullptr ? unique_bytes_json(*view.unique_bytes)
                                                             : Json(nullptr)},
               {"machine", totals_json(ledger.totals)}};
  Json& loops = json["loops"] = Json::array();
  for (const sass::LoopCounts& loop : ledger.loops) {
    loops.push_back({{"first_address", loop.first_address},
                     {"branch_address", loop.branch_address},
                     {"entries", count_json(loop.entries)},
                     {"iterations", count_json(loop.iterations)},
                     {"trip_count", count_json(loop.trip_count())}});
  }
  Json& defects = json["defects"] = Json::array();
  for (const sass::Defect& defect : ledger.defects) {
    defects.push_back({{"kind", sass::defect_kind_name(defect.kind)},
                       {"address", defect.address},
                       {"source", place_json(defect.source_file, defect.source_line)},
                       {"what", defect.what},
                       {"occurrences", defect.occurrences}});
  }
  json["not_computed"] = named_counts(ledger.not_computed);
  json["results_affected"] = ledger.results_affected;
  json["unknown"] = named_counts(ledger.unknown);
  if (view.source != nullptr) {
    json["shape"] = shape_json(view.source->shape);
    json["useful_fmas"] = count_json(view.source->comparison.useful_fmas);
    json["source"] = ledger_json(view.source->ledger);
    json["comparison"] = comparison_json(view.source->comparison);
  } else {
    for (const char* key : {"shape", "useful_fmas", "source", "comparison"}) {
      json[key] = nullptr;
    }
  }
  Json& instructions = json["instructions"] = Json::array();
  for (const sass::LedgerLine& line : ledger.lines) {
    instructions.push_back(instruction_json(line));
  }
  return json;
}

}  // namespace perfmodel::reports
