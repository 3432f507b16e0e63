#pragma once

#include <string>

#include "model/measurement.hpp"
#include "model/spec/node.hpp"

namespace perfmodel::profiling {

// What recordings and files of constants have in common: who measured on what, as JSON objects.
// The readers throw Error as `read_recording` does.

DeviceAttributes read_device_attributes(const spec::Document& document, const spec::Node& node);
Environment read_environment(const spec::Document& document, const spec::Node& node);

std::string format_attributes(const DeviceAttributes& device);
std::string format_environment(const Environment& environment);

}  // namespace perfmodel::profiling
