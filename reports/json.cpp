#include "reports/render.hpp"

namespace perfmodel::reports {

std::string render_json(const nlohmann::ordered_json& json) { return json.dump(2) + "\n"; }

}  // namespace perfmodel::reports
