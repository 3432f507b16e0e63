#include "profiling/import/import.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>

#include "app/commands.hpp"
#include "app/output.hpp"
#include "app/specs_folder.hpp"
#include "model/error.hpp"
#include "model/spec/catalog.hpp"
#include "model/spec/tree_builder.hpp"
#include "profiling/recording_file.hpp"
#include "reports/import_report.hpp"

namespace perfmodel::app {
namespace {

struct ImportCommand {
  OutputOptions output;
  std::string file;
  std::string device;
  std::string decimal;
  std::string out;
  std::optional<std::int64_t> gpu;
};

/// A recording is as large at most, and it keeps what the file holds.
constexpr std::size_t most_bytes = spec::recording_limits.bytes;

std::string read_standard_input() {
  std::string text;
  std::array<char, std::size_t{64} << 10> piece{};
  while (true) {
    const std::size_t count = std::fread(piece.data(), 1, piece.size(), stdin);
    text.append(piece.data(), count);
    if (text.size() > most_bytes) {
      fail(fmt::format("standard input: larger than the limit of {} bytes", most_bytes));
    }
    if (count < piece.size()) {
      break;
    }
  }
  if (std::ferror(stdin) != 0) {
    fail("standard input: reading failed");
  }
  return text;
}

void run_import(const ImportCommand& command, const GlobalOptions& global) {
  const spec::Catalog catalog(find_specs(global.specs));
  std::vector<Device> devices;
  for (const std::string& name : catalog.device_names()) {
    devices.push_back(catalog.device(name));
  }
  profiling::ImportOptions options;
  const bool from_stdin = command.file == "-";
  options.file = from_stdin ? "standard input" : command.file;
  if (!from_stdin) {
    options.folder = std::filesystem::path(command.file).parent_path();
    options.folder = options.folder.empty() ? "." : options.folder;
  }
  if (!command.device.empty()) {
    options.device = catalog.device(command.device);
  }
  options.gpu = command.gpu;
  if (!command.decimal.empty()) {
    options.decimal_mark =
        command.decimal == "point" ? profiling::DecimalMark::point : profiling::DecimalMark::comma;
  }
  const std::string bytes =
      from_stdin ? read_standard_input() : spec::read_text(command.file, most_bytes);
  const profiling::Imported imported = profiling::import_measurements(bytes, options, devices);
  if (!command.out.empty()) {
    profiling::write_recording(command.out, imported.recording);
  }
  write_report(reports::import_report(imported.recording, imported.tool, imported.warnings),
               command.output);
  print_warnings(imported.warnings);
}

}  // namespace

void add_import(CLI::App& app, const GlobalOptions& global) {
  auto options = std::make_shared<ImportCommand>();
  CLI::App* command = app.add_subcommand(
      "import", "results of Nsight Compute (CSV) or nvbench (JSON) as a recording");
  command
      ->add_option(
          "file", options->file,
          "what 'ncu --csv --page raw' or a benchmark's '--json' wrote; - is standard input")
      ->required()
      ->type_name("FILE");
  command->add_option("-o,--out", options->out, "write the recording (.json)")->type_name("FILE");
  command
      ->add_option(
          "-d,--device", options->device,
          "device that it was measured on (see 'perfmodel list devices'); default: the one "
          "that the file describes")
      ->type_name("NAME");
  command
      ->add_option("--gpu", options->gpu,
                   "of a file from several GPUs, the device with this number")
      ->type_name("ID");
  command
      ->add_option("--decimal", options->decimal,
                   "point or comma: the decimal mark, where the file's own figures leave it open")
      ->check(CLI::IsMember({"point", "comma"}))
      ->type_name("MARK");
  options->output.add_format_to(*command,
                                "of the report: table, markdown, csv or json; default: table");
  command->footer(
      "The format is recognised from the content; UTF-16 and any locale's figures are understood.\n"
      "Export with ncu --csv --page raw --print-units base APP > export.csv, or run the benchmark\n"
      "with --jsonbin results.json, whose raw samples are read from the folder beside the file.\n"
      "Examples:\n"
      "  perfmodel import ./my-export.csv --out my-app.json\n"
      "  ncu --csv --page raw --print-units base ./my-app | perfmodel import - --device h200\n"
      "  perfmodel import ./my-results.json --format csv\n"
      "  perfmodel analyze --recording ./my-app.json    # lists what needs a ledger");
  command->callback([options, &global] { run_import(*options, global); });
}

}  // namespace perfmodel::app
