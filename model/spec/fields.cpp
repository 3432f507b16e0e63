#include "model/spec/fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "model/error.hpp"
#include "model/text.hpp"

namespace perfmodel::spec {
namespace {

std::string_view describe(NodeKind kind) {
  switch (kind) {
    case NodeKind::null:
      return "nothing";
    case NodeKind::scalar:
      return "a single value";
    case NodeKind::sequence:
      return "a list";
    case NodeKind::mapping:
      return "a mapping";
  }
  return "";
}

/// The valid key that `key` would be with its unit: 'boost_clock' for 'boost_clock_hz'.
std::optional<std::string> with_unit(std::string_view key, const std::vector<std::string>& valid) {
  static const std::vector<std::string> units = {"hz",          "s",          "bytes",
                                                 "bytes_per_s", "flop_per_s", "cycles"};
  for (const std::string& unit : units) {
    std::string candidate = fmt::format("{}_{}", key, unit);
    if (std::ranges::find(valid, candidate) != valid.end()) {
      return candidate;
    }
  }
  return std::nullopt;
}

[[noreturn]] void wrong_kind(const Document& document, const Node& node, std::string_view what,
                             std::string_view expected) {
  document.fail_at(node.mark,
                   fmt::format("{} must be {}, not {}", what, expected, describe(node.kind)));
}

const std::string& scalar(const Document& document, const Node& node, std::string_view what,
                          std::string_view expected) {
  if (node.kind != NodeKind::scalar) {
    wrong_kind(document, node, what, expected);
  }
  return node.scalar;
}

}  // namespace

Fields::Fields(const Document& document, const Node& node, std::string_view what,
               std::initializer_list<Key> keys)
    : document_(document), node_(node), what_(what) {
  if (node.kind != NodeKind::mapping) {
    wrong_kind(document, node, what, "a mapping");
  }
  std::vector<std::string> valid;
  valid.reserve(keys.size());
  for (const Key& key : keys) {
    valid.emplace_back(key.name);
  }
  for (const Node::Member& member : node.members) {
    if (std::ranges::find(valid, member.key) != valid.end()) {
      continue;
    }
    if (const auto unit_key = with_unit(member.key, valid)) {
      document.fail_at(member.mark, fmt::format("{}: key '{}' names no unit; write '{}'", what,
                                                printable(member.key), *unit_key));
    }
    const std::string hint = did_you_mean(member.key, valid);
    document.fail_at(
        member.mark,
        fmt::format("{}: unknown key '{}'{}", what, printable(member.key),
                    hint.empty() ? fmt::format("; valid keys are {}", join(valid)) : hint));
  }
  for (const Key& key : keys) {
    if (key.required && !has(key.name)) {
      document.fail_at(node.mark, fmt::format("{}: key '{}' is missing", what, key.name));
    }
  }
}

const Node& Fields::at(std::string_view key) const {
  const Node* node = node_.find(key);
  if (node == nullptr) {
    document_.fail_at(node_.mark, fmt::format("{}: key '{}' is missing", what_, key));
  }
  return *node;
}

std::string Fields::text(std::string_view key) const {
  return read_text_value(document_, at(key), key);
}

std::string Fields::name(std::string_view key) const { return read_name(document_, at(key), key); }

std::int64_t Fields::integer(std::string_view key, std::int64_t minimum) const {
  return read_integer(document_, at(key), key, minimum);
}

double Fields::positive(std::string_view key) const {
  return read_positive(document_, at(key), key);
}

std::string read_text_value(const Document& document, const Node& node, std::string_view what) {
  constexpr std::size_t longest = 2000;
  const std::string& value = scalar(document, node, what, "text");
  if (value.empty() || value.size() > longest) {
    document.fail_at(node.mark, fmt::format("{} must have 1 to {} bytes", what, longest));
  }
  return value;
}

std::string read_name(const Document& document, const Node& node, std::string_view what) {
  const std::string& value = scalar(document, node, what, "a name");
  if (!is_plain_name(value)) {
    document.fail_at(node.mark,
                     fmt::format("{} '{}' must be a letter or digit, then up to 63 letters, "
                                 "digits, '_', '-', '.' or '+'",
                                 what, printable(value)));
  }
  return value;
}

double read_number(const Document& document, const Node& node, std::string_view what) {
  const std::string& text = scalar(document, node, what, "a number");
  double value = 0.0;
  const char* end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, value);
  const bool parsed = !node.quoted && status != std::errc::invalid_argument && stop == end;
  if (!parsed) {
    document.fail_at(node.mark,
                     fmt::format("{} must be a number, not '{}'", what, printable(text)));
  }
  if (status == std::errc::result_out_of_range || !std::isfinite(value)) {
    document.fail_at(node.mark, fmt::format("{} must be finite, not '{}'", what, printable(text)));
  }
  return value;
}

double read_positive(const Document& document, const Node& node, std::string_view what) {
  const double value = read_number(document, node, what);
  if (value <= 0.0) {
    document.fail_at(node.mark, fmt::format("{} must be above zero, not {}", what, value));
  }
  return value;
}

std::int64_t read_integer(const Document& document, const Node& node, std::string_view what,
                          std::int64_t minimum) {
  constexpr double largest_exact = 9007199254740992.0;  // 2^53: the number came through a double
  const double value = read_number(document, node, what);
  if (value != std::floor(value)) {
    document.fail_at(node.mark,
                     fmt::format("{} must be a whole number, not '{}'", what, node.scalar));
  }
  if (value < static_cast<double>(minimum)) {
    document.fail_at(node.mark,
                     fmt::format("{} must be at least {}, not '{}'", what, minimum, node.scalar));
  }
  if (value > largest_exact) {
    document.fail_at(node.mark, fmt::format("{} '{}' is too large", what, node.scalar));
  }
  return static_cast<std::int64_t>(value);
}

const std::vector<Node>& read_sequence(const Document& document, const Node& node,
                                       std::string_view what) {
  if (node.kind != NodeKind::sequence) {
    wrong_kind(document, node, what, "a list");
  }
  if (node.items.empty()) {
    document.fail_at(node.mark, fmt::format("{} must not be empty", what));
  }
  return node.items;
}

void check_schema(const Document& document, std::string_view name, int version) {
  const Node* schema = document.root.find("schema");
  if (document.root.kind != NodeKind::mapping || schema == nullptr) {
    document.fail_at(
        document.root.mark,
        fmt::format("key 'schema' is missing; write schema: perfmodel.{}/{}", name, version));
  }
  const std::string text = read_text_value(document, *schema, "schema");
  const std::string prefix = fmt::format("perfmodel.{}/", name);
  int found = 0;
  const char* end = text.data() + text.size();
  const bool named = text.starts_with(prefix);
  const auto [stop, status] =
      std::from_chars(text.data() + (named ? prefix.size() : 0), end, found);
  if (!named || status != std::errc() || stop != end || found < 1) {
    document.fail_at(schema->mark, fmt::format("schema '{}' is not perfmodel.{}/{}",
                                               printable(text), name, version));
  }
  if (found > version) {
    document.fail_at(schema->mark,
                     fmt::format("written by a newer perfmodel: schema version {}, this one reads "
                                 "up to {}; update perfmodel",
                                 found, version));
  }
}

}  // namespace perfmodel::spec
