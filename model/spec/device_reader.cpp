#include "model/spec/device_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "model/spec/fields.hpp"
#include "model/text.hpp"

namespace perfmodel::spec {
namespace {

Origin read_origin(const Fields& fields) {
  static const std::array origins = {Origin::datasheet, Origin::measured, Origin::derived};
  const std::string text = fields.text("origin");
  std::vector<std::string> names;
  for (const Origin origin : origins) {
    if (to_string(origin) == text) {
      return origin;
    }
    names.emplace_back(to_string(origin));
  }
  fields.document().fail_at(fields.at("origin").mark, fmt::format("origin '{}' must be one of {}",
                                                                  printable(text), join(names)));
}

Fields figure_fields(const Fields& parent, std::string_view key) {
  return {parent.document(), parent.at(key), key, {{"value"}, {"origin"}, {"source"}}};
}

Sourced<std::int64_t> read_count(const Fields& parent, std::string_view key) {
  const Fields fields = figure_fields(parent, key);
  return {read_integer(fields.document(), fields.at("value"), key, 1), read_origin(fields),
          fields.text("source")};
}

Sourced<double> read_quantity(const Fields& parent, std::string_view key) {
  const Fields fields = figure_fields(parent, key);
  return {read_positive(fields.document(), fields.at("value"), key), read_origin(fields),
          fields.text("source")};
}

std::string read_architecture(const Fields& fields) {
  constexpr std::string_view prefix = "sm_";
  const std::string text = fields.text("architecture");
  const bool valid = text.starts_with(prefix) && text.size() > prefix.size() &&
                     text.find_first_not_of("0123456789", prefix.size()) == std::string::npos;
  if (!valid) {
    fields.document().fail_at(
        fields.at("architecture").mark,
        fmt::format("architecture '{}' must be sm_ and digits, such as sm_90", printable(text)));
  }
  return text;
}

std::vector<ClockBasis> read_clocks(const Document& document, const Node& node) {
  std::vector<ClockBasis> clocks;
  for (const Node& item : read_sequence(document, node, "clocks")) {
    const Fields fields(document, item, "clock", {{"name"}, {"clock_hz"}});
    ClockBasis basis{fields.name("name"), read_quantity(fields, "clock_hz")};
    const bool repeated = std::ranges::any_of(
        clocks, [&](const ClockBasis& other) { return other.name == basis.name; });
    if (repeated) {
      document.fail_at(item.mark, fmt::format("clock basis '{}' stands here twice", basis.name));
    }
    clocks.push_back(std::move(basis));
  }
  return clocks;
}

}  // namespace

Device read_device(const std::filesystem::path& path) {
  const Document document = read_yaml(path);
  check_schema(document, "device", 1);
  const Fields fields(document, document.root, "device",
                      {{"schema"},
                       {"name"},
                       {"title"},
                       {"architecture"},
                       {"chip", false},
                       {"sm_count"},
                       {"fma_per_clk_per_sm"},
                       {"dram_bytes_per_s"},
                       {"l2_bytes", false},
                       {"threads_per_sm"},
                       {"shared_bytes_per_sm"},
                       {"clocks"}});
  Device device;
  device.name = fields.name("name");
  device.title = fields.text("title");
  device.architecture = read_architecture(fields);
  if (fields.has("chip")) {
    device.chip = fields.name("chip");
  }
  device.sm_count = read_count(fields, "sm_count");
  device.fma_per_clk_per_sm = read_count(fields, "fma_per_clk_per_sm");
  device.dram_bytes_per_s = read_quantity(fields, "dram_bytes_per_s");
  if (fields.has("l2_bytes")) {
    device.l2_bytes = read_count(fields, "l2_bytes");
  }
  device.threads_per_sm = read_count(fields, "threads_per_sm");
  device.shared_bytes_per_sm = read_count(fields, "shared_bytes_per_sm");
  device.clocks = read_clocks(document, fields.at("clocks"));
  return device;
}

}  // namespace perfmodel::spec
