// Readers of stored listings and of what nvdisasm prints: any text is either modules or refused
// with an Error; what is read is written and read again unchanged.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "model/error.hpp"
#include "model/sass/disassembler.hpp"
#include "model/sass/listing_file.hpp"

namespace {

using namespace perfmodel;

std::vector<sass::Module> read(std::string_view text) {
  if (sass::is_disassembly(text)) {
    return {sass::parse_disassembly(text, "f.json")};
  }
  return sass::parse_listing(text, "f.json");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<sass::Module> modules;
  try {
    modules = read(text);
  } catch (const Error&) {
    return 0;
  }
  // What was accepted must survive storing.
  if (sass::parse_listing(sass::write_listing(modules), "again") != modules) {
    std::abort();
  }
  return 0;
}
