#include "app/completion.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "app/specs_folder.hpp"
#include "model/error.hpp"
#include "model/spec/catalog.hpp"
#include "model/text.hpp"

namespace perfmodel::app {
namespace {

/// Which values are names of the specifications, by option or argument.
std::optional<NameKind> name_kind(const CLI::Option& option) {
  static constexpr std::array<std::pair<std::string_view, NameKind>, 5> kinds = {{
      {"--device", NameKind::device},
      {"kernel", NameKind::kernel},
      {"--kernels", NameKind::kernel},
      {"--references", NameKind::kernel},
      {"--recording", NameKind::recording},
  }};
  const auto* found = std::ranges::find(kinds, option.get_name(),
                                        [](const auto& one) { return std::string(one.first); });
  return found == kinds.end() ? std::nullopt : std::optional(found->second);
}

/// The values that CLI11 checks against; it tells them only in its help: "FORMAT:{csv,json}".
std::vector<std::string> fixed_values(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t begin = type.find('{');
  const std::size_t end = type.find('}', begin);
  if (begin == std::string::npos || end == std::string::npos) {
    return {};
  }
  return split(type.substr(begin + 1, end - begin - 1), ',');
}

/// Flags expect none.
bool takes_value(const CLI::Option& option) { return option.get_expected_max() > 0; }

bool is_shown(const CLI::Option& option) { return !option.get_group().empty(); }
bool is_shown(const CLI::App& command) { return !command.get_group().empty(); }

class Completion {
 public:
  Completion(const CLI::App& app, const NameSource& names)
      : app_(app), command_(&app), names_(names) {}

  /// A word that stands before the one to complete.
  void pass(const std::string& word) {
    if (word == "=") {  // bash splits --device=h200 in three
      return;
    }
    if (open_ != nullptr) {
      open_ = nullptr;
    } else if (word.starts_with('-')) {
      const CLI::Option* option = find_option(word);
      open_ = option != nullptr && takes_value(*option) ? option : nullptr;
    } else if (const CLI::App* subcommand = find_subcommand(word)) {
      command_ = subcommand;
    } else {
      ++arguments_;
    }
  }

  std::vector<Candidate> at(const std::string& word) {
    if (open_ != nullptr) {
      add_values(*open_, word == "=" ? "" : word, "");
    } else if (const std::size_t equals = word.find('=');
               word.starts_with("--") && equals != std::string::npos) {
      if (const CLI::Option* option = find_option(word.substr(0, equals))) {
        add_values(*option, word.substr(equals + 1), word.substr(0, equals + 1));
      }
    } else if (word.starts_with('-')) {
      add_options(word);
    } else {
      add_subcommands(word);
      add_argument_values(word);
    }
    return std::move(found_);
  }

 private:
  [[nodiscard]] const CLI::Option* find_option(const std::string& name) const {
    for (const CLI::App* one : {command_, &app_}) {
      if (const CLI::Option* option = one->get_option_no_throw(name)) {
        return option;
      }
    }
    return nullptr;
  }

  [[nodiscard]] const CLI::App* find_subcommand(const std::string& name) const {
    for (const CLI::App* one : command_->get_subcommands({})) {
      if (one->check_name(name)) {
        return one;
      }
    }
    return nullptr;
  }

  void add(std::string word, std::string_view begin, const std::string& description) {
    if (word.starts_with(begin)) {
      found_.push_back({std::move(word), printable(description, 100)});
    }
  }

  void add_subcommands(const std::string& begin) {
    for (const CLI::App* one : command_->get_subcommands({})) {
      if (is_shown(*one)) {
        add(one->get_name(), begin, one->get_description());
      }
    }
  }

  void add_options(const std::string& begin) {
    std::set<std::string> added;
    for (const CLI::App* one : {command_, &app_}) {
      for (const CLI::Option* option : one->get_options({})) {
        for (const std::string& name : option->get_lnames()) {
          if (is_shown(*option) && added.insert(name).second) {
            add("--" + name, begin, option->get_description());
          }
        }
      }
    }
  }

  void add_argument_values(const std::string& begin) {
    std::size_t at = 0;
    for (const CLI::Option* option : command_->get_options({})) {
      if (option->get_positional() && at++ == arguments_) {
        add_values(*option, begin, "");
      }
    }
  }

  /// `prefix` is what of the word stands before the value. Of a list, only the last part counts.
  void add_values(const CLI::Option& option, const std::string& begin, std::string prefix) {
    std::string last = begin;
    const std::size_t comma = begin.rfind(',');
    if (option.get_delimiter() == ',' && comma != std::string::npos) {
      prefix += begin.substr(0, comma + 1);
      last = begin.substr(comma + 1);
    }
    std::vector<std::string> values = fixed_values(option);
    if (const std::optional<NameKind> kind = name_kind(option)) {
      values = names_(*kind);
    }
    for (const std::string& value : values) {
      add(prefix + value, prefix + last, "");
    }
  }

  const CLI::App& app_;
  const CLI::App* command_;
  const NameSource& names_;
  const CLI::Option* open_ = nullptr;  ///< whose value comes next
  std::size_t arguments_ = 0;          ///< without an option's name, so far
  std::vector<Candidate> found_;
};

}  // namespace

std::vector<Candidate> complete(const CLI::App& app, std::span<const std::string> words,
                                const NameSource& names) {
  if (words.empty()) {
    return {};
  }
  Completion completion(app, names);
  for (const std::string& word : words.first(words.size() - 1)) {
    completion.pass(word);
  }
  return completion.at(words.back());
}

std::vector<std::string> catalogue_names(NameKind kind, const std::string& specs) {
  try {
    const spec::Catalog catalog(find_specs(specs));
    if (kind == NameKind::device) {
      return catalog.device_names();
    }
    if (kind == NameKind::kernel) {
      return catalog.kernel_names();
    }
    std::set<std::string> recordings;
    for (const std::string& device : catalog.recorded_devices()) {
      for (const std::filesystem::path& file : catalog.recording_files(device)) {
        recordings.insert(file.stem().string());
      }
    }
    return {recordings.begin(), recordings.end()};
  } catch (const Error&) {
    return {};
  }
}

std::string completion_text(std::span<const Candidate> candidates) {
  std::string text;
  for (const Candidate& candidate : candidates) {
    text += printable(candidate.word, 1000);
    text += candidate.description.empty() ? "" : "\t" + candidate.description;
    text += '\n';
  }
  return text;
}

}  // namespace perfmodel::app
