#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/sass/module.hpp"

namespace perfmodel::sass {

// A stored listing, schema "perfmodel.listing/1": modules with all that a cubin said, so that
// machine code can be analysed where no disassembler is. JSON:
//
//   schema    "perfmodel.listing/1"
//   modules   list of
//     arch, tool, compiler, source_files
//     banks              list of {bank, function ("" where shared), bytes (hexadecimal)}
//     variables          list of {name, size_bytes, initial (hexadecimal, "" for zeros)}
//     address_slots      list of [bank, offset, variable, addend]
//     variable_pointers  list of [variable, offset, target, addend]
//     functions          list of
//       name, kernel, described, registers, static_shared_bytes, local_bytes, max_threads,
//       parameter_base
//       parameters       list of [offset, size]
//       labels           list of [name, address]
//       code             list of instructions, "@!P0 LDG.E R4,desc[UR8][R16.64]", 16 bytes each
//       source           runs of instructions from one line: count, file, line, count, file, ...
//       control          optional: the scheduling control of each instruction as a number, packed
//       as
//                        `pack_control` does; known for code from a cubin

/// The text of a listing file. Throws Error where a name is not UTF-8.
std::string write_listing(std::span<const Module> modules);

/// The inverse of `write_listing`. Throws Error with file:line:column.
std::vector<Module> parse_listing(std::string_view text, const std::string& file);

/// Writes a listing, compressed where `path` ends in ".gz"; the same modules always give the same
/// bytes. Throws Error where it cannot be written.
void write_listing_file(const std::filesystem::path& path, std::span<const Module> modules);

/// The content of a file, decompressed where it is gzip'ed. Throws Error where it cannot be read or
/// is larger than `most_bytes`, compressed or not.
std::string read_plain_or_gzip(const std::filesystem::path& path, std::size_t most_bytes);

}  // namespace perfmodel::sass
