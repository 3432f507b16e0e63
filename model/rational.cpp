#include "model/rational.hpp"

namespace perfmodel {

double to_double(const Rational& value) {
  constexpr std::size_t double_bits = 53;
  const mpz_class& numerator = value.get_num();
  const mpz_class& denominator = value.get_den();
  const bool both_exact = mpz_sizeinbase(numerator.get_mpz_t(), 2) <= double_bits &&
                          mpz_sizeinbase(denominator.get_mpz_t(), 2) <= double_bits;
  // The quotient of two exact doubles is correctly rounded.
  return both_exact ? numerator.get_d() / denominator.get_d() : value.get_d();
}

std::string to_fraction(const Rational& value) { return value.get_str(); }

Rational ceil(const Rational& value) {
  mpz_class quotient;
  mpz_cdiv_q(quotient.get_mpz_t(), value.get_num_mpz_t(), value.get_den_mpz_t());
  return quotient;
}

Rational floor(const Rational& value) {
  mpz_class quotient;
  mpz_fdiv_q(quotient.get_mpz_t(), value.get_num_mpz_t(), value.get_den_mpz_t());
  return quotient;
}

bool fits_int64(const Rational& value) {
  static_assert(sizeof(long) == sizeof(std::int64_t));
  return value.get_den() == 1 && value.get_num().fits_slong_p();
}

}  // namespace perfmodel
