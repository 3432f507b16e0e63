#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "kernels/kernel.hpp"
#include "kernels/problem.hpp"

namespace perfmodel::kernels {

/// Every kernel that this program can run, in the order in which people read them.
std::span<const Kernel> catalog();

/// The kernel of that name; throws Error with the nearest one.
const Kernel& find_kernel(std::string_view name);

/// The problem that `kernel` solves at `shape` (its dimensions; zero extents are legal). Throws
/// Error for a sparse kernel, whose problem is a matrix: see `spmv/problem.hpp`.
std::unique_ptr<Problem> make_problem(const Kernel& kernel, const Shape& shape);

}  // namespace perfmodel::kernels
