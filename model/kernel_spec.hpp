#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/expression.hpp"

namespace perfmodel {

/// A global load or store as it stands in the source.
struct GlobalAccess {
  std::string array;     ///< "A"
  Rational per_thread;   ///< instructions per thread and trip of the enclosing loop
  std::int64_t width{};  ///< array elements per instruction (4 for a float4)
  /// Distance between neighbouring lanes in elements: 0 = broadcast, `width` = coalesced.
  /// Empty means a gather: every lane may touch another line.
  std::optional<Expression> lane_stride;
  /// Elements that the whole launch moves; lanes outside the array move none.
  Expression elements;
};

/// One loop of the source, per thread, with the loops inside it.
struct Loop {
  std::string name;
  Expression trips;       ///< per thread and trip of the enclosing loop; may be a fraction
  Rational fmas;          ///< multiply-adds per thread and trip
  Rational shared_dist;   ///< shared reads whose address has stride 1 in the lane
  Rational shared_bcast;  ///< shared reads with one address for the whole warp
  std::vector<GlobalAccess> global_loads;
  std::vector<Loop> loops;
};

/// The loads of a kernel, counted by hand in its source.
struct SourceLedgerSpec {
  std::int64_t element_bytes{};
  Expression threads;  ///< threads that run the loops, in whole warps or blocks as the source does
  std::int64_t outputs_per_thread{};
  std::vector<Loop> loops;
  std::vector<GlobalAccess> global_stores;  ///< `per_thread` counts once per thread
};

/// A kernel as the models see it. Read from `specs/kernels/*.yaml`.
struct KernelSpec {
  std::string name;
  std::string family;  ///< kernels of one family do the same work and can be compared: "sgemm"
  std::string summary;
  std::vector<std::string> dimensions;  ///< names of the shape's extents, in order
  Shape default_shape;                  ///< where nobody asks for another
  Expression outputs;                   ///< results that the work defines
  Expression fmas;                      ///< multiply-adds that the work needs
  Expression required_bytes;            ///< each input read once, each output written once
  /// The library that implements it ("cuBLAS"), for the yardstick of a family; such a kernel has
  /// no source ledger.
  std::optional<std::string> library;
  std::optional<SourceLedgerSpec> ledger;
};

}  // namespace perfmodel
