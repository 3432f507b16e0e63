#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace perfmodel::testing {

/// The figures in a page that perfmodel wrote; null where it has none.
inline nlohmann::json figures_of_page(const std::string& page) {
  const std::string begin = R"(<script id="data" type="application/json">)";
  const std::size_t at = page.find(begin);
  const std::size_t end = page.find("</script>", at);
  if (at == std::string::npos || end == std::string::npos) {
    return nullptr;
  }
  return nlohmann::json::parse(page.substr(at + begin.size(), end - at - begin.size()));
}

}  // namespace perfmodel::testing
