#include "model/spec/kernel_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/error.hpp"
#include "model/spec/fields.hpp"
#include "model/spec/shape_reader.hpp"
#include "model/text.hpp"

namespace perfmodel::spec {
namespace {

class KernelReader {
 public:
  explicit KernelReader(const Document& document) : document_(document) {}

  KernelSpec read() {
    const Fields fields(document_, document_.root, "kernel",
                        {{"schema"},
                         {"name"},
                         {"family"},
                         {"summary"},
                         {"dimensions"},
                         {"default_shape"},
                         {"work"},
                         {"library", false},
                         {"ledger", false}});
    KernelSpec kernel;
    kernel.name = fields.name("name");
    kernel.family = fields.name("family");
    kernel.summary = fields.text("summary");
    for (const Node& item : read_sequence(document_, fields.at("dimensions"), "dimensions")) {
      dimensions_.push_back(read_dimension(item));
    }
    kernel.dimensions = dimensions_;
    kernel.default_shape = read_default_shape(fields.at("default_shape"));

    const Fields work(document_, fields.at("work"), "work",
                      {{"outputs"}, {"fmas"}, {"required_bytes"}});
    kernel.outputs = expression(work, "outputs");
    kernel.fmas = expression(work, "fmas");
    kernel.required_bytes = expression(work, "required_bytes");

    if (fields.has("library") == fields.has("ledger")) {
      document_.fail_at(document_.root.mark,
                        "kernel: give either 'ledger', or 'library' for one without source");
    }
    if (fields.has("library")) {
      kernel.library = fields.name("library");
    } else {
      kernel.ledger = read_ledger(fields.at("ledger"));
    }
    return kernel;
  }

 private:
  [[nodiscard]] std::string read_dimension(const Node& item) const {
    const std::string name = read_name(document_, item, "dimension");
    const bool is_word = std::ranges::all_of(
        name, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
    if (!is_word || (name.front() >= '0' && name.front() <= '9')) {
      document_.fail_at(item.mark,
                        fmt::format("dimension '{}' must be lower-case letters, digits and '_', "
                                    "beginning with a letter",
                                    name));
    }
    if (std::ranges::find(dimensions_, name) != dimensions_.end()) {
      document_.fail_at(item.mark, fmt::format("dimension '{}' stands here twice", name));
    }
    return name;
  }

  [[nodiscard]] Shape read_default_shape(const Node& node) const {
    const Shape shape = read_shape(document_, node);
    try {
      return shape.ordered_as(dimensions_);
    } catch (const Error& error) {
      document_.fail_at(node.mark, error.what());
    }
  }

  [[nodiscard]] Expression expression(const Fields& fields, std::string_view key) const {
    const Node& node = fields.at(key);
    const std::string text = read_text_value(document_, node, key);
    try {
      return Expression::parse(text, dimensions_);
    } catch (const Error& error) {
      document_.fail_at(node.mark, error.what());
    }
  }

  [[nodiscard]] SourceLedgerSpec read_ledger(const Node& node) const {
    const Fields fields(
        document_, node, "ledger",
        {{"element_bytes"}, {"threads"}, {"outputs_per_thread"}, {"loops"}, {"global_stores"}});
    SourceLedgerSpec ledger;
    ledger.element_bytes = fields.integer("element_bytes");
    ledger.threads = expression(fields, "threads");
    ledger.outputs_per_thread = fields.integer("outputs_per_thread");
    ledger.loops = read_loops(fields.at("loops"));
    ledger.global_stores = read_accesses(fields.at("global_stores"), "global_stores");
    return ledger;
  }

  [[nodiscard]] std::vector<Loop> read_loops(const Node& node) const {
    std::vector<Loop> loops;
    for (const Node& item : read_sequence(document_, node, "loops")) {
      loops.push_back(read_loop(item));
    }
    return loops;
  }

  [[nodiscard]] Loop read_loop(const Node& node) const {
    const Fields fields(document_, node, "loop",
                        {{"name"},
                         {"trips"},
                         {"fmas", false},
                         {"shared_reads", false},
                         {"global_loads", false},
                         {"loops", false}});
    Loop loop;
    loop.name = fields.name("name");
    loop.trips = expression(fields, "trips");
    loop.fmas = optional_count(fields, "fmas");
    if (fields.has("shared_reads")) {
      const Fields reads(document_, fields.at("shared_reads"), "shared_reads",
                         {{"dist", false}, {"bcast", false}});
      loop.shared_dist = optional_count(reads, "dist");
      loop.shared_bcast = optional_count(reads, "bcast");
    }
    if (fields.has("global_loads")) {
      loop.global_loads = read_accesses(fields.at("global_loads"), "global_loads");
    }
    if (fields.has("loops")) {
      loop.loops = read_loops(fields.at("loops"));
    }
    return loop;
  }

  [[nodiscard]] std::vector<GlobalAccess> read_accesses(const Node& node,
                                                        std::string_view what) const {
    std::vector<GlobalAccess> accesses;
    for (const Node& item : read_sequence(document_, node, what)) {
      const Fields fields(document_, item, what,
                          {{"array"}, {"per_thread"}, {"width"}, {"lane_stride"}, {"elements"}});
      GlobalAccess access;
      access.array = fields.name("array");
      access.per_thread = count(fields, "per_thread");
      access.width = fields.integer("width");
      if (fields.text("lane_stride") != "gather") {
        access.lane_stride = expression(fields, "lane_stride");
      }
      access.elements = expression(fields, "elements");
      accesses.push_back(std::move(access));
    }
    return accesses;
  }

  /// A count per thread and trip: "8", or "1/4" where one thread in four does it. It does not
  /// depend on the shape, and is above zero.
  [[nodiscard]] Rational count(const Fields& fields, std::string_view key) const {
    const Node& node = fields.at(key);
    Rational value;
    try {
      value = Expression::parse(read_text_value(document_, node, key), {}).evaluate(Shape());
    } catch (const Error&) {
      document_.fail_at(node.mark, fmt::format("{} must be a count such as 8 or 1/4, not '{}'", key,
                                               printable(node.scalar)));
    }
    if (value <= 0) {
      document_.fail_at(node.mark,
                        fmt::format("{} must be above zero, not '{}'", key, node.scalar));
    }
    return value;
  }

  [[nodiscard]] Rational optional_count(const Fields& fields, std::string_view key) const {
    return fields.has(key) ? count(fields, key) : Rational(0);
  }

  const Document& document_;
  std::vector<std::string> dimensions_;
};

}  // namespace

KernelSpec read_kernel(const std::filesystem::path& path) {
  const Document document = read_yaml(path);
  check_schema(document, "kernel", 1);
  return KernelReader(document).read();
}

}  // namespace perfmodel::spec
