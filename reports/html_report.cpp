#include "reports/html_report.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <utility>

#include "model/error.hpp"
#include "reports/page_assets.hpp"
#include "reports/page_data.hpp"

namespace perfmodel::reports {
namespace {

/// A content security policy quotes hashes in base64.
std::string base64_of_hex(std::string_view hex) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  // Six hexadecimal digits are three bytes, and four digits of base64.
  for (std::size_t i = 0; i < hex.size(); i += 6) {
    const std::string_view piece = hex.substr(i, 6);
    std::uint32_t bits = 0;
    std::from_chars(piece.data(), piece.data() + piece.size(), bits, 16);
    bits <<= 4 * (6 - piece.size());
    const std::size_t used = (piece.size() * 4 + 5) / 6;
    for (std::size_t j = 0; j < 4; ++j) {
      text += j < used ? digits[bits >> (18 - 6 * j) & 63U] : '=';
    }
  }
  return text;
}

std::string content_security_policy() {
  const auto source = [](const PageAsset& asset) {
    return fmt::format("'sha256-{}'", base64_of_hex(asset.sha256));
  };
  return fmt::format(
      "default-src 'none'; script-src {} {}; style-src {}; base-uri 'none'; form-action 'none'",
      source(chart_library()), source(page_script()), source(page_style()));
}

/// Text between tags.
std::string escaped_markup(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '&':
        safe += "&amp;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

}  // namespace

std::string html_report(const PerformanceReport& report) {
  if (chart_library().text.empty()) {
    throw Error(ErrorKind::unavailable,
                "this perfmodel was built without Chart.js, which HTML reports draw with; install "
                "the package libjs-chart.js and build again, or use --format svg");
  }
  const std::array<std::pair<std::string_view, std::string>, 6> parts = {{
      {"{{policy}}", content_security_policy()},
      {"{{style}}", std::string(page_style().text)},
      {"{{licence}}", escaped_markup(chart_licence().text)},
      {"{{data}}", script_safe(page_data(report))},
      {"{{library}}", std::string(chart_library().text)},
      {"{{script}}", std::string(page_script().text)},
  }};
  std::string page;
  std::string_view rest = page_markup().text;
  // Left to right, so that nothing which was put in is looked at again.
  for (const auto& [marker, content] : parts) {
    const std::size_t at = rest.find(marker);
    page += rest.substr(0, at);
    page += content;
    rest.remove_prefix(at + marker.size());
  }
  page += rest;
  return page;
}

}  // namespace perfmodel::reports
