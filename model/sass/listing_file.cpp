#include "model/sass/listing_file.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "model/error.hpp"
#include "model/spec/fields.hpp"
#include "model/spec/write_file.hpp"
#include "model/text.hpp"

namespace perfmodel::sass {
namespace {

using OrderedJson = nlohmann::ordered_json;
using spec::Document;
using spec::Fields;
using spec::Node;

constexpr spec::Limits listing_limits{std::size_t{256} << 20U, 20'000'000, 12};

// ---- writing

std::string hexadecimal(std::span<const std::byte> bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const std::byte byte : bytes) {
    const auto value = std::to_integer<unsigned>(byte);
    text += digits[value >> 4U];
    text += digits[value & 0xfU];
  }
  return text;
}

std::string instruction_text(const ListedInstruction& instruction) {
  std::string text = instruction.predicate;
  if (!text.empty()) {
    text += ' ';
  }
  text += instruction.opcode;
  if (!instruction.operands.empty()) {
    text += ' ';
    text += instruction.operands;
  }
  return text;
}

OrderedJson source_runs(const std::vector<ListedInstruction>& code) {
  OrderedJson runs = OrderedJson::array();
  std::size_t begin = 0;
  while (begin < code.size()) {
    std::size_t end = begin;
    while (end < code.size() && code[end].source_file == code[begin].source_file &&
           code[end].source_line == code[begin].source_line) {
      ++end;
    }
    runs.push_back(end - begin);
    runs.push_back(code[begin].source_file);
    runs.push_back(code[begin].source_line);
    begin = end;
  }
  return runs;
}

OrderedJson function_json(const Function& function) {
  OrderedJson parameters = OrderedJson::array();
  for (const Parameter& parameter : function.parameters) {
    parameters.push_back(OrderedJson::array({parameter.offset_bytes, parameter.size_bytes}));
  }
  OrderedJson labels = OrderedJson::array();
  for (const CodeLabel& label : function.labels) {
    labels.push_back(OrderedJson::array({label.name, label.address}));
  }
  OrderedJson code = OrderedJson::array();
  for (const ListedInstruction& instruction : function.instructions) {
    code.push_back(instruction_text(instruction));
  }
  OrderedJson json;
  json["name"] = function.name;
  json["kernel"] = function.kernel;
  json["described"] = function.described;
  json["registers"] = function.registers;
  json["static_shared_bytes"] = function.static_shared_bytes;
  json["local_bytes"] = function.local_bytes;
  json["max_threads"] = function.max_threads;
  json["parameter_base"] = function.parameter_base;
  json["parameters"] = std::move(parameters);
  json["labels"] = std::move(labels);
  json["code"] = std::move(code);
  json["source"] = source_runs(function.instructions);
  if (function.has_control) {
    OrderedJson control = OrderedJson::array();
    for (const ListedInstruction& instruction : function.instructions) {
      control.push_back(pack_control(instruction.control));
    }
    json["control"] = std::move(control);
  }
  return json;
}

OrderedJson module_json(const Module& module) {
  OrderedJson banks = OrderedJson::array();
  for (const ConstantBank& bank : module.banks) {
    OrderedJson json;
    json["bank"] = bank.bank;
    json["function"] = bank.function;
    json["bytes"] = hexadecimal(bank.bytes);
    banks.push_back(std::move(json));
  }
  OrderedJson variables = OrderedJson::array();
  for (const GlobalVariable& variable : module.variables) {
    OrderedJson json;
    json["name"] = variable.name;
    json["size_bytes"] = variable.size_bytes;
    json["initial"] = hexadecimal(variable.initial);
    variables.push_back(std::move(json));
  }
  OrderedJson slots = OrderedJson::array();
  for (const AddressSlot& slot : module.address_slots) {
    slots.push_back(OrderedJson::array({slot.bank, slot.offset_bytes, slot.variable, slot.addend}));
  }
  OrderedJson pointers = OrderedJson::array();
  for (const VariablePointer& pointer : module.variable_pointers) {
    pointers.push_back(OrderedJson::array(
        {pointer.variable, pointer.offset_bytes, pointer.target, pointer.addend}));
  }
  OrderedJson functions = OrderedJson::array();
  for (const Function& function : module.functions) {
    functions.push_back(function_json(function));
  }
  OrderedJson json;
  json["arch"] = module.arch;
  json["tool"] = module.tool;
  json["compiler"] = module.compiler;
  json["source_files"] = module.source_files;
  json["banks"] = std::move(banks);
  json["variables"] = std::move(variables);
  json["address_slots"] = std::move(slots);
  json["variable_pointers"] = std::move(pointers);
  json["functions"] = std::move(functions);
  return json;
}

std::string compressed(const std::string& text) {
  constexpr int gzip_window = 15 + 16;  // zlib's way to ask for a gzip header, without time or name
  constexpr int memory_level = 9;
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, gzip_window, memory_level,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    throw Error(ErrorKind::unavailable, "no memory to compress a listing");
  }
  std::string out(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
  // zlib takes no pointer to const, but changes nothing.
  stream.next_in = reinterpret_cast<Bytef*>(
      const_cast<char*>(text.data()));  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int status = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (status != Z_STREAM_END) {
    throw Error(ErrorKind::unavailable, "a listing cannot be compressed");
  }
  return out;
}

// ---- reading

/// A whole number from 0; unlike `read_integer` also beyond 63 bits, as addends may be negative
/// offsets.
template <typename Number>
Number whole(const Document& document, const Node& node, std::string_view what) {
  Number number{};
  const std::string& text = node.scalar;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (node.kind != spec::NodeKind::scalar || node.quoted || text.empty() || status != std::errc() ||
      end != text.data() + text.size()) {
    document.fail_at(node.mark, fmt::format("{} must be a whole number of at most {} bits", what,
                                            std::numeric_limits<Number>::digits));
  }
  return number;
}

std::string string_value(const Document& document, const Node& node, std::string_view what) {
  if (node.kind != spec::NodeKind::scalar || !node.quoted) {
    document.fail_at(node.mark, fmt::format("{} must be a string", what));
  }
  if (node.scalar.find_first_of("\n\t") != std::string::npos) {
    document.fail_at(node.mark, fmt::format("{} must be one line without tabs", what));
  }
  return node.scalar;
}

bool boolean(const Fields& fields, std::string_view key) {
  const Node& node = fields.at(key);
  const bool yes = node.scalar == "true";
  if (node.kind != spec::NodeKind::scalar || node.quoted || (!yes && node.scalar != "false")) {
    fields.document().fail_at(node.mark, fmt::format("{} must be true or false", key));
  }
  return yes;
}

std::uint32_t word(const Fields& fields, std::string_view key) {
  return whole<std::uint32_t>(fields.document(), fields.at(key), key);
}

std::string string_field(const Fields& fields, std::string_view key) {
  return string_value(fields.document(), fields.at(key), key);
}

/// A list that may be empty, unlike those of `spec::read_sequence`.
const std::vector<Node>& items_of(const Fields& fields, std::string_view key) {
  const Node& node = fields.at(key);
  if (node.kind != spec::NodeKind::sequence) {
    fields.document().fail_at(node.mark, fmt::format("{} must be a list", key));
  }
  return node.items;
}

/// A list of exactly `count` items.
const std::vector<Node>& tuple(const Document& document, const Node& node, std::string_view what,
                               std::size_t count) {
  const std::vector<Node>& items = spec::read_sequence(document, node, what);
  if (items.size() != count) {
    document.fail_at(node.mark,
                     fmt::format("{} must have {} items, not {}", what, count, items.size()));
  }
  return items;
}

std::vector<std::byte> bytes_field(const Fields& fields, std::string_view key) {
  const std::string text = string_field(fields, key);
  constexpr int hexadecimal_base = 16;
  std::vector<std::byte> bytes;
  bytes.reserve(text.size() / 2);
  bool valid = text.size() % 2 == 0;
  for (std::size_t i = 0; valid && i < text.size(); i += 2) {
    std::uint8_t value = 0;
    const char* end = text.data() + i + 2;
    const auto [stop, status] = std::from_chars(text.data() + i, end, value, hexadecimal_base);
    valid = status == std::errc() && stop == end;
    bytes.push_back(std::byte{value});
  }
  if (!valid) {
    fields.document().fail_at(fields.at(key).mark,
                              fmt::format("{} must be pairs of hexadecimal digits", key));
  }
  return bytes;
}

ListedInstruction parse_instruction(const Document& document, const Node& node) {
  const std::string text = string_value(document, node, "instruction");
  ListedInstruction instruction;
  std::string_view rest = text;
  const auto take_word = [&] {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    const std::string_view first = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return std::string(first);
  };
  if (rest.starts_with('@')) {
    instruction.predicate = take_word();
  }
  instruction.opcode = take_word();
  instruction.operands = rest;
  if (instruction.opcode.empty() || instruction.opcode.starts_with('@') ||
      instruction_text(instruction) != text) {
    document.fail_at(node.mark, fmt::format("'{}' is no instruction", printable(text)));
  }
  return instruction;
}

void read_source(const Fields& fields, std::size_t files, Function& function) {
  const Document& document = fields.document();
  const std::vector<Node>& runs = items_of(fields, "source");
  constexpr std::size_t run_items = 3;
  std::size_t next = 0;
  const std::size_t total = function.instructions.size();
  for (std::size_t i = 0; i + run_items <= runs.size(); i += run_items) {
    const auto count = whole<std::uint32_t>(document, runs[i], "count");
    const auto file = whole<std::uint32_t>(document, runs[i + 1], "file");
    const auto line = whole<std::uint32_t>(document, runs[i + 2], "line");
    if (count > total - next) {
      document.fail_at(runs[i].mark,
                       fmt::format("source describes more than {} instructions", total));
    }
    if (file >= files && (file != 0 || line != 0)) {
      document.fail_at(runs[i + 1].mark, fmt::format("source file {} of {}", file, files));
    }
    for (const std::size_t end = next + count; next < end; ++next) {
      function.instructions[next].source_file = file;
      function.instructions[next].source_line = line;
    }
  }
  if (next != total || runs.size() % run_items != 0) {
    document.fail_at(fields.at("source").mark,
                     fmt::format("source describes {} instructions of {}", next, total));
  }
}

void read_control(const Fields& fields, Function& function) {
  const Document& document = fields.document();
  const std::vector<Node>& controls = items_of(fields, "control");
  if (controls.size() != function.instructions.size()) {
    document.fail_at(fields.at("control").mark,
                     fmt::format("control describes {} instructions of {}", controls.size(),
                                 function.instructions.size()));
  }
  for (std::size_t i = 0; i < controls.size(); ++i) {
    const auto packed = whole<std::uint32_t>(document, controls[i], "control");
    if (packed >> control_bits != 0) {
      document.fail_at(controls[i].mark,
                       fmt::format("control {} has more than {} bits", packed, control_bits));
    }
    function.instructions[i].control = unpack_control(packed);
  }
  function.has_control = true;
}

Function read_function(const Document& document, const Node& node, std::size_t files) {
  const Fields fields(document, node, "function",
                      {{"name"},
                       {"kernel"},
                       {"described"},
                       {"registers"},
                       {"static_shared_bytes"},
                       {"local_bytes"},
                       {"max_threads"},
                       {"parameter_base"},
                       {"parameters"},
                       {"labels"},
                       {"code"},
                       {"source"},
                       {"control", false}});
  Function function;
  function.name = string_field(fields, "name");
  function.kernel = boolean(fields, "kernel");
  function.described = boolean(fields, "described");
  function.registers = word(fields, "registers");
  function.static_shared_bytes = word(fields, "static_shared_bytes");
  function.local_bytes = word(fields, "local_bytes");
  function.max_threads = word(fields, "max_threads");
  function.parameter_base = word(fields, "parameter_base");
  for (const Node& item : items_of(fields, "parameters")) {
    const auto& pair = tuple(document, item, "parameter", 2);
    function.parameters.push_back({whole<std::uint32_t>(document, pair[0], "offset"),
                                   whole<std::uint32_t>(document, pair[1], "size")});
  }
  for (const Node& item : items_of(fields, "labels")) {
    const auto& pair = tuple(document, item, "label", 2);
    function.labels.push_back({string_value(document, pair[0], "label name"),
                               whole<std::uint32_t>(document, pair[1], "address")});
  }
  const std::vector<Node>& code = items_of(fields, "code");
  function.instructions.reserve(code.size());
  for (const Node& item : code) {
    function.instructions.push_back(parse_instruction(document, item));
  }
  read_source(fields, files, function);
  if (fields.has("control")) {
    read_control(fields, function);
  }
  return function;
}

int sm_of(const Fields& fields, const std::string& arch) {
  int sm = 0;
  constexpr std::string_view prefix = "sm_";
  const char* end = arch.data() + arch.size();
  const bool named =
      arch.starts_with(prefix) && arch.size() > prefix.size() && arch[prefix.size()] != '-';
  const auto [stop, status] =
      named ? std::from_chars(arch.data() + prefix.size(), end, sm)
            : std::from_chars_result{arch.data(), std::errc::invalid_argument};
  if (status != std::errc() || stop != end) {
    fields.document().fail_at(
        fields.at("arch").mark,
        fmt::format("'{}' is no architecture such as sm_90", printable(arch)));
  }
  return sm;
}

/// The four numbers of a slot or pointer. Those at `checked` are indices of variables.
struct Quadruple {
  std::uint32_t first = 0;
  std::uint64_t offset = 0;
  std::uint32_t third = 0;
  std::uint64_t addend = 0;
};

Quadruple read_quadruple(const Document& document, const Node& node, std::string_view what) {
  constexpr std::size_t count = 4;
  const auto& items = tuple(document, node, what, count);
  return {whole<std::uint32_t>(document, items[0], what),
          whole<std::uint64_t>(document, items[1], what),
          whole<std::uint32_t>(document, items[2], what),
          whole<std::uint64_t>(document, items[3], what)};
}

void read_addresses(const Fields& fields, Module& module) {
  const Document& document = fields.document();
  const std::size_t variables = module.variables.size();
  constexpr std::uint64_t address_size = 8;
  const auto require_variable = [&](const Node& node, std::uint32_t variable) {
    if (variable >= variables) {
      document.fail_at(node.mark, fmt::format("variable {} of {}", variable, variables));
    }
  };
  for (const Node& item : items_of(fields, "address_slots")) {
    const Quadruple numbers = read_quadruple(document, item, "address slot");
    require_variable(item, numbers.third);
    if (numbers.offset > std::numeric_limits<std::uint32_t>::max()) {
      document.fail_at(item.mark, fmt::format("offset {} in a constant bank", numbers.offset));
    }
    module.address_slots.push_back(
        {numbers.first, static_cast<std::uint32_t>(numbers.offset), numbers.third, numbers.addend});
  }
  for (const Node& item : items_of(fields, "variable_pointers")) {
    const Quadruple numbers = read_quadruple(document, item, "variable pointer");
    require_variable(item, numbers.first);
    require_variable(item, numbers.third);
    const std::uint64_t size = module.variables[numbers.first].size_bytes;
    if (size < address_size || numbers.offset > size - address_size) {
      document.fail_at(item.mark, fmt::format("byte {} of a variable of {}", numbers.offset, size));
    }
    module.variable_pointers.push_back(
        {numbers.first, numbers.offset, numbers.third, numbers.addend});
  }
}

Module read_module(const Document& document, const Node& node) {
  const Fields fields(document, node, "module",
                      {{"arch"},
                       {"tool"},
                       {"compiler"},
                       {"source_files"},
                       {"banks"},
                       {"variables"},
                       {"address_slots"},
                       {"variable_pointers"},
                       {"functions"}});
  Module module;
  module.arch = string_field(fields, "arch");
  module.sm = sm_of(fields, module.arch);
  module.tool = string_field(fields, "tool");
  module.compiler = string_field(fields, "compiler");
  for (const Node& item : items_of(fields, "source_files")) {
    module.source_files.push_back(string_value(document, item, "source file"));
  }
  for (const Node& item : items_of(fields, "banks")) {
    const Fields bank(document, item, "bank", {{"bank"}, {"function"}, {"bytes"}});
    module.banks.push_back(
        {word(bank, "bank"), bytes_field(bank, "bytes"), string_field(bank, "function")});
  }
  for (const Node& item : items_of(fields, "variables")) {
    const Fields variable(document, item, "variable", {{"name"}, {"size_bytes"}, {"initial"}});
    GlobalVariable read;
    read.name = string_field(variable, "name");
    read.size_bytes = whole<std::uint64_t>(document, variable.at("size_bytes"), "size_bytes");
    read.initial = bytes_field(variable, "initial");
    if (!read.initial.empty() && read.initial.size() != read.size_bytes) {
      document.fail_at(
          variable.at("initial").mark,
          fmt::format("initial has {} bytes of {}", read.initial.size(), read.size_bytes));
    }
    module.variables.push_back(std::move(read));
  }
  read_addresses(fields, module);
  for (const Node& item : items_of(fields, "functions")) {
    module.functions.push_back(read_function(document, item, module.source_files.size()));
  }
  return module;
}

struct CloseGzip {
  void operator()(gzFile file) const { gzclose(file); }
};

}  // namespace

std::string write_listing(std::span<const Module> modules) {
  OrderedJson list = OrderedJson::array();
  for (const Module& module : modules) {
    list.push_back(module_json(module));
  }
  OrderedJson root;
  root["schema"] = "perfmodel.listing/1";
  root["modules"] = std::move(list);
  try {
    return root.dump() + "\n";
  } catch (const OrderedJson::type_error&) {
    fail("a name in the listing is not UTF-8, so it cannot be stored");
  }
}

std::vector<Module> parse_listing(std::string_view text, const std::string& file) {
  const Document document = spec::parse_json(text, file, listing_limits);
  spec::check_schema(document, "listing", 1);
  const Fields fields(document, document.root, "listing", {{"schema"}, {"modules"}});
  std::vector<Module> modules;
  for (const Node& item : items_of(fields, "modules")) {
    modules.push_back(read_module(document, item));
  }
  return modules;
}

void write_listing_file(const std::filesystem::path& path, std::span<const Module> modules) {
  const std::string text = write_listing(modules);
  spec::write_file(path, path.extension() == ".gz" ? compressed(text) : text);
}

std::string read_plain_or_gzip(const std::filesystem::path& path, std::size_t most_bytes) {
  const std::unique_ptr<gzFile_s, CloseGzip> file(gzopen(path.c_str(), "rbe"));
  if (file == nullptr) {
    fail(fmt::format("{}: cannot be read: {}", path.string(),
                     errno == 0 ? "no memory" : std::strerror(errno)));
  }
  std::string text;
  constexpr std::size_t step = std::size_t{1} << 18U;
  std::vector<char> buffer(step);
  while (true) {
    const int count = gzread(file.get(), buffer.data(), static_cast<unsigned>(buffer.size()));
    if (count > 0) {
      text.append(buffer.data(), static_cast<std::size_t>(count));
    }
    int status = Z_OK;
    const char* said = gzerror(file.get(), &status);
    if (count < 0 || status == Z_BUF_ERROR) {
      const std::string why = status == Z_ERRNO ? std::strerror(errno) : said;
      fail(fmt::format("{}: cannot be decompressed: {}", path.string(),
                       status == Z_BUF_ERROR ? "the file is cut short" : printable(why)));
    }
    if (text.size() > most_bytes) {
      fail(fmt::format("{}: has more than {} bytes", path.string(), most_bytes));
    }
    if (count == 0) {
      return text;
    }
  }
}

}  // namespace perfmodel::sass
