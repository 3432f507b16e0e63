#include "model/sass/ledger_audit.hpp"

#include <cmath>
#include <limits>

#include "model/device.hpp"

namespace perfmodel::sass {
namespace {

template <Pipe pipe>
double of_pipe(const MachineTotals& totals) {
  return totals.by_pipe[static_cast<std::size_t>(pipe)];
}

/// What the source ledger says of a count, for the whole launch.
std::optional<double> source_of(const std::string& name, const LedgerComparison& source) {
  const auto per_fma = [&](std::initializer_list<const char*> rows) {
    std::optional<double> sum;
    for (const LedgerComparisonRow& row : source.rows) {
      for (const char* wanted : rows) {
        if (row.name == wanted && row.source) {
          sum = sum.value_or(0.0) + *row.source;
        }
      }
    }
    return sum;
  };
  std::optional<double> count;
  double lanes = warp_lanes;
  if (name == "shared load instructions") {
    count = per_fma({"dist", "bcast"});
  } else if (name == "global load requests") {
    count = per_fma({"ldg"});
  } else if (name == "fp32 multiply-adds") {
    count = per_fma({"fma"});
    lanes = 1;
  }
  return count ? std::optional(*count * source.useful_fmas / lanes) : std::nullopt;
}

}  // namespace

std::vector<AuditedCount> audited_counts() {
  using T = MachineTotals;
  const auto shown = std::optional<double>();
  return {
      {"warp instructions", "smsp__inst_executed.sum",
       [](const T& t) { return t.warp_instructions; }, exact_tolerance},
      {"thread instructions", "smsp__thread_inst_executed_pred_on.sum",
       [](const T& t) { return t.thread_instructions; }, exact_tolerance},
      {"fp32 multiply-adds", "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",
       [](const T& t) { return t.fp32_fmas; }, exact_tolerance},
      {"shared load instructions", "smsp__inst_executed_op_shared_ld.sum",
       [](const T& t) { return t.shared_load_instructions; }, exact_tolerance},
      {"global load requests", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
       [](const T& t) { return t.global_load_requests; }, exact_tolerance},
      {"global load sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
       [](const T& t) { return t.global_load_sectors; }, exact_tolerance},
      {"global store requests", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
       [](const T& t) { return t.global_store_requests; }, exact_tolerance},
      {"global store sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
       [](const T& t) { return t.global_store_sectors; }, exact_tolerance},
      // Counted by instruction, without the passes that are lost to arbitration.
      {"shared load wavefronts", "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
       [](const T& t) { return t.shared_load_wavefronts; }, wavefront_tolerance},
      {"shared store wavefronts", "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
       [](const T& t) { return t.shared_store_wavefronts; }, wavefront_tolerance},
      {"LSU wavefronts", "l1tex__data_pipe_lsu_wavefronts.sum",
       [](const T& t) { return t.lsu_wavefronts; }, wavefront_tolerance},
      // The pipes' own counts include arbitration; the hardware shares IMAD out between FMA and
      // ALU.
      {"shared load wavefronts of the pipe", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
       [](const T& t) { return t.shared_load_wavefronts; }, shown},
      {"shared store wavefronts of the pipe",
       "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
       [](const T& t) { return t.shared_store_wavefronts; }, shown},
      {"FMA pipe instructions", "smsp__inst_executed_pipe_fma.sum", of_pipe<Pipe::fma>, shown},
      {"ALU pipe instructions", "smsp__inst_executed_pipe_alu.sum", of_pipe<Pipe::alu>, shown},
      {"XU pipe instructions", "smsp__inst_executed_pipe_xu.sum", of_pipe<Pipe::xu>, shown},
      {"FP64 pipe instructions", "smsp__inst_executed_pipe_fp64.sum", of_pipe<Pipe::fp64>, shown},
      {"tensor pipe instructions", "smsp__inst_executed_pipe_tensor.sum", of_pipe<Pipe::tensor>,
       shown},
      {"LSU pipe instructions", "smsp__inst_executed_pipe_lsu.sum", of_pipe<Pipe::lsu>, shown},
  };
}

std::optional<double> AuditFigure::difference() const {
  if (!measured) {
    return std::nullopt;
  }
  if (*measured == 0) {
    return counted == 0 ? 0.0 : std::numeric_limits<double>::infinity();
  }
  return counted / *measured - 1;
}

std::optional<bool> AuditFigure::passed() const {
  const std::optional<double> off = difference();
  return off && tolerance ? std::optional(std::abs(*off) <= *tolerance) : std::nullopt;
}

std::vector<AuditFigure> audit_ledger(const MachineTotals& totals, const LedgerComparison* source,
                                      const std::map<std::string, double, std::less<>>& counters) {
  std::vector<AuditFigure> figures;
  for (const AuditedCount& count : audited_counts()) {
    AuditFigure figure;
    figure.name = count.name;
    figure.metric = count.metric;
    figure.counted = count.counted(totals);
    figure.tolerance = count.tolerance;
    if (source != nullptr) {
      figure.source = source_of(count.name, *source);
    }
    if (const auto found = counters.find(count.metric); found != counters.end()) {
      figure.measured = found->second;
    }
    if (figure.counted != 0 || figure.measured.value_or(0) != 0 || figure.source.value_or(0) != 0) {
      figures.push_back(std::move(figure));
    }
  }
  return figures;
}

}  // namespace perfmodel::sass
