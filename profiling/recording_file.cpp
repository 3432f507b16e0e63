#include "profiling/recording_file.hpp"

#include <fmt/format.h>

#include <array>
#include <unordered_set>

#include "model/spec/fields.hpp"
#include "model/spec/shape_reader.hpp"
#include "model/statistics.hpp"
#include "model/text.hpp"

namespace perfmodel::profiling {
namespace {

using spec::Document;
using spec::Fields;
using spec::Node;

SourceKind read_source_kind(const Fields& source) {
  static constexpr std::array kinds = {SourceKind::measured, SourceKind::published};
  const std::string text = source.text("kind");
  std::vector<std::string> names;
  for (const SourceKind kind : kinds) {
    if (to_string(kind) == text) {
      return kind;
    }
    names.emplace_back(to_string(kind));
  }
  source.document().fail_at(source.at("kind").mark, fmt::format("kind '{}' must be one of {}",
                                                                printable(text), join(names)));
}

Measurement read_entry(const Document& document, const Node& node, SourceKind kind) {
  const Fields fields(
      document, node, "entry",
      {{"kernel"}, {"shape"}, {"median_s", false}, {"samples_s", false}, {"note", false}});
  Measurement entry;
  entry.kernel = fields.name("kernel");
  entry.shape = spec::read_shape(document, fields.at("shape"));
  if (fields.has("samples_s") == fields.has("median_s")) {
    document.fail_at(node.mark,
                     "entry: give either 'samples_s' (raw samples) or, where only that was "
                     "published, 'median_s'");
  }
  if (fields.has("samples_s")) {
    for (const Node& sample : spec::read_sequence(document, fields.at("samples_s"), "samples_s")) {
      entry.samples_s.push_back(spec::read_positive(document, sample, "sample"));
    }
    entry.median_s = median(entry.samples_s).value();
  } else if (kind == SourceKind::measured) {
    document.fail_at(fields.at("median_s").mark,
                     "entry: a measured recording keeps its raw samples; write 'samples_s'");
  } else {
    entry.median_s = fields.positive("median_s");
  }
  if (fields.has("note")) {
    entry.note = fields.text("note");
  }
  return entry;
}

}  // namespace

Recording read_recording(const std::filesystem::path& path) {
  return to_recording(spec::read_json(path), printable(path.stem().string()));
}

Recording to_recording(const spec::Document& document, std::string name) {
  spec::check_schema(document, "recording", 1);
  const Fields fields(document, document.root, "recording",
                      {{"schema"}, {"device"}, {"clock"}, {"source"}, {"entries"}});
  Recording recording;
  recording.name = std::move(name);
  recording.device = fields.name("device");

  const Fields clock(document, fields.at("clock"), "clock", {{"basis"}, {"clock_hz"}});
  recording.clock_basis = clock.name("basis");
  recording.clock_hz = clock.positive("clock_hz");

  const Fields source(document, fields.at("source"), "source", {{"kind"}, {"description"}});
  recording.source_kind = read_source_kind(source);
  recording.source = source.text("description");

  std::unordered_set<std::string> seen;
  for (const Node& item : spec::read_sequence(document, fields.at("entries"), "entries")) {
    Measurement entry = read_entry(document, item, recording.source_kind);
    if (!seen.insert(entry.kernel + " " + entry.shape.key()).second) {
      document.fail_at(item.mark, fmt::format("entry: {} at {} stands here twice", entry.kernel,
                                              entry.shape.to_string()));
    }
    recording.entries.push_back(std::move(entry));
  }
  return recording;
}

}  // namespace perfmodel::profiling
