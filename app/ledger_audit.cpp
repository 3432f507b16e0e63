#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <regex>

#include "app/analysis_options.hpp"
#include "app/commands.hpp"
#include "app/live_options.hpp"
#include "app/machine_ledger.hpp"
#include "app/output.hpp"
#include "app/specs_folder.hpp"
#include "model/counter_free_evidence.hpp"
#include "model/error.hpp"
#include "model/rational.hpp"
#include "model/sass/find_function.hpp"
#include "model/spec/catalog.hpp"
#include "model/text.hpp"
#include "profiling/counters/counters.hpp"
#include "profiling/recording_file.hpp"
#include "reports/ledger_audit_report.hpp"

namespace perfmodel::app {
namespace {

struct LedgerAuditOptions {
  OutputOptions output;
  std::string kernels = ".*";
  std::string device;
  std::string recording;
  std::string shape;
  std::string matrix = "stencil-A";
  std::string cubin;
  std::string launch;
  std::string function;
  bool per_instruction = false;
  int gpu = 0;
};

/// What `count_catalogue_kernel` needs beside kernel and shape.
MachineOptions machine_options(const LedgerAuditOptions& options, const std::string& arch) {
  MachineOptions machine;
  machine.arch = arch;
  machine.cubin = options.cubin;
  return machine;
}

std::vector<Recording> recordings_of(const spec::Catalog& catalog, const std::string& device) {
  std::vector<Recording> recordings;
  for (const std::filesystem::path& file : catalog.recording_files(device)) {
    recordings.push_back(profiling::read_recording(file));
  }
  return recordings;
}

/// "tile" for "void app::tile<float, (int)16>(const float *)": tools write the rest differently.
std::string base_name(const std::string& name) {
  std::string base = name.substr(0, name.find('('));
  base.resize(std::min(base.find('<'), base.size()));
  const std::size_t begin = base.find_last_of(": ");
  return begin == std::string::npos ? base : base.substr(begin + 1);
}

/// Whether what another tool measured is this launch of this function.
bool is_launch_of(const ForeignKernel& foreign, const sass::MachineLedger& ledger) {
  const auto same = [](const std::optional<Extents>& recorded,
                       const std::array<std::uint32_t, 3>& launched) {
    return !recorded || std::ranges::equal(*recorded, launched, [](auto a, auto b) {
      return a == static_cast<std::int64_t>(b);
    });
  };
  const bool named = foreign.name == ledger.kernel ||
                     base_name(foreign.name) == base_name(sass::demangled(ledger.kernel));
  return named && same(foreign.grid, ledger.launch.grid) &&
         same(foreign.block, ledger.launch.block);
}

/// Lays the ledger of a user's own kernel beside what another tool counted of it.
void run_foreign_audit(const LedgerAuditOptions& options, const GlobalOptions& global) {
  if (!spec::is_path(options.recording, ".json")) {
    fail(
        "--launch audits a kernel of a recording file; name it with --recording, as 'perfmodel "
        "import' wrote it");
  }
  const Recording recording = profiling::read_recording(options.recording);
  MachineOptions machine;
  machine.cubin = options.cubin;
  machine.launch_file = options.launch;
  machine.function = options.function;
  if (!options.device.empty()) {
    machine.arch = spec::Catalog(find_specs(global.specs)).device(options.device).architecture;
  }
  const CubinLedger counted = count_cubin_kernel(machine, global.specs);
  std::vector<reports::AuditedKernel> audited;
  std::vector<std::string> labels;
  for (const Measurement& entry : recording.entries) {
    if (!entry.foreign) {
      continue;
    }
    labels.push_back(printable(entry.label()));
    if (is_launch_of(*entry.foreign, counted.machine)) {
      reports::AuditedKernel& one = audited.emplace_back();
      one.label = entry.label();
      const Counters counters = entry.counters.value_or(Counters{});
      one.figures = sass::audit_ledger(counted.machine.totals, nullptr, counters.values);
      one.source = counters.values.empty() ? "" : counters.source;
      one.refused = counters.values.empty() && counters.refused.empty()
                        ? "the recording has none of this kernel; export them with 'ncu --csv "
                          "--page raw --set full' and import that."
                        : counters.refused;
    }
  }
  if (audited.empty()) {
    throw Error(ErrorKind::unavailable,
                fmt::format("recording {} has no launch of {} with this grid and block; it has {}",
                            recording.name, printable(sass::short_name(counted.machine.kernel)),
                            labels.empty() ? "no kernels of other tools" : join(labels)));
  }
  write_report(reports::ledger_audit_report(recording.device, recording.name, audited),
               options.output);
}

reports::AuditedKernel audit_entry(const Recording& recording, const Measurement& entry,
                                   std::span<const Recording> others, const Device& device,
                                   const LedgerAuditOptions& options, spec::Catalog& catalog) {
  const KernelSpec& kernel = catalog.kernel(entry.kernel);
  MachineOptions machine = machine_options(options, device.architecture);
  const bool sparse = kernel.family == "spmv";
  if (sparse) {
    machine.matrix = entry.note;  // names it
  }
  const CatalogueLedger counted = count_catalogue_kernel(
      catalog, entry.kernel, sparse ? std::string() : entry.shape.key(), machine);
  reports::AuditedKernel audited;
  audited.label = entry.label();
  const Counters counters = entry.counters.value_or(Counters{});
  audited.figures =
      sass::audit_ledger(counted.machine.totals, &counted.comparison, counters.values);
  audited.source = counters.values.empty() ? "" : counters.source;
  audited.refused = counters.refused;
  if (counters.values.empty()) {
    audited.evidence = counter_free_evidence(
        recording, entry, others, device, &counted.machine, [&](const Shape& shape) {
          return to_double(evaluate_work(kernel, shape.ordered_as(kernel.dimensions)).fmas);
        });
  }
  return audited;
}

void run_recorded_audit(const LedgerAuditOptions& options, const GlobalOptions& global) {
  spec::Catalog catalog(find_specs(global.specs));
  const bool from_file = spec::is_path(options.recording, ".json");
  if (options.device.empty() && !from_file) {
    fail(fmt::format("name a device with --device or a recording file; there are {}",
                     join(catalog.device_names())));
  }
  const Recording recording = profiling::read_recording(
      from_file ? std::filesystem::path(options.recording)
                : find_recording(catalog, catalog.device(options.device).name, options.recording));
  const Device device = catalog.device(options.device.empty() ? recording.device : options.device);
  const std::vector<Recording> others = recordings_of(catalog, device.name);
  const std::regex pattern = kernel_pattern(options.kernels);
  std::vector<reports::AuditedKernel> audited;
  for (const Measurement& entry : recording.entries) {
    const bool wanted = !entry.foreign && std::regex_match(entry.kernel, pattern) &&
                        (options.shape.empty() || entry.shape.to_string() == options.shape ||
                         entry.shape.key() == options.shape || entry.note == options.shape);
    if (wanted && catalog.kernel(entry.kernel).ledger) {
      audited.push_back(audit_entry(recording, entry, others, device, options, catalog));
    }
  }
  if (audited.empty()) {
    throw Error(ErrorKind::unavailable,
                fmt::format("recording {} has no kernel with a source ledger that matches '{}'{}",
                            recording.name, printable(options.kernels),
                            options.shape.empty() ? "" : " at " + printable(options.shape)));
  }
  write_report(reports::ledger_audit_report(device.name, recording.name, audited), options.output);
}

std::optional<sass::AuditFigure> audited_count(const char* name, const char* metric, double counted,
                                               const profiling::InstructionSample* sample,
                                               double tolerance) {
  sass::AuditFigure figure;
  figure.name = name;
  figure.metric = metric;
  figure.counted = counted;
  figure.tolerance = tolerance;
  if (sample != nullptr) {
    const auto found = sample->values.find(metric);
    figure.measured = found == sample->values.end() ? 0.0 : found->second;
  }
  return figure;
}

/// Counts a kernel on the GPU and by emulation, instruction by instruction.
void run_live_audit(const LedgerAuditOptions& options, const GlobalOptions& global) {
  constexpr const char* executed = "smsp__sass_inst_executed";
  constexpr const char* wavefronts = "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared";
  constexpr const char* sectors = "smsp__sass_sectors_mem_global";
  spec::Catalog catalog(find_specs(global.specs));
  std::vector<profiling::ProblemTasks> tasks =
      find_tasks(options.kernels,
                 options.shape.empty() ? std::vector<std::string>{} : std::vector{options.shape},
                 {options.matrix}, catalog);
  if (tasks.size() != 1 || tasks.front().kernels.size() != 1) {
    fail("--per-instruction audits one kernel at one shape; name it in full with --kernels");
  }
  const profiling::ProblemTasks& task = tasks.front();
  const kernels::Kernel& kernel = *task.kernels.front();
  LiveSession session = open_session(options.gpu, MeasureSettings{}, catalog);
  std::vector<profiling::InstructionSample> samples;
  const std::vector<std::string> metrics = {executed, wavefronts, sectors};
  session.runner->observe(
      kernel, task.problem, CacheMode::cold, [&](const profiling::ObservedLaunch& launch) {
        samples = profiling::open_instruction_collector(session.ordinal, metrics)->count(launch);
      });
  MachineOptions machine = machine_options(options, session.device.architecture);
  const bool sparse = kernel.family == std::string_view("spmv");
  machine.matrix = sparse ? options.matrix : "";
  if (machine.cubin.empty()) {
    machine.cubin = std::filesystem::read_symlink("/proc/self/exe").string();
  }
  const CatalogueLedger counted =
      count_catalogue_kernel(catalog, std::string(kernel.name), options.shape, machine);
  std::vector<reports::AuditedInstruction> audited;
  for (const sass::LedgerLine& line : counted.machine.lines) {
    const auto found = std::ranges::find_if(samples, [&](const auto& sample) {
      return sample.address == line.address && sample.function == counted.machine.kernel;
    });
    const profiling::InstructionSample* const sample = found == samples.end() ? nullptr : &*found;
    if (line.counts.executions == 0 && sample == nullptr) {
      continue;
    }
    reports::AuditedInstruction& one = audited.emplace_back();
    one.address = line.address;
    one.text = line.text;
    one.executions = *audited_count("executions", executed, line.counts.executions, sample,
                                    sass::exact_tolerance);
    if (line.space == sass::MemorySpace::shared) {
      one.wavefronts = audited_count("shared wavefronts", wavefronts, line.counts.wavefronts,
                                     sample, sass::wavefront_tolerance);
    } else if (line.space == sass::MemorySpace::global) {
      one.sectors = audited_count("global sectors", sectors, line.counts.sectors, sample,
                                  sass::exact_tolerance);
    }
  }
  write_report(reports::instruction_audit_report(std::string(kernel.name), counted.shape,
                                                 session.device.name, audited),
               options.output);
}

}  // namespace

void add_audit_ledger(CLI::App& app, const GlobalOptions& global) {
  auto options = std::make_shared<LedgerAuditOptions>();
  CLI::App* command = app.add_subcommand("audit-ledger",
                                         "source ledger, machine-code ledger and hardware counters "
                                         "side by side; without counters, the "
                                         "evidence that needs none");
  command
      ->add_option("-k,--kernels", options->kernels, "kernels by regular expression; default: all")
      ->type_name("REGEX");
  command
      ->add_option("-d,--device", options->device,
                   "device by name (see 'perfmodel list devices'); default: the recording's")
      ->type_name("NAME");
  command
      ->add_option("-r,--recording", options->recording,
                   "recording of that device by name, or a .json file; default: its ladder")
      ->type_name("NAME");
  command
      ->add_option("--shape", options->shape,
                   "only this shape, such as 4096x4096x4096; default: all")
      ->type_name("SHAPE");
  CLI::Option* cubin =
      command
          ->add_option("--cubin", options->cubin,
                       "file with the machine code that was measured; default: the stored listings")
          ->type_name("FILE");
  command
      ->add_option(
          "--launch", options->launch,
          "launch description (.yaml) of a kernel of --cubin that another tool counted; see "
          "'perfmodel import'")
      ->needs(cubin)
      ->type_name("FILE");
  command->add_option("--kernel", options->function, "with --launch: the kernel of --cubin by name")
      ->needs(cubin)
      ->type_name("NAME");
  CLI::Option* live = command->add_flag(
      "--per-instruction", options->per_instruction,
      "count one kernel on this machine's GPU now, and compare instruction by instruction");
  command->add_option("--gpu", options->gpu, "for --per-instruction: device by CUDA's number")
      ->check(CLI::NonNegativeNumber)
      ->needs(live)
      ->type_name("N");
  command
      ->add_option("--matrix", options->matrix,
                   "for --per-instruction: what a sparse kernel runs on; default: stencil-A")
      ->needs(live)
      ->type_name("MATRIX");
  options->output.add_to(*command);
  command->footer(
      "Examples:\n"
      "  perfmodel audit-ledger --device h200 --shape 4096x4096x4096\n"
      "  perfmodel audit-ledger --device rtx4090 --kernels K1\n"
      "  perfmodel audit-ledger --recording mine.json --format csv\n"
      "  perfmodel audit-ledger --recording imported.json --cubin app --launch launch.yaml\n"
      "  perfmodel audit-ledger --kernels K3 --shape 1024x1024x1024 --per-instruction");
  command->callback([options, &global] {
    if (options->per_instruction) {
      run_live_audit(*options, global);
    } else if (!options->launch.empty()) {
      run_foreign_audit(*options, global);
    } else {
      run_recorded_audit(*options, global);
    }
  });
}

}  // namespace perfmodel::app
