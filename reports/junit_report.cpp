#include "reports/junit_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "model/text.hpp"
#include "reports/comparison_report.hpp"

namespace perfmodel::reports {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD

struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;  ///< 0: no character begins here
};

/// The UTF-8 character at the beginning of a text that is not empty.
Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) {
    return {lead, 1};
  }
  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) {
    return {};
  }
  std::uint32_t code = lead & (0x7FU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) {
      return {};
    }
    code = (code << 6U) | (byte(i) & 0x3FU);
  }
  constexpr std::array<std::uint32_t, 5> smallest = {0, 0, 0x80, 0x800, 0x10000};
  return code >= smallest[bytes] ? Character{code, bytes} : Character{};
}

/// What XML 1.0 lets a document hold; a reader refuses the whole file for anything else.
bool is_xml_character(std::uint32_t code) {
  return code == '\t' || code == '\n' || code == '\r' || (code >= 0x20 && code <= 0xD7FF) ||
         (code >= 0xE000 && code <= 0xFFFD) || (code >= 0x10000 && code <= 0x10FFFF);
}

/// Text as the value of an attribute or between tags.
std::string xml_text(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Character character = first_character(text);
    const std::size_t bytes = std::max<std::size_t>(character.bytes, 1);
    if (character.bytes == 0 || !is_xml_character(character.code)) {
      out += replacement;
    } else if (std::string_view("&<>\"'\t\n\r").find(text.front()) != std::string_view::npos) {
      out += fmt::format("&#{};", character.code);
    } else {
      out += text.substr(0, bytes);
    }
    text.remove_prefix(bytes);
  }
  return out;
}

std::string label_text(const std::string& label) {
  return xml_text(printable(label, longest_function_name));
}

std::string kernel_case(const KernelComparison& kernel) {
  const std::string attributes = fmt::format(R"(classname="perfmodel.compare" name="{}" time="{}")",
                                             label_text(kernel.label), kernel.b.time_s);
  const std::string message = xml_text(
      fmt::format("{} {}: {}", to_string(kernel.change), change_text(kernel), times_text(kernel)));
  if (kernel.is_regression) {
    return fmt::format("    <testcase {}>\n      <failure message=\"{}\"/>\n    </testcase>\n",
                       attributes, message);
  }
  if (kernel.change == Change::unsure) {
    return fmt::format(
        "    <testcase {}>\n      <skipped message=\"UNSURE: {}\"/>\n    </testcase>\n", attributes,
        xml_text(kernel.reason));
  }
  return fmt::format("    <testcase {}>\n      <system-out>{}</system-out>\n    </testcase>\n",
                     attributes, message);
}

std::string uncompared_case(const UncomparedKernel& kernel) {
  return fmt::format(
      "    <testcase classname=\"perfmodel.compare\" name=\"{}\">\n"
      "      <{} message=\"{}\"/>\n    </testcase>\n",
      label_text(kernel.label), kernel.wrong_in_b ? "error" : "skipped", xml_text(kernel.reason));
}

}  // namespace

std::string junit_report(const RecordingComparison& comparison) {
  const std::string counts = fmt::format(
      R"(tests="{}" failures="{}" errors="{}" skipped="{}")",
      comparison.kernels.size() + comparison.uncompared.size(), comparison.regressions(),
      comparison.wrong_in_b(),
      comparison.count(Change::unsure) + comparison.uncompared.size() - comparison.wrong_in_b());
  std::string out = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {}>\n"
      "  <testsuite name=\"{}\" {}>\n",
      counts,
      xml_text(
          fmt::format("perfmodel compare: {} against {}", comparison.name_b, comparison.name_a)),
      counts);
  for (const KernelComparison& kernel : comparison.kernels) {
    out += kernel_case(kernel);
  }
  for (const UncomparedKernel& kernel : comparison.uncompared) {
    out += uncompared_case(kernel);
  }
  return out + "  </testsuite>\n</testsuites>\n";
}

}  // namespace perfmodel::reports
