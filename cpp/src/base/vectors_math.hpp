// exp, log and log1p of four numbers at a time, accurate to a few units in the last place: range reduction by powers of two, then
// a polynomial (Taylor series of exp, atanh series of log). Included by vectors_loops.hpp, in its namespace.

typedef long long FourInts __attribute__((vector_size(32)));

[[gnu::always_inline]] inline Four all(double x) { return Four{x, x, x, x}; }

// exp(x) for -700 <= x <= 0: 2^k exp(r) with |r| <= log(2) / 2.
[[gnu::always_inline]] inline Four exp4(Four x) {
  constexpr double magic = 6755399441055744.0;  // 1.5 * 2^52: the last bits of the sum are the integer
  const Four shifted = x * 1.4426950408889634 + magic;
  const Four k = shifted - magic;
  const Four r = (x - k * 0.693147180369123816490) - k * 1.90821492927058770002e-10;
  Four sum = all(1.0 / 6227020800);
  constexpr double inverse[] = {1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720,
                                1.0 / 120,       1.0 / 24,       1.0 / 6,       0.5,          1.0,         1.0};
  for (const double c : inverse) sum = sum * r + c;
  const FourInts power = ((FourInts)shifted << 52) + (1023LL << 52);
  return sum * (Four)power;
}

// log(x) for x >= 1e-300: k log 2 + 2 atanh((m - 1) / (m + 1)) with x = 2^k m, m around 1.
[[gnu::always_inline]] inline Four log4(Four x) {
  const FourInts bits = (FourInts)x;
  const FourInts root = bits - 0x3FE6A09E667F3BCDLL;  // the bits of sqrt(1/2)
  constexpr long long exponent = 0x7FF0000000000000LL;
  const FourInts k = root & (exponent | (1LL << 63));
  const Four m = (Four)(bits - k);
  // k is a multiple of 2^52. Its upper bits are small enough to be converted to a double by adding the magic number.
  const FourInts small = (k >> 52) + 0x4338000000000000LL;
  const Four power = (Four)small - 6755399441055744.0;
  const Four s = (m - 1.0) / (m + 1.0), s2 = s * s;
  Four sum = all(1.0 / 23);
  constexpr double inverse[] = {1.0 / 21, 1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13, 1.0 / 11, 1.0 / 9, 1.0 / 7, 1.0 / 5, 1.0 / 3};
  for (const double c : inverse) sum = sum * s2 + c;
  return power * 0.693147180369123816490 + (power * 1.90821492927058770002e-10 + (2.0 * s + 2.0 * s * s2 * sum));
}

// log(1 + x) for 0 <= x <= 1, accurate relative to x: the rounding error of 1 + x is added back.
[[gnu::always_inline]] inline Four log1p4(Four x) {
  const Four y = x + 1.0, lost = x - (y - 1.0);
  return log4(y) + lost / y;
}
