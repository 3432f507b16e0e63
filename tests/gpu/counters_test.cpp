// The ledger from machine code against the counters of the hardware, which Nsight Compute reads.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>

#include "kernels/machine_launch.hpp"
#include "model/sass/emulate.hpp"
#include "model/sass/find_function.hpp"
#include "model/sass/load.hpp"
#include "model/sass/program.hpp"
#include "profiling/device_query.hpp"
#include "tests/gpu/launch_problem.hpp"

namespace perfmodel::gpu_tests {
namespace {

/// A counter and what the ledger says of the same thing.
struct Figure {
  const char* name;
  const char* counter;
  double (*counted)(const sass::MachineTotals&);
  double tolerance;  ///< relative
};

constexpr double exact = 0.001;
constexpr double about = 0.02;

constexpr std::array figures = {
    Figure{"warp instructions", "smsp__inst_executed.sum",
           [](const sass::MachineTotals& t) { return t.warp_instructions; }, exact},
    Figure{"thread instructions", "smsp__thread_inst_executed_pred_on.sum",
           [](const sass::MachineTotals& t) { return t.thread_instructions; }, exact},
    Figure{"shared load instructions", "smsp__inst_executed_op_shared_ld.sum",
           [](const sass::MachineTotals& t) { return t.shared_load_instructions; }, exact},
    Figure{"global load requests", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
           [](const sass::MachineTotals& t) { return t.global_load_requests; }, exact},
    Figure{"global load sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
           [](const sass::MachineTotals& t) { return t.global_load_sectors; }, exact},
    Figure{"global store requests", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
           [](const sass::MachineTotals& t) { return t.global_store_requests; }, exact},
    Figure{"global store sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
           [](const sass::MachineTotals& t) { return t.global_store_sectors; }, exact},
    // Counted per instruction, without the passes that stores lose to arbitration.
    Figure{"shared load wavefronts",
           "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
           [](const sass::MachineTotals& t) { return t.shared_load_wavefronts; }, about},
    Figure{"shared store wavefronts",
           "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
           [](const sass::MachineTotals& t) { return t.shared_store_wavefronts; }, about},
};

/// Judged where `Case::settled`.
constexpr Figure lsu_wavefronts = {"LSU wavefronts", "l1tex__data_pipe_lsu_wavefronts.sum",
                                   [](const sass::MachineTotals& t) { return t.lsu_wavefronts; },
                                   about};

/// Shown, but only judged where there is a tolerance: what the pipes take includes arbitration, and
/// the counters of the others group instructions a little differently.
constexpr std::array pipe_figures = {
    Figure{"shared load wavefronts of the pipe",
           "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
           [](const sass::MachineTotals& t) { return t.shared_load_wavefronts; }, 0},
    Figure{"shared store wavefronts of the pipe",
           "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
           [](const sass::MachineTotals& t) { return t.shared_store_wavefronts; }, 0},
    Figure{"FMA pipe", "smsp__inst_executed_pipe_fma.sum",
           [](const sass::MachineTotals& t) { return t.by_pipe[0]; }, 0},
    Figure{"ALU pipe", "smsp__inst_executed_pipe_alu.sum",
           [](const sass::MachineTotals& t) { return t.by_pipe[1]; }, 0},
    Figure{"XU pipe", "smsp__inst_executed_pipe_xu.sum",
           [](const sass::MachineTotals& t) { return t.by_pipe[2]; }, 0},
    Figure{"LSU pipe", "smsp__inst_executed_pipe_lsu.sum",
           [](const sass::MachineTotals& t) { return t.by_pipe[5]; }, exact},
    Figure{"uniform pipe", "smsp__inst_executed_pipe_uniform.sum",
           [](const sass::MachineTotals& t) { return t.by_pipe[6]; }, 0},
    Figure{"control pipe", "smsp__inst_executed_pipe_cbu.sum",
           [](const sass::MachineTotals& t) { return t.by_pipe[7]; }, 0},
};

std::filesystem::path beside(const std::string& name) {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
}

/// Fields of one line of CSV, all quoted as ncu does.
std::vector<std::string> csv_fields(const std::string& line) {
  std::vector<std::string> fields;
  std::string field;
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.push_back(std::exchange(field, {}));
    } else {
      field += c;
    }
  }
  fields.push_back(field);
  return fields;
}

/// One profiled launch: counter values by name.
using Counters = std::map<std::string, double>;

/// Runs launch_once under ncu; one entry per launch, in order.
std::vector<Counters> profile(const std::filesystem::path& ncu, bool pipes,
                              const std::vector<std::string>& arguments) {
  std::string metrics;
  const auto add = [&](std::span<const Figure> list) {
    for (const Figure& figure : list) {
      metrics += fmt::format("{}{}", metrics.empty() ? "" : ",", figure.counter);
    }
  };
  add(figures);
  add({&lsu_wavefronts, 1});
  if (pipes) {
    add(pipe_figures);
  }
  std::vector<std::string> all = {"--csv", "--print-units",
                                  "base",  "--page",
                                  "raw",   "--metrics",
                                  metrics, "--clock-control",
                                  "none",  beside("launch_once").string()};
  all.insert(all.end(), arguments.begin(), arguments.end());
  const sass::ProgramResult result = sass::run_program(ncu, all);
  EXPECT_EQ(result.status, 0) << result.errors << result.output.substr(0, 2000);
  std::vector<Counters> launches;
  std::istringstream lines(result.output);
  std::vector<std::string> header;
  bool units_follow = false;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('"')) {
      continue;
    }
    const std::vector<std::string> fields = csv_fields(line);
    if (header.empty()) {
      header = fields;
      units_follow = true;
      continue;
    }
    if (std::exchange(units_follow, false)) {
      continue;
    }
    Counters& counters = launches.emplace_back();
    for (std::size_t i = 0; i < header.size() && i < fields.size(); ++i) {
      std::string digits = fields[i];
      std::erase(digits, ',');
      double value = 0;
      const auto [end, error] =
          std::from_chars(digits.data(), digits.data() + digits.size(), value);
      if (error == std::errc{}) {
        counters[header[i]] = value;
      }
    }
  }
  return launches;
}

class CountersOnDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    const profiling::Answer<profiling::LiveDevices> live = profiling::query_devices();
    if (!live) {
      GTEST_SKIP() << "skipped: no device (" << live.absence().why << ")";
    }
    for (const std::filesystem::path& folder : sass::tool_places().program_folders) {
      if (std::filesystem::exists(folder / "ncu")) {
        ncu_ = folder / "ncu";
      }
    }
    if (ncu_.empty()) {
      GTEST_SKIP() << "skipped: no ncu on PATH";
    }
    sass::LoadOptions options;
    std::string capability = live->devices.front().attributes.compute_capability.value_or("");
    std::erase(capability, '.');
    options.arch = "sm_" + capability;
    modules_ = sass::load_modules(beside("launch_once"), options);
  }

  /// The function and its module, from the very program that is profiled.
  std::pair<const sass::Module*, const sass::Function*> function(const std::string& name) const {
    for (const sass::Module& module : modules_) {
      for (const sass::Function& function : module.functions) {
        if (function.name == name) {
          return {&module, &function};
        }
      }
    }
    ADD_FAILURE() << "launch_once has no function " << name;
    return {nullptr, nullptr};
  }

  /// Where the tables go; nowhere unless asked for.
  static void write_table(const std::string& name, const std::string& text) {
    if (const char* const folder = std::getenv("PERFMODEL_COUNTER_TABLES")) {
      std::ofstream(std::filesystem::path(folder) / name) << text;
    }
    std::fputs(text.c_str(), stdout);
  }

  std::filesystem::path ncu_;
  std::vector<sass::Module> modules_;
};

std::string percent(double counted, double measured) {
  if (measured == 0) {
    return counted == 0 ? "0" : "inf";
  }
  return fmt::format("{:+.3f} %", 100 * (counted / measured - 1));
}

struct Case {
  std::string what;
  /// All wavefronts are settled by addresses and the order within a warp. Otherwise how warps fall
  /// together shows: several that miss the same line at once, or that contend for the pipe.
  bool settled = true;
};

TEST_F(CountersOnDevice, TheLedgerAgreesForTheProjectsKernels) {
  const std::vector<Case> cases = {{"K1@4096x4096x4096"},
                                   {"K2@4096x4096x4096"},
                                   {"K3@4096x4096x4096"},
                                   {"K3c@4096x4096x4096"},
                                   {"K4@4096x4096x4096"},
                                   {"K5-unpadded@4096x4096x4096"},
                                   {"K5@4096x4096x4096"},
                                   {"K6@4096x4096x4096"},
                                   {"naive@1024x1024x1024"},
                                   {"tiled@m=1024,n=1024,k=1024,tile=16,block=256"},
                                   {"tiled@m=1000,n=999,k=501,tile=32,block=512"},
                                   {"sweep@m=1024,n=1024,k=1024,block=256,tk=16,coarsen=4"},
                                   {"gemv-row@4096x4096"},
                                   {"gemv-col@4096x4096"},
                                   {"gemv-col-shared@4096x4096"},
                                   {"spmv-ell4@stencil-A:256"},
                                   {"K3@1000x1001x333"},
                                   {"K5@1000x1001x333"},
                                   {"K6@1000x1004x332"},
                                   {"gemv-row@1000x3001"},
                                   {"gemv-col@1001x3000"},
                                   {"spmv-csr@stencil-A:256"},
                                   {"spmv-csr@stencil-B:256"},
                                   {"spmv-ell@stencil-A:256"},
                                   {"K1@1000x1001x333", false},
                                   {"tiled16@1000x1000x1000", false}};
  std::vector<std::string> names;
  for (const Case& one : cases) {
    names.push_back(one.what);
  }
  const std::vector<Counters> launches = profile(ncu_, true, names);
  ASSERT_EQ(launches.size(), cases.size());
  std::string table =
      "| kernel | figure | counter | ledger | difference |\n| --- | --- | ---: | ---: | ---: |\n";
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto [kernel, problem] = launch_problem(names[i]);
    const auto [module, code] = function(kernels::machine_function(*kernel, problem->shape()));
    ASSERT_NE(code, nullptr);
    const std::vector<sass::Launch> plan =
        kernels::machine_launches(*kernel, *problem, kernels::Contents::indices);
    ASSERT_EQ(plan.size(), 1U);
    const sass::MachineTotals totals = sass::count_launch(*module, *code, plan[0]).totals;
    const auto add = [&](const Figure& figure, bool judged) {
      const double measured = launches[i].at(figure.counter);
      const double counted = figure.counted(totals);
      if (judged) {
        EXPECT_NEAR(counted, measured, figure.tolerance * std::max(measured, 1.0))
            << names[i] << ": " << figure.name;
      }
      if (measured != 0 || counted != 0) {
        table += fmt::format("| {} | {} | {:.0f} | {:.0f} | {} |\n", names[i], figure.name,
                             measured, counted, percent(counted, measured));
      }
    };
    for (const Figure& figure : figures) {
      add(figure, true);
    }
    add(lsu_wavefronts, cases[i].settled);
    for (const Figure& figure : pipe_figures) {
      add(figure, figure.tolerance > 0);
    }
  }
  write_table("counters.md", table);
}

TEST_F(CountersOnDevice, TheWavefrontRulesHoldForEveryPattern) {
  const std::vector<Counters> launches = profile(ncu_, false, {"--patterns"});
  const std::vector<PatternKernel> functions = pattern_kernels();
  const std::vector<AccessPattern> patterns = access_patterns();
  ASSERT_EQ(launches.size(), functions.size() * patterns.size());
  // Stores to many lines take some more of all wavefronts than the rules say: only in the table.
  std::string table = "| access | pattern | LSU counter | ledger |\n| --- | --- | ---: | ---: |\n";
  std::size_t next = 0;
  for (const PatternKernel& kernel : functions) {
    const auto [module, code] = function(kernel.name);
    ASSERT_NE(code, nullptr);
    for (const AccessPattern& pattern : patterns) {
      const std::vector<int> offsets = pattern_offsets(pattern, kernel.element_bytes);
      sass::Launch launch;
      launch.block = {32, 1, 1};
      launch.dynamic_shared_bytes = pattern_data_bytes;
      sass::BufferArgument indices;
      indices.data = std::as_bytes(std::span(offsets));
      indices.size_bytes = indices.data.size();
      indices.fill = sass::Fill::data;
      sass::BufferArgument data;
      data.size_bytes = pattern_data_bytes;
      data.fill = sass::Fill::zeros;
      launch.arguments = {indices, data, data};
      const sass::MachineTotals totals = sass::run_launch(*module, *code, launch).ledger.totals;
      const Counters& counters = launches[next++];
      for (const Figure& figure : figures) {
        const double measured = counters.at(figure.counter);
        const double counted = figure.counted(totals);
        EXPECT_EQ(counted, measured) << kernel.name << ", " << pattern.name << ": " << figure.name;
      }
      const double measured = counters.at(lsu_wavefronts.counter);
      table += fmt::format("| {} | {} | {:.0f} | {:.0f} |\n", kernel.name, pattern.name, measured,
                           totals.lsu_wavefronts);
    }
  }
  write_table("patterns.md", table);
}

}  // namespace
}  // namespace perfmodel::gpu_tests
