#include "model/spec/launch_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <system_error>
#include <type_traits>

#include "model/error.hpp"
#include "model/spec/fields.hpp"
#include "model/text.hpp"

namespace perfmodel::spec {
namespace {

// CUDA's limits, the same from sm_70 to sm_120.
constexpr std::array<std::uint64_t, 3> grid_limits = {2147483647, 65535, 65535};
constexpr std::array<std::uint64_t, 3> block_limits = {1024, 1024, 64};
constexpr std::uint64_t most_threads = 1024;
constexpr std::uint64_t most_dynamic_shared_bytes = std::uint64_t{227} * 1024;
constexpr std::uint64_t most_buffer_bytes = std::uint64_t{1} << 40;
/// A file is read into memory, a fill is not.
constexpr std::uint64_t most_file_bytes = std::uint64_t{1} << 32;
constexpr std::size_t most_arguments = 4096;

struct NamedFill {
  const char* name;
  sass::Fill fill;
  std::uint64_t element_bytes;
  bool seeded;
};

constexpr std::array named_fills = {
    NamedFill{"zeros", sass::Fill::zeros, 1, false},
    NamedFill{"iota_i32", sass::Fill::iota_i32, 4, false},
    NamedFill{"random_f32", sass::Fill::random_f32, 4, true},
    NamedFill{"random_f64", sass::Fill::random_f64, 8, true},
    NamedFill{"random_f16", sass::Fill::random_f16, 2, true},
    NamedFill{"random_u32", sass::Fill::random_u32, 4, true},
};

constexpr std::array<std::string_view, 6> value_types = {"i32", "u32", "i64", "u64", "f32", "f64"};

/// The whole text as a T; nothing where it is none or does not fit.
template <typename T>
std::optional<T> parse_whole(std::string_view text) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, value);
  return status == std::errc() && stop == end ? std::optional(value) : std::nullopt;
}

template <typename T>
sass::ValueArgument pack(T value) {
  sass::ValueArgument argument;
  argument.size_bytes = sizeof(T);
  std::memcpy(argument.bytes.data(), &value, sizeof(T));
  return argument;
}

template <typename T>
sass::ValueArgument whole_value(std::string_view type, std::string_view text) {
  if (const auto value = parse_whole<T>(text)) {
    return pack(*value);
  }
  fail(fmt::format("{} must be a whole number from {} to {}, not '{}'", type,
                   std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), printable(text)));
}

template <typename T>
sass::ValueArgument real_value(std::string_view type, std::string_view text) {
  const auto value = parse_whole<T>(text);
  if (!value || !std::isfinite(*value)) {
    fail(fmt::format("{} must be a finite number that fits it, not '{}'", type, printable(text)));
  }
  return pack(*value);
}

/// `type` is one of `value_types`.
sass::ValueArgument parse_value(std::string_view type, std::string_view text) {
  if (type == "i32") {
    return whole_value<std::int32_t>(type, text);
  }
  if (type == "u32") {
    return whole_value<std::uint32_t>(type, text);
  }
  if (type == "i64") {
    return whole_value<std::int64_t>(type, text);
  }
  if (type == "u64") {
    return whole_value<std::uint64_t>(type, text);
  }
  return type == "f32" ? real_value<float>(type, text) : real_value<double>(type, text);
}

std::uint64_t parse_in_range(std::string_view what, std::string_view text, std::uint64_t least,
                             std::uint64_t most) {
  const auto value = parse_whole<std::uint64_t>(text);
  if (!value || *value < least || *value > most) {
    fail(fmt::format("{} must be a whole number from {} to {}, not '{}'", what, least, most,
                     printable(text)));
  }
  return *value;
}

const NamedFill& find_fill(const std::string& name) {
  std::vector<std::string> names;
  for (const NamedFill& fill : named_fills) {
    if (name == fill.name) {
      return fill;
    }
    names.emplace_back(fill.name);
  }
  const std::string hint = did_you_mean(name, names);
  fail(fmt::format("there is no fill '{}'{}", printable(name),
                   hint.empty() ? fmt::format("; there are {}", join(names)) : hint));
}

void require_elements(const NamedFill& fill, std::uint64_t bytes) {
  if (bytes % fill.element_bytes != 0) {
    fail(fmt::format("a buffer of {} bytes is not made of {} elements of {} bytes", bytes,
                     fill.name, fill.element_bytes));
  }
}

std::shared_ptr<const std::vector<std::byte>> read_contents(const std::filesystem::path& file,
                                                            std::uint64_t size_bytes) {
  std::error_code status;
  const bool regular = std::filesystem::is_regular_file(file, status);
  const std::uint64_t found = regular ? std::filesystem::file_size(file, status) : 0;
  if (!regular || status) {
    fail(fmt::format("'{}' cannot be read: {}", printable(file.string(), 400),
                     status ? status.message() : "not a regular file"));
  }
  if (found != size_bytes) {
    fail(fmt::format("'{}' holds {} bytes, but the buffer has {}", printable(file.string(), 400),
                     found, size_bytes));
  }
  if (size_bytes > most_file_bytes) {
    fail(fmt::format("'{}' is too large to read: {} bytes, the limit is {}",
                     printable(file.string(), 400), size_bytes, most_file_bytes));
  }
  std::vector<std::byte> bytes(size_bytes);
  std::ifstream stream(file, std::ios::binary);
  stream.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size_bytes));
  if (!stream) {
    fail(fmt::format("'{}' cannot be read to its end", printable(file.string(), 400)));
  }
  return std::make_shared<const std::vector<std::byte>>(std::move(bytes));
}

void add_contents(LaunchDescription& description, sass::BufferArgument& buffer,
                  const std::filesystem::path& file) {
  description.contents.push_back(read_contents(file, buffer.size_bytes));
  buffer.fill = sass::Fill::data;
  buffer.data = *description.contents.back();
}

void require_threads(const sass::Launch& launch) {
  const std::uint64_t threads = std::uint64_t{launch.block[0]} * launch.block[1] * launch.block[2];
  if (threads > most_threads) {
    fail(fmt::format("a block of {} threads is more than the limit of {}", threads, most_threads));
  }
}

/// Extents in x, y, z; the missing ones are 1.
std::array<std::uint32_t, 3> parse_extents(std::string_view what,
                                           const std::vector<std::string>& texts,
                                           const std::array<std::uint64_t, 3>& limits) {
  if (texts.empty() || texts.size() > limits.size()) {
    fail(fmt::format("{} must have 1 to 3 extents, not {}", what, texts.size()));
  }
  std::array<std::uint32_t, 3> extents{1, 1, 1};
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (texts.size() == 1 && texts[i].find('x') != std::string::npos) {
      fail(fmt::format("{} must have its extents between commas, such as 8,8,1", what));
    }
    extents[i] = static_cast<std::uint32_t>(
        parse_in_range(fmt::format("{} in {}", what, "xyz"[i]), texts[i], 1, limits[i]));
  }
  return extents;
}

/// Adds file:line:column to what `action` complains about.
template <typename Action>
std::invoke_result_t<const Action&> located(const Document& document, const Node& node,
                                            const Action& action) {
  try {
    return action();
  } catch (const Error& error) {
    document.fail_at(node.mark, error.what());
  }
}

class LaunchReader {
 public:
  LaunchReader(const Document& document, std::filesystem::path folder)
      : document_(document), folder_(std::move(folder)) {}

  LaunchDescription read() {
    const Fields fields(document_, document_.root, "launch",
                        {{"schema", false},
                         {"kernel", false},
                         {"grid"},
                         {"block"},
                         {"dynamic_shared_bytes", false},
                         {"arguments", false}});
    if (fields.has("kernel")) {
      description_.kernel = fields.text("kernel");
    }
    sass::Launch& launch = description_.launch;
    launch.grid = read_extents(fields, "grid", grid_limits);
    launch.block = read_extents(fields, "block", block_limits);
    located(document_, fields.at("block"), [&] { require_threads(launch); });
    if (fields.has("dynamic_shared_bytes")) {
      const Node& node = fields.at("dynamic_shared_bytes");
      launch.dynamic_shared_bytes = static_cast<std::uint32_t>(
          number(node, "dynamic_shared_bytes", 0, most_dynamic_shared_bytes));
    }
    if (fields.has("arguments")) {
      read_arguments(fields.at("arguments"));
    }
    return std::move(description_);
  }

 private:
  [[nodiscard]] const std::string& unquoted(const Node& node, std::string_view what) const {
    if (node.kind != NodeKind::scalar || node.quoted) {
      document_.fail_at(node.mark, fmt::format("{} must be a number", what));
    }
    return node.scalar;
  }

  [[nodiscard]] std::uint64_t number(const Node& node, std::string_view what, std::uint64_t least,
                                     std::uint64_t most) const {
    const std::string& text = unquoted(node, what);
    return located(document_, node, [&] { return parse_in_range(what, text, least, most); });
  }

  [[nodiscard]] std::array<std::uint32_t, 3> read_extents(
      const Fields& fields, std::string_view key,
      const std::array<std::uint64_t, 3>& limits) const {
    const Node& node = fields.at(key);
    const std::vector<Node>& items = read_sequence(document_, node, key);
    if (items.size() > limits.size()) {
      document_.fail_at(node.mark,
                        fmt::format("{} must have 1 to 3 extents, not {}", key, items.size()));
    }
    std::array<std::uint32_t, 3> extents{1, 1, 1};
    for (std::size_t i = 0; i < items.size(); ++i) {
      extents[i] = static_cast<std::uint32_t>(
          number(items[i], fmt::format("{} in {}", key, "xyz"[i]), 1, limits[i]));
    }
    return extents;
  }

  void read_arguments(const Node& node) {
    if (node.kind != NodeKind::sequence) {
      document_.fail_at(node.mark, "arguments must be a list");
    }
    if (node.items.size() > most_arguments) {
      document_.fail_at(node.mark, fmt::format("{} arguments are more than the limit of {}",
                                               node.items.size(), most_arguments));
    }
    for (const Node& item : node.items) {
      description_.launch.arguments.push_back(read_argument(item));
    }
  }

  sass::Argument read_argument(const Node& item) {
    const Fields fields(document_, item, "argument",
                        {{"i32", false},
                         {"u32", false},
                         {"i64", false},
                         {"u64", false},
                         {"f32", false},
                         {"f64", false},
                         {"buffer", false},
                         {"fill", false},
                         {"seed", false},
                         {"file", false}});
    if (fields.has("buffer")) {
      return read_buffer(item);
    }
    if (item.members.size() != 1 || item.members.front().key == "fill" ||
        item.members.front().key == "seed" || item.members.front().key == "file") {
      document_.fail_at(item.mark,
                        "an argument is one value such as {i32: 4096}, or {buffer: BYTES, ...}");
    }
    const Node::Member& member = item.members.front();
    const std::string& text = unquoted(member.value, member.key);
    return located(document_, member.value, [&] { return parse_value(member.key, text); });
  }

  sass::BufferArgument read_buffer(const Node& item) {
    const Fields fields(document_, item, "buffer",
                        {{"buffer"}, {"fill", false}, {"seed", false}, {"file", false}});
    sass::BufferArgument buffer;
    buffer.size_bytes = number(fields.at("buffer"), "buffer", 1, most_buffer_bytes);
    if (fields.has("fill") && fields.has("file")) {
      document_.fail_at(item.mark, "buffer: give either 'fill' or 'file'");
    }
    bool seeded = false;
    if (fields.has("fill")) {
      const std::string name = fields.text("fill");
      const NamedFill fill = located(document_, fields.at("fill"), [&] {
        const NamedFill& found = find_fill(name);
        require_elements(found, buffer.size_bytes);
        return found;
      });
      buffer.fill = fill.fill;
      seeded = fill.seeded;
    }
    buffer.seed = description_.launch.arguments.size();
    if (fields.has("seed")) {
      if (!seeded) {
        document_.fail_at(fields.at("seed").mark, "only a random fill takes a 'seed'");
      }
      buffer.seed = number(fields.at("seed"), "seed", 0, std::numeric_limits<std::uint64_t>::max());
    }
    if (fields.has("file")) {
      const std::string name = fields.text("file");
      located(document_, fields.at("file"),
              [&] { add_contents(description_, buffer, folder_ / name); });
    }
    return buffer;
  }

  const Document& document_;
  std::filesystem::path folder_;
  LaunchDescription description_;
};

/// "buffer:BYTES", "buffer:BYTES:FILL", "buffer:BYTES:FILL:SEED" or "buffer:BYTES@FILE", without
/// the "buffer:".
sass::BufferArgument parse_buffer(LaunchDescription& description, std::string_view text) {
  sass::BufferArgument buffer;
  buffer.seed = description.launch.arguments.size();
  const std::size_t at = text.find('@');
  if (at != std::string_view::npos) {
    buffer.size_bytes = parse_in_range("buffer", text.substr(0, at), 1, most_buffer_bytes);
    add_contents(description, buffer, text.substr(at + 1));
    return buffer;
  }
  const std::vector<std::string> parts = split(text, ':');
  if (parts.size() > 3) {
    fail("a buffer is BYTES, BYTES:FILL, BYTES:FILL:SEED or BYTES@FILE");
  }
  buffer.size_bytes = parse_in_range("buffer", parts[0], 1, most_buffer_bytes);
  if (parts.size() > 1) {
    const NamedFill& fill = find_fill(parts[1]);
    require_elements(fill, buffer.size_bytes);
    buffer.fill = fill.fill;
    if (parts.size() > 2) {
      if (!fill.seeded) {
        fail(fmt::format("only a random fill takes a seed, not {}", fill.name));
      }
      buffer.seed = parse_in_range("seed", parts[2], 0, std::numeric_limits<std::uint64_t>::max());
    }
  }
  return buffer;
}

sass::Argument parse_argument(LaunchDescription& description, const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::string type = text.substr(0, colon);
  const std::string rest = colon == std::string::npos ? "" : text.substr(colon + 1);
  if (type == "buffer") {
    return parse_buffer(description, rest);
  }
  if (std::ranges::find(value_types, type) == value_types.end()) {
    std::vector<std::string> types(value_types.begin(), value_types.end());
    types.emplace_back("buffer");
    const std::string hint = did_you_mean(type, types);
    fail(fmt::format(
        "there is no type '{}'{}", printable(type),
        hint.empty() ? fmt::format("; write TYPE:VALUE with one of {}", join(types)) : hint));
  }
  return parse_value(type, rest);
}

/// Names the flag in what `action` complains about.
template <typename Action>
std::invoke_result_t<const Action&> flagged(std::string_view flag, const std::string& text,
                                            const Action& action) {
  try {
    return action();
  } catch (const Error& error) {
    fail(fmt::format("{} '{}': {}", flag, printable(text), error.what()));
  }
}

}  // namespace

LaunchDescription read_launch(const std::filesystem::path& path) {
  const Document document = read_yaml(path);
  if (document.root.find("schema") != nullptr) {
    check_schema(document, "launch", 1);
  }
  return LaunchReader(document, path.parent_path()).read();
}

LaunchDescription launch_from_flags(const LaunchFlags& flags) {
  LaunchDescription description;
  sass::Launch& launch = description.launch;
  flagged("--grid", flags.grid,
          [&] { launch.grid = parse_extents("grid", split(flags.grid, ','), grid_limits); });
  flagged("--block", flags.block, [&] {
    launch.block = parse_extents("block", split(flags.block, ','), block_limits);
    require_threads(launch);
  });
  const std::string shared = std::to_string(flags.dynamic_shared_bytes);
  launch.dynamic_shared_bytes = flagged("--dynamic-shared-bytes", shared, [&] {
    return static_cast<std::uint32_t>(
        parse_in_range("dynamic shared memory", shared, 0, most_dynamic_shared_bytes));
  });
  for (const std::string& text : flags.arguments) {
    launch.arguments.push_back(
        flagged("--arg", text, [&] { return parse_argument(description, text); }));
  }
  return description;
}

}  // namespace perfmodel::spec
