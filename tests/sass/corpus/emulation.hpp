#pragma once

#include <string>
#include <vector>

#include "model/sass/launch.hpp"
#include "model/sass/module.hpp"
#include "tests/sass/corpus/cases.hpp"

namespace corpus {

/// The launch of a case; refers to its buffers.
perfmodel::sass::Launch launch_of(const Case& one);

/// The module that holds the case's kernel; nothing where none does.
const perfmodel::sass::Module* module_of(const std::vector<perfmodel::sass::Module>& modules,
                                         const Case& one);

/// What of the output is further from the wanted one than the case allows; empty where nothing is.
std::string differences(const Case& one, const Bytes& wanted, const Bytes& found);

}  // namespace corpus
