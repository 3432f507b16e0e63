#include "profiling/container.hpp"

#include <algorithm>
#include <cstdlib>
#include <system_error>

namespace perfmodel::profiling {

std::vector<std::filesystem::path> container_marks() {
  return {"/.dockerenv", "/run/.containerenv"};
}

bool has_container_variables() {
  const auto is_set = [](const char* name) {
    const char* const value = std::getenv(name);
    return value != nullptr && *value != '\0';
  };
  return is_set("KUBERNETES_SERVICE_HOST") || is_set("container");
}

bool runs_in_container() {
  const std::vector<std::filesystem::path> marks = container_marks();
  return has_container_variables() ||
         std::ranges::any_of(marks, [](const std::filesystem::path& mark) {
           std::error_code status;
           return std::filesystem::exists(mark, status);
         });
}

}  // namespace perfmodel::profiling
