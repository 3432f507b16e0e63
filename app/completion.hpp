#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace perfmodel::app {

/// What the scripts in `app/completions/` call the program with, before the words to complete.
inline constexpr const char* completion_request = "complete";

/// Names that are known only from the specifications.
enum class NameKind : std::uint8_t { device, kernel, recording };
using NameSource = std::function<std::vector<std::string>(NameKind)>;

struct Candidate {
  std::string word;
  std::string description;  ///< one line; may be empty

  bool operator==(const Candidate&) const = default;
};

/// What may stand for the last of `words`, which are what was typed behind the program's name; the
/// last one, which may be empty, as far as it was typed. Nothing where a file or free text is
/// expected. `names` is asked only where it is needed.
std::vector<Candidate> complete(const CLI::App& app, std::span<const std::string> words,
                                const NameSource& names);

/// Names below the folder of specifications; none where there is no such folder, because a person
/// who is typing is helped by no error.
std::vector<std::string> catalogue_names(NameKind kind, const std::string& specs);

/// A candidate a line, its description behind a tab.
std::string completion_text(std::span<const Candidate> candidates);

}  // namespace perfmodel::app
