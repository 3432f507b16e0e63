#include "app/measured_rows.hpp"

#include "model/source_ledger.hpp"

namespace perfmodel::app {

std::vector<reports::MeasuredRow> measured_rows(const Recording& recording,
                                                spec::Catalog& catalog) {
  std::vector<reports::MeasuredRow> rows;
  for (const Measurement& entry : recording.entries) {
    if (entry.foreign) {
      continue;  // nothing tells its work
    }
    const KernelSpec& kernel = catalog.kernel(entry.kernel);
    const Work work = evaluate_work(kernel, entry.shape.ordered_as(kernel.dimensions));
    rows.push_back({entry, 2.0 * to_double(work.fmas), to_double(work.required_bytes)});
  }
  return rows;
}

}  // namespace perfmodel::app
