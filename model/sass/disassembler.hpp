#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "model/sass/elf.hpp"
#include "model/sass/module.hpp"
#include "model/sass/tools.hpp"

namespace perfmodel::sass {

/// Reads what `nvdisasm -json` printed; `file` names it in messages. The functions have only names
/// and instructions, see Function::described. Throws Error on anything malformed.
Module parse_disassembly(std::string_view json, const std::string& file);

/// Whether text begins like the output of `nvdisasm -json`.
bool is_disassembly(std::string_view text);

/// Fills in the instructions, source files and tool of `cubin`, which was read from the file at
/// `path` and is called `name` in messages, and returns its module; with `only`, just the function
/// of that index.
///
/// Throws Error(unavailable) where nvdisasm is missing or too old, bad_input where it refuses the
/// file.
Module disassemble(Cubin cubin, const std::filesystem::path& path, const std::string& name,
                   const ToolPlaces& places, std::optional<std::size_t> only = std::nullopt);

}  // namespace perfmodel::sass
