#include <memory>

#include "app/commands.hpp"
#include "app/output.hpp"
#include "profiling/diagnosis.hpp"
#include "reports/doctor_report.hpp"

namespace perfmodel::app {

void add_doctor(CLI::App& app) {
  auto output = std::make_shared<OutputOptions>();
  CLI::App* command =
      app.add_subcommand("doctor", "what this machine can measure, what it lacks, and the remedy");
  output->add_to(*command);
  command->footer(
      "What is missing is a finding, not a failure: the exit code is 0.\n"
      "Examples:\n"
      "  perfmodel doctor\n"
      "  perfmodel doctor --format json");
  command->callback([output] {
    write_report(reports::doctor_report(
                     profiling::diagnose(profiling::this_machine(profiling::query_devices))),
                 *output);
  });
}

}  // namespace perfmodel::app
