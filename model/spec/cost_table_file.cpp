#include "model/spec/cost_table_file.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <limits>

#include "model/error.hpp"
#include "model/spec/fields.hpp"
#include "model/spec/shape_reader.hpp"
#include "model/text.hpp"

namespace perfmodel::spec {
namespace {

void emit_optional(YAML::Emitter& out, const char* key, const std::optional<double>& value) {
  if (value) {
    out << YAML::Key << key << YAML::Value << *value;
  }
}

void emit_table(YAML::Emitter& out, const CostTable& table) {
  const CalibrationBasis& basis = table.basis;
  out << YAML::BeginMap;
  out << YAML::Key << "model" << YAML::Value << table.model;
  out << YAML::Key << "device" << YAML::Value << basis.device;
  out << YAML::Key << "recording" << YAML::Value << basis.recording;
  out << YAML::Key << "clock_basis" << YAML::Value << basis.clock_basis;
  out << YAML::Key << "clock_hz" << YAML::Value << basis.clock_hz;
  if (basis.rounded_to_decimals) {
    out << YAML::Key << "rounded_to_decimals" << YAML::Value << *basis.rounded_to_decimals;
  }
  out << YAML::Key << "condition_number" << YAML::Value << table.condition_number;
  out << YAML::Key << "unit_costs" << YAML::Value << YAML::BeginSeq;
  for (const UnitCost& cost : table.costs) {
    out << YAML::Flow << YAML::BeginMap;
    out << YAML::Key << "name" << YAML::Value << cost.name;
    out << YAML::Key << "cost_cycles" << YAML::Value << cost.cycles;
    emit_optional(out, "std_error_cycles", cost.std_error);
    out << YAML::EndMap;
  }
  out << YAML::EndSeq;
  out << YAML::Key << "references" << YAML::Value << YAML::BeginSeq;
  for (const ReferencePoint& point : table.references) {
    out << YAML::BeginMap;
    out << YAML::Key << "kernel" << YAML::Value << point.kernel;
    out << YAML::Key << "shape" << YAML::Value << YAML::Flow << YAML::BeginMap;
    for (const auto& [name, extent] : point.shape.extents()) {
      out << YAML::Key << name << YAML::Value << extent;
    }
    out << YAML::EndMap;
    out << YAML::Key << "measured_cycles" << YAML::Value << point.cycles_per_warp_fma;
    out << YAML::Key << "residual_cycles" << YAML::Value << point.residual;
    emit_optional(out, "leave_one_out_error", point.leave_one_out_error);
    out << YAML::EndMap;
  }
  out << YAML::EndSeq << YAML::EndMap;
}

std::optional<double> optional_number(const Fields& fields, std::string_view key) {
  return fields.has(key) ? std::optional(read_number(fields.document(), fields.at(key), key))
                         : std::nullopt;
}

UnitCost read_cost(const Document& document, const Node& node) {
  const Fields fields(document, node, "unit cost",
                      {{"name"}, {"cost_cycles"}, {"std_error_cycles", false}});
  return {fields.name("name"), read_number(document, fields.at("cost_cycles"), "cost_cycles"),
          optional_number(fields, "std_error_cycles")};
}

ReferencePoint read_reference(const Document& document, const Node& node) {
  const Fields fields(document, node, "reference",
                      {{"kernel"},
                       {"shape"},
                       {"measured_cycles"},
                       {"residual_cycles"},
                       {"leave_one_out_error", false}});
  return {fields.name("kernel"), read_shape(document, fields.at("shape")),
          fields.positive("measured_cycles"),
          read_number(document, fields.at("residual_cycles"), "residual_cycles"),
          optional_number(fields, "leave_one_out_error")};
}

std::vector<std::string> columns_of(const Document& document, const Node& node,
                                    const std::string& model) {
  try {
    return find_cost_model(model).column_names();
  } catch (const Error& error) {
    document.fail_at(node.mark, error.what());
  }
}

void require_columns(const Document& document, const Node& node, const CostTable& table) {
  const std::vector<std::string> columns = columns_of(document, node, table.model);
  std::vector<std::string> given;
  for (const UnitCost& cost : table.costs) {
    given.push_back(cost.name);
  }
  if (given != columns) {
    document.fail_at(node.mark, fmt::format("model {} prices {}, not {}", table.model,
                                            join(columns), join(given)));
  }
}

CostTable read_table(const Document& document, const Node& node) {
  const Fields fields(document, node, "cost table",
                      {{"model"},
                       {"device"},
                       {"recording"},
                       {"clock_basis"},
                       {"clock_hz"},
                       {"rounded_to_decimals", false},
                       {"condition_number"},
                       {"unit_costs"},
                       {"references"}});
  CostTable table;
  table.model = fields.name("model");
  table.basis = {fields.name("device"), fields.text("recording"), fields.name("clock_basis"),
                 fields.positive("clock_hz"), std::nullopt};
  if (fields.has("rounded_to_decimals")) {
    table.basis.rounded_to_decimals = static_cast<int>(fields.integer("rounded_to_decimals", 0));
  }
  table.condition_number = fields.positive("condition_number");
  for (const Node& item : read_sequence(document, fields.at("unit_costs"), "unit_costs")) {
    table.costs.push_back(read_cost(document, item));
  }
  for (const Node& item : read_sequence(document, fields.at("references"), "references")) {
    table.references.push_back(read_reference(document, item));
  }
  return table;
}

}  // namespace

std::string write_cost_tables(std::span<const CostTable> tables) {
  YAML::Emitter out;
  out.SetDoublePrecision(std::numeric_limits<double>::max_digits10);
  out << YAML::BeginMap;
  out << YAML::Key << "schema" << YAML::Value << "perfmodel.costs/1";
  out << YAML::Key << "tables" << YAML::Value << YAML::BeginSeq;
  for (const CostTable& table : tables) {
    emit_table(out, table);
  }
  out << YAML::EndSeq << YAML::EndMap;
  return std::string(out.c_str(), out.size()) + "\n";
}

std::vector<CostTable> read_cost_tables(const std::filesystem::path& path) {
  const Document document = read_yaml(path);
  check_schema(document, "costs", 1);
  const Fields fields(document, document.root, "costs", {{"schema"}, {"tables"}});
  std::vector<CostTable> tables;
  for (const Node& item : read_sequence(document, fields.at("tables"), "tables")) {
    CostTable table = read_table(document, item);
    require_columns(document, item, table);
    const bool repeated = std::ranges::any_of(
        tables, [&](const CostTable& other) { return other.model == table.model; });
    if (repeated) {
      document.fail_at(item.mark, fmt::format("model {} has two cost tables", table.model));
    }
    tables.push_back(std::move(table));
  }
  return tables;
}

}  // namespace perfmodel::spec
