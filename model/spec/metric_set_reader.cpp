#include "model/spec/metric_set_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/spec/fields.hpp"
#include "model/text.hpp"

namespace perfmodel::spec {
namespace {

/// "unit__quantity.roll_up", of the characters that such names have.
std::string read_metric(const Fields& fields, std::string_view key) {
  const std::string text = fields.text(key);
  const std::size_t dot = text.find('.');
  const bool plain = std::ranges::all_of(text, [](char c) {
    return c == '_' || c == '.' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z');
  });
  if (!plain || dot == std::string::npos || dot == 0 || dot + 1 == text.size() ||
      text.find("__") == std::string::npos) {
    fields.document().fail_at(
        fields.at(key).mark,
        fmt::format("metric '{}' must be a name with its roll-up, such as smsp__inst_executed.sum",
                    printable(text)));
  }
  return text;
}

}  // namespace

MetricSet read_metric_set(const std::filesystem::path& path) {
  const Document document = read_yaml(path);
  check_schema(document, "metrics", 1);
  const Fields fields(document, document.root, "set of metrics",
                      {{"schema"}, {"name"}, {"title"}, {"metrics"}});
  MetricSet set;
  set.name = fields.name("name");
  set.title = fields.text("title");
  for (const Node& item : read_sequence(document, fields.at("metrics"), "metrics")) {
    const Fields metric(document, item, "metric", {{"name"}, {"or", false}, {"means"}});
    MetricChoice choice;
    choice.name = read_metric(metric, "name");
    if (metric.has("or")) {
      choice.alternative = read_metric(metric, "or");
    }
    choice.meaning = metric.text("means");
    const bool repeated = std::ranges::any_of(
        set.metrics, [&](const MetricChoice& other) { return other.name == choice.name; });
    if (repeated) {
      document.fail_at(item.mark, fmt::format("metric '{}' stands here twice", choice.name));
    }
    set.metrics.push_back(std::move(choice));
  }
  return set;
}

}  // namespace perfmodel::spec
