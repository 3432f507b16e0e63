#pragma once

#include <gmpxx.h>

#include <cstdint>
#include <string>

namespace perfmodel {

/// Exact arithmetic of the ledgers: counts stay fractions until they are shown or priced.
using Rational = mpq_class;

/// The nearest double (mpq_get_d alone would truncate).
double to_double(const Rational& value);

/// "5/128", or "3" for an integer.
std::string to_fraction(const Rational& value);

/// Smallest integer not below / largest not above `value`.
Rational ceil(const Rational& value);
Rational floor(const Rational& value);

/// True for an integer that an int64_t holds, so that a program can index with it.
bool fits_int64(const Rational& value);

}  // namespace perfmodel
