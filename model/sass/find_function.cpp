#include "model/sass/find_function.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <unordered_map>

#include "model/error.hpp"
#include "model/text.hpp"

namespace perfmodel::sass {
namespace {

constexpr std::size_t most_named = 10;

struct Release {
  void operator()(char* text) const {
    std::free(text);  // NOLINT(*-no-malloc,*-owning-memory): as __cxa_demangle allocates
  }
};

/// "a, b, c and 4 more".
std::string some_of(const std::vector<std::string>& names) {
  const std::size_t shown = std::min(names.size(), most_named);
  std::string text = join(std::span(names).first(shown));
  if (shown < names.size()) {
    text += fmt::format(" and {} more", names.size() - shown);
  }
  return text;
}

/// Names as a person would type them: short where that tells them apart.
std::vector<std::string> readable(std::span<const std::string> names) {
  std::vector<std::string> brief;
  std::unordered_map<std::string, int> uses;
  for (const std::string& name : names) {
    brief.push_back(short_name(name));
    ++uses[brief.back()];
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    brief[i] = printable(uses[brief[i]] == 1 ? brief[i] : demangled(names[i]));
  }
  return brief;
}

/// A part of the name before the parameters, or of all of it where `wanted` reaches into them.
bool holds_part(const std::string& name, const std::string& readable_name,
                const std::string& wanted) {
  const std::string& text = wanted.find('(') == std::string::npos ? name : readable_name;
  return text.find(wanted) != std::string::npos;
}

}  // namespace

std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, Release> text(
      name.starts_with("_Z") ? abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status)
                             : nullptr);
  return text == nullptr ? name : std::string(text.get());
}

std::string short_name(const std::string& name) {
  std::string text = demangled(name);
  // The parameters begin at the last '(' outside of all brackets; the name may hold others, as in
  // "(anonymous namespace)::f(int)".
  int depth = 0;
  std::size_t end = text.size();
  if (text.ends_with(')')) {
    for (std::size_t i = text.size(); i-- > 0;) {
      depth += text[i] == ')' ? 1 : 0;
      depth -= text[i] == '(' ? 1 : 0;
      if (depth == 0) {
        end = i;
        break;
      }
    }
  }
  text.resize(end);
  // Templates also have a return type, which ends at the first blank outside of all brackets.
  depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '<' || text[i] == '(' ? 1 : 0;
    depth -= text[i] == '>' || text[i] == ')' ? 1 : 0;
    if (depth == 0 && text[i] == ' ') {
      begin = i + 1;
    }
  }
  return text.substr(begin);
}

std::vector<std::size_t> matching_names(std::span<const std::string> names,
                                        const std::string& wanted) {
  std::vector<std::size_t> exact;
  std::vector<std::size_t> full;
  std::vector<std::size_t> brief;
  std::vector<std::size_t> unqualified;
  std::vector<std::size_t> part;
  if (wanted.empty()) {
    return {};
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string& name = names[i];
    if (name == wanted) {
      exact.push_back(i);
      continue;
    }
    const std::string readable_name = demangled(name);
    if (readable_name == wanted) {
      full.push_back(i);
      continue;
    }
    const std::string brief_name = short_name(name);
    if (brief_name == wanted) {
      brief.push_back(i);
    } else if (brief_name.ends_with("::" + wanted)) {
      unqualified.push_back(i);
    } else if (holds_part(brief_name, readable_name, wanted)) {
      part.push_back(i);
    }
  }
  for (const auto* found : {&exact, &full, &brief, &unqualified}) {
    if (!found->empty()) {
      return *found;
    }
  }
  return part;
}

std::size_t find_name(std::span<const std::string> names, const std::string& wanted) {
  const std::vector<std::size_t> found = matching_names(names, wanted);
  if (found.size() == 1) {
    return found.front();
  }
  if (found.empty()) {
    const std::vector<std::string> known = readable(names);
    fail(fmt::format("no kernel '{}'{}; there are: {}", printable(wanted),
                     did_you_mean(wanted, known), some_of(known)));
  }
  std::vector<std::string> meant;
  for (const std::size_t i : found) {
    meant.push_back(names[i]);
  }
  fail(fmt::format("'{}' means {} kernels: {}; give more of the name", printable(wanted),
                   found.size(), some_of(readable(meant))));
}

const Function& find_function(const Module& module, const std::string& name) {
  std::vector<std::string> names;
  std::vector<const Function*> kernels;
  for (const Function& function : module.functions) {
    if (function.kernel) {
      names.push_back(function.name);
      kernels.push_back(&function);
    }
  }
  return *kernels[find_name(names, name)];
}

}  // namespace perfmodel::sass
