#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace perfmodel::profiling {

/// Why something that a measurement could use is not there. None of them is an error: each caller
/// decides whether it can go on without.
enum class AbsenceKind : std::uint8_t {
  not_built,       ///< this perfmodel was built without it
  no_driver,       ///< no NVIDIA driver is loaded
  driver_too_old,  ///< the driver is older than the CUDA runtime
  no_device,       ///< a driver, but no device that it shows to this process
  no_library,      ///< a shared library could not be opened
  no_symbol,       ///< the library is there but lacks a function
  refused,         ///< the call came back with an error code
};

std::string_view to_string(AbsenceKind kind);

struct Absence {
  AbsenceKind kind{};
  std::string why;  ///< a sentence without a full stop, for people

  bool operator==(const Absence&) const = default;
};

/// A value or the reason why there is none.
template <typename T>
class Answer {
 public:
  Answer(T value) : content_(std::move(value)) {}  // NOLINT: implicit, as in std::optional
  Answer(Absence absence) : content_(std::move(absence)) {}  // NOLINT

  [[nodiscard]] bool has_value() const { return std::holds_alternative<T>(content_); }
  explicit operator bool() const { return has_value(); }

  // Only where has_value(); std::bad_variant_access otherwise.
  [[nodiscard]] const T& value() const { return std::get<T>(content_); }
  [[nodiscard]] T& value() { return std::get<T>(content_); }
  const T& operator*() const { return value(); }
  const T* operator->() const { return &value(); }

  /// Only where not has_value(); std::bad_variant_access otherwise.
  [[nodiscard]] const Absence& absence() const { return std::get<Absence>(content_); }

 private:
  std::variant<T, Absence> content_;
};

}  // namespace perfmodel::profiling
