#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace perfmodel {

/// What went wrong, as far as the caller's next step depends on it; `app/` maps it to an exit code.
enum class ErrorKind : std::uint8_t {
  bad_input,     ///< an argument, a file or a figure in it is wrong
  unavailable,   ///< nothing is wrong, but this machine or data set cannot answer
  wrong_result,  ///< a kernel computed something else than its reference
};

/// Every error that perfmodel reports to a person. The message says what was wrong, where, and
/// what to do next.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  [[nodiscard]] ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

/// Shorthand for the commonest kind.
[[noreturn]] inline void fail(const std::string& message) {
  throw Error(ErrorKind::bad_input, message);
}

}  // namespace perfmodel
