#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/kernel.hpp"
#include "kernels/problem.hpp"
#include "model/sass/machine_ledger.hpp"
#include "model/sass/module.hpp"

namespace perfmodel::kernels::testing {

/// A kernel of the catalogue at one shape, small enough to emulate every block.
struct Case {
  const Kernel* kernel = nullptr;
  std::string name;  ///< "sweep 33 x 45 x 19 ..."
  std::shared_ptr<Problem> problem;
};

/// Names by which tests go through the catalogue: its kernels but the libraries', with "sweep" in
/// parts "sweep-128", "sweep-256", "sweep-512" by block.
std::vector<std::string> tested_kernels();

/// Three shapes for each variant that the name stands for: a single element or tile, and sizes that
/// are no multiples of a tile, with several blocks in each direction.
std::vector<Case> cases_of(const std::string& name);

/// A function and the module it is in.
struct MachineCode {
  const sass::Module* module = nullptr;
  const sass::Function* function = nullptr;
};

/// The code of the case in every module that has it, which translation units and architectures
/// divide among them.
std::vector<MachineCode> code_of(const Case& one, std::span<const sass::Module> modules);

/// Runs the case's launch on the code and fails the test unless the output is the CPU reference's
/// and nothing is reported on the way.
sass::MachineLedger expect_reference(const Case& one, const MachineCode& code);

}  // namespace perfmodel::kernels::testing
