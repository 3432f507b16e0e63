#include "reports/render.hpp"

namespace perfmodel::reports {

std::string render_json(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace perfmodel::reports
