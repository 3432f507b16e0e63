#include "model/spec/coefficients_file.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <limits>

#include "model/spec/fields.hpp"

namespace perfmodel::spec {

std::string write_coefficients(const ThroughputCoefficients& coefficients) {
  YAML::Emitter out;
  out.SetDoublePrecision(std::numeric_limits<double>::max_digits10);
  out << YAML::BeginMap;
  out << YAML::Key << "schema" << YAML::Value << "perfmodel.coefficients/1";
  out << YAML::Key << "device" << YAML::Value << coefficients.device;
  out << YAML::Key << "exposed_share" << YAML::Value << coefficients.exposed_share;
  out << YAML::Key << "std_error" << YAML::Value << coefficients.std_error;
  out << YAML::Key << "references" << YAML::Value << YAML::BeginSeq;
  for (const std::string& reference : coefficients.references) {
    out << reference;
  }
  out << YAML::EndSeq << YAML::EndMap;
  return std::string(out.c_str(), out.size()) + "\n";
}

ThroughputCoefficients read_coefficients(const std::filesystem::path& path) {
  const Document document = read_yaml(path);
  check_schema(document, "coefficients", 1);
  const Fields fields(document, document.root, "coefficients",
                      {{"schema"}, {"device"}, {"exposed_share"}, {"std_error"}, {"references"}});
  const auto share = [&](std::string_view key) {
    const double value = read_number(document, fields.at(key), key);
    if (value < 0 || value > 1) {
      document.fail_at(fields.at(key).mark, fmt::format("{} must be 0 to 1", key));
    }
    return value;
  };
  ThroughputCoefficients coefficients;
  coefficients.device = fields.name("device");
  coefficients.exposed_share = share("exposed_share");
  coefficients.std_error = share("std_error");
  for (const Node& item : read_sequence(document, fields.at("references"), "references")) {
    coefficients.references.push_back(read_text_value(document, item, "reference"));
  }
  return coefficients;
}

}  // namespace perfmodel::spec
