#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "model/sass/module.hpp"

namespace perfmodel::sass {

/// "scale<float>(float*, char)" for "_Z5scaleIfEvPT_c"; a name that is not mangled as it is.
std::string demangled(const std::string& name);

/// "scale<float>": the demangled name without return type and parameters.
std::string short_name(const std::string& name);

/// Indices of the mangled names that `wanted` means. The first of these rules that any of them
/// meets decides: the mangled name; the demangled one; its short form; that without its namespaces;
/// any part of the short form, or of the demangled name where `wanted` has a parenthesis. Empty:
/// none.
std::vector<std::size_t> matching_names(std::span<const std::string> names,
                                        const std::string& wanted);

/// The index of the one name that `wanted` means. Throws Error: where none is meant, with the
/// nearest names; where several are, with those.
std::size_t find_name(std::span<const std::string> names, const std::string& wanted);

/// The kernel that `name` means, by the rules of `matching_names`; throws Error as `find_name`
/// does.
const Function& find_function(const Module& module, const std::string& name);

}  // namespace perfmodel::sass
