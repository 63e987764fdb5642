// Sums of logarithms as logarithms of products. A product of positive factors is kept as mantissa x 2^exponent, so that one
// logarithm serves many terms. With n factors the relative error of the product is about n x 1e-16.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace vitalfew {

// Takes the binary exponent out of a normal x > 0 and returns it; x becomes its mantissa in [1, 2).
inline std::int64_t take_exponent(double& x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  x = std::bit_cast<double>((bits & 0x000F'FFFF'FFFF'FFFFull) | 0x3FF0'0000'0000'0000ull);
  return std::int64_t(bits >> 52) - 1023;
}

constexpr double ln2 = 0.693147180559945309417232121458176568;

// Four independent products, so that a multiplication does not wait for the previous one to finish.
struct LogProduct {
  static constexpr int lanes = 4;
  double mantissa[lanes] = {1, 1, 1, 1};
  std::int64_t exponent = 0;

  void normalize() {
    for (double& m : mantissa) exponent += take_exponent(m);
  }
  double log() {
    normalize();
    return std::log(mantissa[0] * mantissa[1] * mantissa[2] * mantissa[3]) + ln2 * double(exponent);
  }
};

// Returns the logarithm of the quotient of two products.
inline double log_ratio(LogProduct& over, LogProduct& under) {
  over.normalize();
  under.normalize();
  double ratio = 1;
  for (int l = 0; l < LogProduct::lanes; ++l) ratio *= over.mantissa[l] / under.mantissa[l];
  return std::log(ratio) + ln2 * double(over.exponent - under.exponent);
}

// Returns how many factors, each within [2^-bits, 2^bits], a lane may take between two calls of normalize(); 0 if none is safe.
inline std::size_t factors_per_lane(double bits) { return bits * 8 >= 1000 ? 0 : std::size_t(1000 / std::max(bits, 1.0)) - 7; }

}  // namespace vitalfew
