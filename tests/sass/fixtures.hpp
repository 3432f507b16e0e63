#pragma once

#include <elf.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <stdexcept>
#include <string>

#include "model/sass/tools.hpp"
#include "tests/support/temporary_folder.hpp"

namespace perfmodel::sass::testing {

using perfmodel::testing::error_of;
using perfmodel::testing::read_file;
using perfmodel::testing::TemporaryFolder;

/// A file of tests/sass/fixtures.
inline std::filesystem::path fixture(const std::string& name) {
  return std::filesystem::path(PERFMODEL_SASS_FIXTURES) / name;
}

inline std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

/// Whether this machine has the tool; tests that need it skip otherwise.
inline bool has_tool(CudaTool tool) { return search_tool(tool, tool_places()).program.has_value(); }

/// No tool anywhere.
inline ToolPlaces no_tools() { return {}; }

/// Writes a shell script that plays a tool.
inline std::filesystem::path write_script(const TemporaryFolder& folder, const std::string& name,
                                          const std::string& body) {
  const std::filesystem::path file = folder.write(name, "#!/bin/sh\n" + body + "\n");
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  return file;
}

/// A cubin whose bytes a test changes.
class CubinEditor {
 public:
  explicit CubinEditor(const std::string& name) : bytes(read_file(fixture(name))) {}

  Elf64_Ehdr& header() { return *reinterpret_cast<Elf64_Ehdr*>(bytes.data()); }

  Elf64_Shdr& section(std::size_t index) {
    return reinterpret_cast<Elf64_Shdr*>(bytes.data() + header().e_shoff)[index];
  }

  std::size_t index_of(const std::string& name) {
    for (std::size_t i = 0; i < header().e_shnum; ++i) {
      if (bytes.data() + section(header().e_shstrndx).sh_offset + section(i).sh_name == name) {
        return i;
      }
    }
    throw std::invalid_argument("no section " + name);
  }
  Elf64_Shdr& section(const std::string& name) { return section(index_of(name)); }

  char* content(const std::string& name) { return bytes.data() + section(name).sh_offset; }

  Elf64_Sym& symbol(const std::string& name) {
    const Elf64_Shdr& table = section(".symtab");
    auto* symbols = reinterpret_cast<Elf64_Sym*>(bytes.data() + table.sh_offset);
    for (std::size_t i = 0; i < table.sh_size / sizeof(Elf64_Sym); ++i) {
      if (bytes.data() + section(table.sh_link).sh_offset + symbols[i].st_name == name) {
        return symbols[i];
      }
    }
    throw std::invalid_argument("no symbol " + name);
  }

  /// The first attribute with this code in a section .nv.info, from its format byte on.
  char* attribute(const std::string& section_name, int code) {
    char* at = content(section_name);
    const char* end = at + section(section_name).sh_size;
    while (at < end) {
      if (static_cast<unsigned char>(at[1]) == code) {
        return at;
      }
      std::uint16_t length = 0;
      std::memcpy(&length, at + 2, sizeof length);
      at += 4 + (at[0] == 4 ? length : 0);
    }
    throw std::invalid_argument("no attribute in " + section_name);
  }

  std::string bytes;
};

}  // namespace perfmodel::sass::testing
