#include "reports/github_annotations.hpp"

#include <fmt/format.h>

#include "model/text.hpp"
#include "reports/comparison_report.hpp"

namespace perfmodel::reports {
namespace {

constexpr std::size_t longest_title = 120;
constexpr std::size_t longest_message = 600;

/// Characters that end a command, or a property of it, as GitHub's runner decodes them.
std::string escaped(const std::string& text, std::string_view special) {
  std::string out;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out;
}

std::string command(std::string_view kind, const std::string& title, const std::string& message) {
  return fmt::format("::{} title={}::{}\n", kind,
                     escaped(printable(title, longest_title), "%\r\n:,"),
                     escaped(printable(message, longest_message), "%\r\n"));
}

}  // namespace

std::string github_annotations(const RecordingComparison& comparison) {
  std::string out;
  for (const UncomparedKernel& kernel : comparison.uncompared) {
    if (kernel.wrong_in_b) {
      out += command("error", "Wrong results: " + kernel.label, kernel.reason);
    }
  }
  for (const KernelComparison& kernel : comparison.kernels) {
    if (kernel.change == Change::slower) {
      out += command(kernel.is_regression ? "error" : "warning", "SLOWER: " + kernel.label,
                     fmt::format("{}: {}", change_text(kernel), times_text(kernel)));
    }
  }
  for (const std::string& warning : comparison.warnings) {
    out += command("warning", "perfmodel compare", warning);
  }
  out += command("notice", "perfmodel compare", comparison_summary(comparison));
  return out;
}

}  // namespace perfmodel::reports
