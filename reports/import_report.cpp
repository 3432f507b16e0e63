#include "reports/import_report.hpp"

#include <fmt/format.h>

#include "model/text.hpp"
#include "reports/foreign_kernels.hpp"

namespace perfmodel::reports {

Report import_report(const Recording& recording, std::string_view tool,
                     std::span<const std::string> warnings) {
  constexpr std::size_t longest_reason = 400;
  const std::string device =
      recording.device_attributes ? recording.device_attributes->name : recording.device;
  Report report;
  Document& document = report.document;
  document.title =
      fmt::format("Imported from {}: {} ({})", tool, printable(device), recording.device);
  document.parts.emplace_back(Paragraph{
      recording.clock_hz == 0.0 ? std::string("The clock is not known.")
                                : fmt::format("SM clock {:.4g} GHz ({}).", recording.clock_hz / 1e9,
                                              recording.clock_basis)});
  append_foreign_kernels(document, recording.entries);
  report.json = {{"schema", "perfmodel.import/1"},
                 {"tool", tool},
                 {"device", recording.device},
                 {"device_name", device},
                 {"clock_hz", nullptr},
                 {"clock_basis", nullptr},
                 {"kernels", foreign_kernels_json(recording.entries)},
                 {"skipped", nlohmann::ordered_json::array()},
                 {"warnings", warnings}};
  if (recording.clock_hz != 0.0) {
    report.json["clock_hz"] = recording.clock_hz;
    report.json["clock_basis"] = recording.clock_basis;
  }
  for (const SkippedMeasurement& skipped : recording.skipped) {
    document.parts.emplace_back(
        Paragraph{fmt::format("Skipped: {}: {}.", printable(skipped.label(), longest_reason),
                              printable(skipped.reason, longest_reason))});
    report.json["skipped"].push_back({{"label", skipped.label()}, {"reason", skipped.reason}});
  }
  report.data = foreign_kernel_table(recording.entries);
  return report;
}

}  // namespace perfmodel::reports
