// perfmodel_listing OUT ROOT CUBIN...: stores the machine code of cubins as one listing, with the
// paths of their sources relative to ROOT. A tool of scripts/update_listings.sh, which makes
// specs/listings; users store listings with perfmodel itself.

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <span>
#include <vector>

#include "model/sass/listing_file.hpp"
#include "model/sass/load.hpp"

namespace {

namespace fs = std::filesystem;
namespace sass = perfmodel::sass;

/// Below `root` the path from there; of a toolkit's header, which lies elsewhere on every machine,
/// only the name.
std::string portable_path(const std::string& source, const fs::path& root) {
  const fs::path relative = fs::path(source).lexically_relative(root);
  const bool inside = !relative.empty() && *relative.begin() != "..";
  return inside ? relative.generic_string() : fs::path(source).filename().string();
}

void store(const fs::path& out, const fs::path& root, std::span<char* const> cubins) {
  std::vector<sass::Module> modules;
  for (const char* cubin : cubins) {
    for (sass::Module& module : sass::load_modules(cubin)) {
      for (std::string& source : module.source_files) {
        source = portable_path(source, root);
      }
      modules.push_back(std::move(module));
    }
  }
  sass::write_listing_file(out, modules);
}

}  // namespace

int main(int count, char** words) {
  constexpr std::size_t fewest = 4;
  const std::span<char* const> arguments(words, static_cast<std::size_t>(count));
  try {
    if (arguments.size() < fewest) {
      fmt::print(stderr, "usage: perfmodel_listing OUT ROOT CUBIN...\n");
      return 2;
    }
    store(arguments[1], fs::absolute(arguments[2]).lexically_normal(), arguments.subspan(3));
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
}
