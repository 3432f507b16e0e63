#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/sass/module.hpp"

namespace perfmodel::sass {

/// What a cubin's ELF sections say, before its code is disassembled.
struct Cubin {
  /// Functions in the order of their sections, without instructions; `tool`, `compiler` and
  /// `source_files` are empty.
  Module module;
  std::vector<std::uint32_t> symbols;     ///< index of each function in the symbol table
  std::vector<std::uint64_t> code_bytes;  ///< length of each function's code
  /// Of the instructions of each function.
  std::vector<std::vector<SchedulingControl>> controls;
};

/// Whether the bytes begin like an ELF file of any machine.
bool is_elf(std::span<const std::byte> bytes);
/// Whether they begin like one for NVIDIA GPUs.
bool is_cubin(std::span<const std::byte> bytes);

/// Reads a cubin, which may hold no functions; `file` names it in messages. Of
/// the code only the scheduling controls are read. In an object of separate compilation the
/// addresses in the code are not settled yet, so link it before it is emulated.
///
/// Throws Error where the file is no cubin, is cut short, or contradicts itself.
Cubin read_cubin(std::span<const std::byte> bytes, const std::string& file);

}  // namespace perfmodel::sass
