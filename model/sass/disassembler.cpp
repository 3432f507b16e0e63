#include "model/sass/disassembler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <vector>

#include "model/error.hpp"
#include "model/sass/program.hpp"
#include "model/text.hpp"

namespace perfmodel::sass {
namespace {

using Json = nlohmann::json;

/// Typed access to the parsed output. Keys that are not asked for are left alone: every version of
/// nvdisasm adds some.
class DisassemblyReader {
 public:
  explicit DisassemblyReader(const std::string& file) : file_(file) {}

  [[nodiscard]] Module read(const Json& root) const {
    // [header, [functions], line information]
    constexpr std::size_t most_parts = 3;
    if (!root.is_array() || root.size() < 2 || root.size() > most_parts) {
      fail_here("is not the output of 'nvdisasm -json': a list of header and functions");
    }
    Module module;
    read_header(root[0], module);
    if (root.size() == most_parts) {
      read_files(root[2], module);
    }
    std::vector<std::uint32_t> lengths;
    for (const Json& function : list(root[1], "functions")) {
      read_function(function, module, lengths);
    }
    check_lengths(module, lengths);
    return module;
  }

 private:
  [[noreturn]] void fail_here(const std::string& what) const {
    fail(fmt::format("{}: {}", file_, what));
  }

  [[nodiscard]] const Json& member(const Json& object, const char* key,
                                   std::string_view what) const {
    if (!object.is_object()) {
      fail_here(fmt::format("{} is no object", what));
    }
    const auto found = object.find(key);
    if (found == object.end()) {
      fail_here(fmt::format("{} lacks '{}'", what, key));
    }
    return *found;
  }

  [[nodiscard]] const Json::array_t& list(const Json& value, std::string_view what) const {
    const auto* found = value.get_ptr<const Json::array_t*>();
    if (found == nullptr) {
      fail_here(fmt::format("'{}' is no list", what));
    }
    return *found;
  }

  [[nodiscard]] const std::string& text(const Json& value, std::string_view what) const {
    const auto* found = value.get_ptr<const std::string*>();
    if (found == nullptr) {
      fail_here(fmt::format("'{}' is no text", what));
    }
    if (std::ranges::any_of(
            *found, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; })) {
      fail_here(fmt::format("'{}' holds control characters", what));
    }
    return *found;
  }

  [[nodiscard]] std::uint32_t number(const Json& value, std::string_view what) const {
    const auto* found = value.get_ptr<const std::uint64_t*>();
    if (found == nullptr || *found > std::numeric_limits<std::uint32_t>::max()) {
      fail_here(fmt::format("'{}' is no whole number of 32 bits", what));
    }
    return static_cast<std::uint32_t>(*found);
  }

  void read_header(const Json& header, Module& module) const {
    const Json& version = member(member(header, "SM", "the header"), "version", "'SM'");
    constexpr std::uint32_t most = 999;
    const std::uint32_t major = number(member(version, "major", "'version'"), "major");
    const std::uint32_t minor = number(member(version, "minor", "'version'"), "minor");
    if (major > most || minor > most) {
      fail_here(fmt::format("version {}.{} of the SM is not plausible", major, minor));
    }
    constexpr std::uint32_t ten = 10;
    module.sm = static_cast<int>(ten * major + minor);
    module.arch = fmt::format("sm_{}", module.sm);
    module.tool = text(member(header, "Producer", "the header"), "Producer");
    const auto note = header.find(".note.nv.tkinfo");
    if (note != header.end() && note->is_object()) {
      for (const char* key : {"tki_toolName", "tki_toolVersion"}) {
        const auto part = note->find(key);
        if (part != note->end() && part->is_string()) {
          module.compiler += module.compiler.empty() ? "" : " ";
          module.compiler += part->get_ref<const std::string&>();
        }
      }
    }
  }

  void read_files(const Json& lines, Module& module) const {
    const Json::array_t& folders =
        list(member(lines, "directories", "the line information"), "directories");
    for (const Json& entry : list(member(lines, "files", "the line information"), "files")) {
      const std::uint32_t folder = number(member(entry, "dir-idx", "a source file"), "dir-idx");
      if (folder >= folders.size()) {
        fail_here(fmt::format("a source file lies in folder {} of {}", folder, folders.size()));
      }
      const std::filesystem::path name = text(member(entry, "file", "a source file"), "file");
      module.source_files.push_back(
          (std::filesystem::path(text(folders[folder], "directories")) / name)
              .lexically_normal()
              .string());
    }
  }

  /// Before 13.2 a subroutine behind a kernel is listed as a function of its own, which starts
  /// where it lies in the kernel's code.
  void read_function(const Json& object, Module& module,
                     std::vector<std::uint32_t>& lengths) const {
    const std::string& name = text(member(object, "function-name", "a function"), "function-name");
    const std::string what = fmt::format("function {}", printable(name));
    const std::uint32_t start = number(member(object, "start", what), "start");
    const std::uint32_t length = number(member(object, "length", what), "length");
    if (start == 0) {
      module.functions.emplace_back().name = name;
      lengths.push_back(length);
    } else if (module.functions.empty() ||
               start != instruction_bytes * module.functions.back().instructions.size()) {
      fail_here(fmt::format("{} starts at address {}, where no function ends", what, start));
    } else {
      module.functions.back().labels.push_back({name, start});
    }
    Function& function = module.functions.back();
    const Json::array_t& code =
        list(member(object, "sass-instructions", what), "sass-instructions");
    function.instructions.reserve(function.instructions.size() + code.size());
    std::uint32_t source_file = 0;
    std::uint32_t source_line = 0;
    for (const Json& item : code) {
      ListedInstruction instruction = read_instruction(item, what);
      // A place in the source stands only where it changes.
      if (const auto file = item.find("source-file-id"); file != item.end()) {
        source_file = number(*file, "source-file-id");
      }
      if (const auto line = item.find("source-line"); line != item.end()) {
        source_line = number(*line, "source-line");
      }
      if ((source_file != 0 || source_line != 0) && source_file >= module.source_files.size()) {
        fail_here(fmt::format("{} comes from source file {} of {}", what, source_file,
                              module.source_files.size()));
      }
      instruction.source_file = source_file;
      instruction.source_line = source_line;
      function.instructions.push_back(std::move(instruction));
    }
  }

  void check_lengths(const Module& module, const std::vector<std::uint32_t>& lengths) const {
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      const Function& function = module.functions[i];
      if (lengths[i] != std::uint64_t{instruction_bytes} * function.instructions.size()) {
        fail_here(fmt::format("function {} has {} instructions in {} bytes, where each takes {}",
                              printable(function.name), function.instructions.size(), lengths[i],
                              instruction_bytes));
      }
    }
  }

  /// Before 13.2 there is no comma between a register and an address, "R12[R2]", and LDGSTS has its
  /// two addresses the other way round, "desc[UR6][R8.64][R13]".
  static void restore_commas(ListedInstruction& instruction) {
    std::string& operands = instruction.operands;
    for (std::size_t open = operands.find('['); open != std::string::npos;
         open = operands.find('[', open + 1)) {
      std::size_t begin = open;
      while (begin > 0 && (std::isalnum(static_cast<unsigned char>(operands[begin - 1])) != 0)) {
        --begin;
      }
      const std::string_view word = std::string_view(operands).substr(begin, open - begin);
      // Not "c[0x0]", "cx[UR4]", "desc[UR8]".
      if (!word.empty() && (word.front() == 'R' || word.front() == 'U')) {
        operands.insert(open++, ",");
      }
    }
    // The address in shared memory comes first; the other has 64 bits.
    const std::size_t last = operands.rfind('[');
    const std::size_t wide = operands.find(".64");
    if (instruction.opcode.starts_with("LDGSTS") && last != std::string::npos && wide < last &&
        operands.compare(last - 1, 1, ",") != 0) {
      operands = operands.substr(last) + "," + operands.substr(0, last);
    }
  }

  /// "P2R R26,PR,RZ,0x1" comes with PR, the file of predicates, as its guard instead.
  static void restore_register_file(ListedInstruction& instruction) {
    if (instruction.predicate != "PR") {
      return;
    }
    const std::size_t first_end = instruction.operands.find(',');
    const bool reads_it = instruction.opcode.starts_with("P2R");
    if (reads_it && first_end != std::string::npos) {
      instruction.operands.insert(first_end, ",PR");
    } else {
      instruction.operands.insert(0, instruction.operands.empty() ? "PR" : "PR,");
    }
    instruction.predicate.clear();
  }

  [[nodiscard]] ListedInstruction read_instruction(const Json& item,
                                                   const std::string& what) const {
    ListedInstruction instruction;
    instruction.opcode = text(member(item, "opcode", "an instruction"), "opcode");
    if (const auto operands = item.find("operands"); operands != item.end()) {
      instruction.operands = text(*operands, "operands");
    }
    if (const auto predicate = item.find("predicate"); predicate != item.end()) {
      instruction.predicate = text(*predicate, "predicate");
    }
    restore_commas(instruction);
    restore_register_file(instruction);
    const bool guarded = !instruction.predicate.empty();
    if (instruction.opcode.empty() || instruction.opcode.front() == '@' ||
        instruction.opcode.find(' ') != std::string::npos ||
        (guarded && instruction.predicate.front() != '@') ||
        instruction.predicate.find(' ') != std::string::npos) {
      fail_here(fmt::format("{} holds no instruction but '{} {}'", what,
                            printable(instruction.predicate), printable(instruction.opcode)));
    }
    return instruction;
  }

  const std::string& file_;
};

[[noreturn]] void refuse(const ProgramResult& result, const std::filesystem::path& program,
                         const std::string& name) {
  const std::string said = first_line(result.errors);
  if (said.find("Unknown option") != std::string::npos) {
    throw Error(ErrorKind::unavailable,
                fmt::format("{}: is too old, it cannot print JSON ({}): {}", program.string(), said,
                            tool_remedy(CudaTool::nvdisasm)));
  }
  fail(fmt::format("{}: cannot be disassembled: {} (status {} of {})", name, said, result.status,
                   program.string()));
}

void take_code(const Cubin& cubin, std::size_t index, Function& listed, Function& function,
               const std::string& file) {
  if (cubin.code_bytes[index] != std::uint64_t{instruction_bytes} * listed.instructions.size()) {
    fail(fmt::format(
        "{}: function {} has {} bytes of code, but the disassembler lists {} "
        "instructions",
        file, printable(function.name), cubin.code_bytes[index], listed.instructions.size()));
  }
  const std::vector<SchedulingControl>& controls = cubin.controls[index];
  function.instructions = std::move(listed.instructions);
  for (std::size_t i = 0; i < controls.size(); ++i) {
    function.instructions[i].control = controls[i];
  }
  function.has_control = true;
}

}  // namespace

bool is_disassembly(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  return begin != std::string_view::npos && text[begin] == '[';
}

Module parse_disassembly(std::string_view json, const std::string& file) {
  try {
    return DisassemblyReader(file).read(Json::parse(json.begin(), json.end()));
  } catch (const Json::parse_error& error) {
    if (error.byte > json.size()) {
      fail(fmt::format("{}: the listing is cut short", file));
    }
    fail(fmt::format("{}: is not valid JSON at byte {}", file, error.byte));
  } catch (const Json::exception& error) {
    fail(fmt::format("{}: {}", file, printable(error.what())));
  }
}

Module disassemble(Cubin cubin, const std::filesystem::path& path, const std::string& name,
                   const ToolPlaces& places, std::optional<std::size_t> only) {
  const std::filesystem::path program = require_tool(CudaTool::nvdisasm, places);
  std::vector<std::string> arguments{"-json", "-g"};
  if (only) {
    // Of a large cubin this is faster.
    arguments.insert(arguments.end(), {"-fun", fmt::format("{}", cubin.symbols[*only])});
  }
  // An absolute path cannot be taken for an option.
  arguments.push_back(std::filesystem::absolute(path).string());
  const ProgramResult result = run_program(program, arguments);
  if (result.status != 0) {
    refuse(result, program, name);
  }
  Module listed = parse_disassembly(result.output, program.string());
  Module module = std::move(cubin.module);
  if (listed.sm != module.sm) {
    fail(fmt::format("{}: the ELF header says {}, the disassembler {}", name, module.arch,
                     listed.arch));
  }
  module.tool = std::move(listed.tool);
  module.compiler = std::move(listed.compiler);
  module.source_files = std::move(listed.source_files);
  std::unordered_map<std::string, Function*> by_name;
  for (Function& function : listed.functions) {
    by_name.emplace(function.name, &function);
  }
  std::vector<Function> wanted;
  for (std::size_t i = 0; i < module.functions.size(); ++i) {
    if (only && i != *only) {
      continue;
    }
    Function& function = module.functions[i];
    const auto found = by_name.find(function.name);
    if (found == by_name.end()) {
      fail(
          fmt::format("{}: the disassembler lists no function {}", name, printable(function.name)));
    }
    take_code(cubin, i, *found->second, function, name);
    wanted.push_back(std::move(function));
  }
  module.functions = std::move(wanted);
  return module;
}

}  // namespace perfmodel::sass
