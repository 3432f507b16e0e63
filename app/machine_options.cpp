#include "app/machine_options.hpp"

#include <fmt/format.h>

#include "model/error.hpp"

namespace perfmodel::app {
namespace {

// Headings of --help.
constexpr const char* code_group = "Machine code";
constexpr const char* emulating_group = "Emulation";

}  // namespace

void MachineOptions::add_to(CLI::App& command) {
  add_code_to(command);
  const char* code = code_group;
  command.add_flag("--list", list, "only list the kernels of --cubin")->group(code);
  command
      .add_option("--save-listing", save_listing,
                  "store the code, readable without NVIDIA's tools: OUT.json or OUT.json.gz")
      ->group(code)
      ->type_name("OUT");
  command.add_flag("--annotate", annotate, "show the listing with the counts of each instruction")
      ->group(code);
  command
      .add_flag("--unique-bytes", unique_bytes,
                "count the distinct bytes that a block, a wave of blocks and the launch touch")
      ->group(code);
  command
      .add_option("--device", device,
                  "device whose waves --unique-bytes counts, by name or .yaml file; default: the "
                  "first one of the architecture")
      ->group(code)
      ->type_name("DEVICE");
  command
      .add_flag(
          "--no-defects", no_defects,
          "look for accesses out of bounds only, not for races and reads of unwritten memory; "
          "takes about a fifth less time")
      ->group(emulating_group);
}

void MachineOptions::add_code_to(CLI::App& command) {
  command_ = &command;
  const char* code = code_group;
  command
      .add_option("--arch", arch,
                  "count the machine code for it, such as sm_89: stored for the kernels of the "
                  "catalogue, or out of --cubin")
      ->group(code)
      ->type_name("ARCH");
  command
      .add_option("--matrix", matrix,
                  "what a sparse kernel runs on: stencil-A (default), stencil-B or a .mtx file")
      ->group(code)
      ->type_name("MATRIX");
  command
      .add_option("--cubin", cubin,
                  "file with machine code: cubin, fatbin, program, library or stored listing")
      ->group(code)
      ->type_name("FILE");
  command
      .add_option("--kernel", function,
                  "kernel of --cubin: its name, mangled or not, or an unambiguous part of it")
      ->group(code)
      ->type_name("NAME");
  const char* how = "Launch of a kernel of --cubin";
  command.add_option("--launch", launch_file, "launch description (.yaml, see specs/README.md)")
      ->group(how)
      ->type_name("FILE");
  command.add_option("--grid", flags.grid, "or by flags: blocks in x, y, z, such as 32,32")
      ->group(how)
      ->type_name("X,Y,Z");
  command.add_option("--block", flags.block, "threads in x, y, z, such as 32,8")
      ->group(how)
      ->type_name("X,Y,Z");
  command
      .add_option("--dynamic-shared-bytes", flags.dynamic_shared_bytes,
                  "dynamic shared memory per block; default: 0")
      ->group(how)
      ->type_name("BYTES");
  command
      .add_option("--arg", flags.arguments,
                  "next parameter: i32:4096 (u32, i64, u64, f32, f64), buffer:BYTES, "
                  "buffer:BYTES:zeros, buffer:BYTES:random_f32:SEED or buffer:BYTES@FILE; repeat")
      ->allow_extra_args(false)
      ->group(how)
      ->type_name("ARG");

  const char* emulating = emulating_group;
  command
      .add_flag("--all-blocks", all_blocks,
                "emulate every block, and search it for defects, instead of representative ones")
      ->group(emulating);
  command
      .add_flag("--count-unknown", count_unknown,
                "count and flag opcodes that are not known instead of refusing them")
      ->group(emulating);
  command
      .add_option("--seed", seed, "chooses random blocks where counts depend on data; default: 1")
      ->group(emulating)
      ->type_name("N");
  command.add_option("--threads", threads, "CPU threads; default: one per core")
      ->check(CLI::Range(1U, 1024U))
      ->group(emulating)
      ->type_name("N");
  command
      .add_option("--max-instructions", max_instructions,
                  "warp instructions of a block after which it counts as endless; default: 1e9")
      ->check(CLI::PositiveNumber)
      ->group(emulating)
      ->type_name("N");
}

bool MachineOptions::has_launch_flags() const {
  return command_ != nullptr &&
         (command_->count("--grid") + command_->count("--block") +
              command_->count("--dynamic-shared-bytes") + command_->count("--arg") >
          0);
}

void MachineOptions::check(const std::string& kernel, const std::string& shape) const {
  const auto given = [&](const char* option) { return command_->count(option) > 0; };
  const auto refuse_any = [&](std::initializer_list<const char*> options, const char* why) {
    for (const char* option : options) {
      if (given(option)) {
        fail(fmt::format("{} {}", option, why));
      }
    }
  };
  if (kernel.empty() && cubin.empty()) {
    fail(
        "name a kernel of the catalogue (see 'perfmodel list kernels') or a file with machine code "
        "(--cubin)");
  }
  if (cubin.empty()) {
    refuse_any(
        {"--kernel", "--list", "--launch", "--grid", "--block", "--dynamic-shared-bytes", "--arg"},
        "without --cubin: it is for a kernel of a file with machine code");
  }
  if (!unique_bytes) {
    refuse_any({"--device"}, "without --unique-bytes: nothing else depends on the device");
  }
  if (!wanted()) {
    refuse_any({"--matrix", "--annotate", "--unique-bytes", "--save-listing", "--all-blocks",
                "--no-defects", "--count-unknown", "--seed", "--threads", "--max-instructions"},
               "without --arch or --cubin: the source ledger needs no machine code");
  }
  if (!kernel.empty()) {
    refuse_any(
        {"--kernel", "--launch", "--grid", "--block", "--dynamic-shared-bytes", "--arg", "--list"},
        "with a kernel of the catalogue, which knows its function and launch; leave out "
        "one of them");
    return;
  }
  if (!shape.empty()) {
    fail("--shape without a kernel of the catalogue: the launch says what a kernel works on");
  }
  refuse_any({"--matrix"}, "without a kernel of the catalogue");
  if (list) {
    refuse_any({"--kernel", "--launch", "--grid", "--block", "--dynamic-shared-bytes", "--arg",
                "--annotate", "--unique-bytes", "--all-blocks", "--no-defects", "--count-unknown",
                "--save-listing"},
               "with --list, which runs nothing");
    return;
  }
  if (!launch_file.empty() && has_launch_flags()) {
    fail(
        "--launch with --grid, --block, --dynamic-shared-bytes or --arg: describe the launch once");
  }
  if (has_launch_flags() && (!given("--grid") || !given("--block"))) {
    fail(fmt::format("{} is missing: a launch by flags needs --grid and --block",
                     given("--grid") ? "--block" : "--grid"));
  }
  if (!has_launch() && save_listing.empty()) {
    fail(
        "the launch is missing: give --launch FILE, or --grid, --block and --arg; --list shows the "
        "kernels");
  }
}

spec::LaunchDescription MachineOptions::launch() const {
  return launch_file.empty() ? spec::launch_from_flags(flags) : spec::read_launch(launch_file);
}

sass::EmulationOptions MachineOptions::emulation() const {
  sass::EmulationOptions options;
  options.all_blocks = all_blocks;
  options.count_unknown = count_unknown;
  options.find_defects = !no_defects;
  options.instruction_budget = max_instructions;
  options.threads = threads;
  options.seed = seed;
  return options;
}

}  // namespace perfmodel::app
