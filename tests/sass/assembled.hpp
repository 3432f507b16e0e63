#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include "model/sass/emulate.hpp"
#include "model/sass/launch.hpp"
#include "model/sass/machine_ledger.hpp"
#include "model/sass/module.hpp"

namespace perfmodel::sass::testing {

inline ListedInstruction listed_instruction(const std::string& text) {
  ListedInstruction listed;
  std::istringstream words(text);
  std::string word;
  words >> word;
  if (word.starts_with('@')) {
    listed.predicate = word;
    words >> word;
  }
  listed.opcode = word;
  std::getline(words >> std::ws, listed.operands);
  return listed;
}

/// Instructions as a disassembler writes them, one a line, such as "@!P0 LDG.E R4,[R2.64]". A line
/// that ends in a colon names the next instruction; jumps may use the name. Instruction number i,
/// from 1, comes from line i of "kernel.cu".
inline std::vector<ListedInstruction> assemble(const std::string& text) {
  std::vector<ListedInstruction> code;
  std::map<std::string, std::size_t> names;
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines >> std::ws, line)) {
    if (line.ends_with(':')) {
      names[line.substr(0, line.size() - 1)] = code.size();
      continue;
    }
    code.push_back(listed_instruction(line));
    code.back().source_line = static_cast<std::uint32_t>(code.size());
  }
  for (ListedInstruction& listed : code) {
    const std::size_t last = listed.operands.find_last_of(", ");
    const std::size_t start = last == std::string::npos ? 0 : last + 1;
    const auto found = names.find(listed.operands.substr(start));
    if (found != names.end()) {
      listed.operands.replace(start, std::string::npos,
                              std::to_string(found->second * instruction_bytes));
    }
  }
  return code;
}

/// A kernel written for a test, and its launch: one block of one warp unless said otherwise. The
/// code is sm_90's, so parameters begin at c[0x0][0x210], and lie as C lays out the arguments.
class Assembled {
 public:
  explicit Assembled(const std::string& text) {
    module.sm = 90;
    module.arch = "sm_90";
    module.source_files = {"kernel.cu"};
    Function& function = module.functions.emplace_back();
    function.name = "kernel";
    function.described = true;
    function.parameter_base = 0x210;
    function.instructions = assemble(text);
    launch.block = {32, 1, 1};
  }

  Function& function() { return module.functions.front(); }

  Assembled& grid(std::uint32_t x, std::uint32_t y = 1, std::uint32_t z = 1) {
    launch.grid = {x, y, z};
    return *this;
  }
  Assembled& block(std::uint32_t x, std::uint32_t y = 1, std::uint32_t z = 1) {
    launch.block = {x, y, z};
    return *this;
  }
  Assembled& shared(std::uint32_t bytes) {
    function().static_shared_bytes = bytes;
    return *this;
  }
  Assembled& buffer(std::uint64_t bytes, Fill fill = Fill::zeros) {
    BufferArgument argument;
    argument.size_bytes = bytes;
    argument.fill = fill;
    return add(argument, 8);
  }
  /// `values` must outlive the runs.
  Assembled& data(std::span<const std::byte> values) {
    BufferArgument argument;
    argument.size_bytes = values.size();
    argument.fill = Fill::data;
    argument.data = values;
    return add(argument, 8);
  }
  Assembled& value(std::int32_t value) {
    ValueArgument argument;
    std::memcpy(argument.bytes.data(), &value, sizeof value);
    return add(argument, 4);
  }

  [[nodiscard]] MachineLedger count(const EmulationOptions& how = {}) const {
    return count_launch(module, module.functions.front(), launch, how);
  }
  [[nodiscard]] EmulatedRun run(const EmulationOptions& how = {}) const {
    return run_launch(module, module.functions.front(), launch, how);
  }
  [[nodiscard]] std::vector<Defect> defects() const { return run().ledger.defects; }

  Module module;
  Launch launch;

 private:
  Assembled& add(const Argument& argument, std::uint32_t size_bytes) {
    parameter_bytes_ = (parameter_bytes_ + size_bytes - 1) / size_bytes * size_bytes;
    function().parameters.push_back({parameter_bytes_, size_bytes});
    parameter_bytes_ += size_bytes;
    launch.arguments.push_back(argument);
    return *this;
  }

  std::uint32_t parameter_bytes_ = 0;
};

/// The values of a buffer after a run.
template <class T>
std::vector<T> values_of(const std::vector<std::byte>& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

}  // namespace perfmodel::sass::testing
