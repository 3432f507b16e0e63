#include "profiling/constants_file.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "model/error.hpp"
#include "model/spec/fields.hpp"
#include "model/spec/write_file.hpp"
#include "model/statistics.hpp"
#include "profiling/recording_parts.hpp"

namespace perfmodel::profiling {
namespace {

using Json = nlohmann::ordered_json;
using spec::Document;
using spec::Fields;
using spec::Node;

double finite_constant(const std::string& name, double value) {
  if (!std::isfinite(value)) {
    fail(fmt::format("constant {} is {}, which a file of constants cannot hold", name, value));
  }
  return value;
}

Json constant_json(const HardwareConstant& one) {
  Json object = {{"name", one.name},
                 {"value", finite_constant(one.name, one.value)},
                 {"unit", one.unit},
                 {"uncertainty", finite_constant(one.name, one.uncertainty)}};
  Json samples = Json::array();
  for (const double sample : one.samples) {
    samples.push_back(finite_constant(one.name, sample));
  }
  object["samples"] = std::move(samples);
  if (one.limit) {
    object["limit"] = finite_constant(one.name, one.limit->value);
    object["limit_is"] = one.limit->is_least ? "least" : "most";
    object["limit_reason"] = one.limit->reason;
  }
  if (one.datasheet) {
    object["datasheet"] = finite_constant(one.name, one.datasheet->value);
    object["datasheet_source"] = one.datasheet->source;
  }
  if (one.sm_clock_hz) {
    object["sm_clock_hz"] = finite_constant(one.name, *one.sm_clock_hz);
  }
  if (one.throttled) {
    object["throttled"] = true;
  }
  return object;
}

Json measured_clocks_json(const HardwareConstants& constants) {
  Json object = Json::object();
  const auto put = [&](const char* key, const std::optional<double>& value) {
    if (value) {
      object[key] = finite_constant(key, *value);
    }
  };
  put("sm_clock_hz", constants.sm_clock_hz);
  put("max_sm_clock_hz", constants.max_sm_clock_hz);
  put("memory_clock_hz", constants.memory_clock_hz);
  return object;
}

std::optional<double> positive_if_given(const Fields& fields, std::string_view key) {
  return fields.has(key) ? std::optional(fields.positive(key)) : std::nullopt;
}

/// Both keys or neither.
bool has_pair(const Fields& fields, std::string_view first, std::string_view second) {
  if (fields.has(first) != fields.has(second)) {
    fields.document().fail_at(
        fields.node().mark,
        fmt::format("constant: '{}' and '{}' go together; give both or neither", first, second));
  }
  return fields.has(first);
}

ConstantLimit read_limit(const Fields& fields) {
  ConstantLimit limit;
  limit.value = fields.positive("limit");
  limit.reason = fields.text("limit_reason");
  const std::string kind = fields.text("limit_is");
  limit.is_least = kind == "least";
  if (kind != "least" && kind != "most") {
    fields.document().fail_at(fields.at("limit_is").mark, "limit_is must be one of least, most");
  }
  return limit;
}

HardwareConstant read_constant(const Document& document, const Node& node) {
  const Fields fields(document, node, "constant",
                      {{"name"},
                       {"value"},
                       {"unit"},
                       {"uncertainty"},
                       {"samples"},
                       {"limit", false},
                       {"limit_is", false},
                       {"limit_reason", false},
                       {"datasheet", false},
                       {"datasheet_source", false},
                       {"sm_clock_hz", false},
                       {"throttled", false}});
  HardwareConstant one;
  one.name = fields.name("name");
  one.value = spec::read_number(document, fields.at("value"), "value");
  one.unit = fields.text("unit");
  one.uncertainty = spec::read_number(document, fields.at("uncertainty"), "uncertainty");
  if (one.uncertainty < 0) {
    document.fail_at(fields.at("uncertainty").mark,
                     fmt::format("uncertainty must not be negative, not {}", one.uncertainty));
  }
  for (const Node& sample : spec::read_sequence(document, fields.at("samples"), "samples")) {
    one.samples.push_back(spec::read_number(document, sample, "sample"));
  }
  if (const double middle = median(one.samples).value(); middle != one.value) {
    document.fail_at(
        fields.at("value").mark,
        fmt::format("value {} is not the median of the samples, {}", one.value, middle));
  }
  if (has_pair(fields, "limit", "limit_reason") && has_pair(fields, "limit", "limit_is")) {
    one.limit = read_limit(fields);
  }
  if (has_pair(fields, "datasheet", "datasheet_source")) {
    one.datasheet = {fields.positive("datasheet"), fields.text("datasheet_source")};
  }
  one.sm_clock_hz = positive_if_given(fields, "sm_clock_hz");
  if (fields.has("throttled")) {
    const Node& flag = fields.at("throttled");
    if (flag.quoted || (flag.scalar != "true" && flag.scalar != "false")) {
      document.fail_at(flag.mark, "throttled must be true or false");
    }
    one.throttled = flag.scalar == "true";
  }
  return one;
}

HardwareConstants read_constants_document(const Document& document) {
  spec::check_schema(document, "constants", 1);
  const Fields fields(document, document.root, "constants",
                      {{"schema"},
                       {"device"},
                       {"device_attributes"},
                       {"environment"},
                       {"clocks"},
                       {"constants"},
                       {"skipped", false}});
  HardwareConstants constants;
  constants.device = fields.name("device");
  constants.attributes = read_device_attributes(document, fields.at("device_attributes"));
  constants.environment = read_environment(document, fields.at("environment"));
  const Fields clocks(
      document, fields.at("clocks"), "clocks",
      {{"sm_clock_hz", false}, {"max_sm_clock_hz", false}, {"memory_clock_hz", false}});
  constants.sm_clock_hz = positive_if_given(clocks, "sm_clock_hz");
  constants.max_sm_clock_hz = positive_if_given(clocks, "max_sm_clock_hz");
  constants.memory_clock_hz = positive_if_given(clocks, "memory_clock_hz");

  std::unordered_set<std::string> seen;
  const auto require_new = [&](const Node& node, const std::string& name) {
    if (!seen.insert(name).second) {
      document.fail_at(node.mark, fmt::format("constant {} stands here twice", name));
    }
  };
  const Node& list = fields.at("constants");
  // A run may have skipped all that it was asked for.
  if (list.kind != spec::NodeKind::sequence || !list.items.empty() || !fields.has("skipped")) {
    for (const Node& item : spec::read_sequence(document, list, "constants")) {
      constants.constants.push_back(read_constant(document, item));
      require_new(item, constants.constants.back().name);
    }
  }
  if (fields.has("skipped")) {
    for (const Node& item : spec::read_sequence(document, fields.at("skipped"), "skipped")) {
      const Fields skipped(document, item, "skipped constant", {{"name"}, {"reason"}});
      constants.skipped.push_back({skipped.name("name"), skipped.text("reason")});
      require_new(item, constants.skipped.back().name);
    }
  }
  return constants;
}

}  // namespace

std::string format_constants(const HardwareConstants& constants) {
  std::string out = "{\n  \"schema\": \"perfmodel.constants/1\"";
  const auto member = [&](std::string_view key, const std::string& value) {
    out += fmt::format(",\n  \"{}\": {}", key, value);
  };
  // One item a line: short enough to read, and a change is one line of a diff.
  const auto list = [](const std::vector<std::string>& items) {
    return items.empty() ? "[]" : fmt::format("[\n    {}\n  ]", fmt::join(items, ",\n    "));
  };
  member("device", Json(constants.device).dump());
  member("device_attributes", format_attributes(constants.attributes));
  member("environment", format_environment(constants.environment));
  member("clocks", measured_clocks_json(constants).dump());
  std::vector<std::string> lines;
  for (const HardwareConstant& one : constants.constants) {
    lines.push_back(constant_json(one).dump());
  }
  member("constants", list(lines));
  if (!constants.skipped.empty()) {
    lines.clear();
    for (const SkippedConstant& one : constants.skipped) {
      lines.push_back(Json({{"name", one.name}, {"reason", one.reason}}).dump());
    }
    member("skipped", list(lines));
  }
  return out + "\n}\n";
}

void write_constants(const std::filesystem::path& path, const HardwareConstants& constants) {
  spec::write_file(path, format_constants(constants));
}

HardwareConstants read_constants(const std::filesystem::path& path) {
  return read_constants_document(spec::read_json(path));
}

HardwareConstants parse_constants(std::string_view text, const std::string& file) {
  return read_constants_document(spec::parse_json(text, file, spec::recording_limits));
}

}  // namespace perfmodel::profiling
