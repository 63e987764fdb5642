// Implementation of the loops of vectors.hpp, included once for each processor type; VITALFEW_TARGET names the namespace.
// (Function-cloning attributes lower vector types to the baseline's registers first, hence one file for each.) Sums use several
// accumulators in a fixed order, so that results do not depend on threads. All loops are O(n).
#include <cmath>
#include <cstddef>
#include <limits>

#include "base/vectors_table.hpp"

namespace vitalfew::VITALFEW_TARGET {
namespace {

// Four numbers at a time: vector types of GCC and Clang, which map to the registers available.
typedef double Four __attribute__((vector_size(32)));
typedef float FourFloats __attribute__((vector_size(16)));

[[gnu::always_inline]] inline Four load(const double* x) {
  Four v;
  __builtin_memcpy(&v, x, sizeof v);
  return v;
}
[[gnu::always_inline]] inline Four load(const float* x) {
  FourFloats v;
  __builtin_memcpy(&v, x, sizeof v);
  return __builtin_convertvector(v, Four);
}
[[gnu::always_inline]] inline double sum(Four v) { return (v[0] + v[2]) + (v[1] + v[3]); }

#include "base/vectors_math.hpp"

// Four accumulators of four lanes hide the latency of the additions.
template <class T>
double dot_of(const T* x, const double* v, std::size_t n) {
  Four s0{}, s1{}, s2{}, s3{};
  std::size_t i = 0;
  for (; i + 16 <= n; i += 16) {
    s0 += load(x + i) * load(v + i);
    s1 += load(x + i + 4) * load(v + i + 4);
    s2 += load(x + i + 8) * load(v + i + 8);
    s3 += load(x + i + 12) * load(v + i + 12);
  }
  double rest = 0;
  for (; i < n; ++i) rest += double(x[i]) * v[i];
  return sum((s0 + s2) + (s1 + s3)) + rest;
}

template <class T>
void axpy_of(double a, const T* x, double* v, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) v[i] += a * double(x[i]);
}

template <class T>
void dot4_of(const T* x, const double* v, std::size_t n, double* out) {
  const double *v0 = v, *v1 = v + n, *v2 = v + 2 * n, *v3 = v + 3 * n;
  Four s0{}, s1{}, s2{}, s3{}, t0{}, t1{}, t2{}, t3{};
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const Four a = load(x + i), b = load(x + i + 4);
    s0 += a * load(v0 + i);
    s1 += a * load(v1 + i);
    s2 += a * load(v2 + i);
    s3 += a * load(v3 + i);
    t0 += b * load(v0 + i + 4);
    t1 += b * load(v1 + i + 4);
    t2 += b * load(v2 + i + 4);
    t3 += b * load(v3 + i + 4);
  }
  double rest[4] = {};
  for (; i < n; ++i) {
    const double xi = double(x[i]);
    rest[0] += xi * v0[i];
    rest[1] += xi * v1[i];
    rest[2] += xi * v2[i];
    rest[3] += xi * v3[i];
  }
  out[0] = sum(s0 + t0) + rest[0];
  out[1] = sum(s1 + t1) + rest[1];
  out[2] = sum(s2 + t2) + rest[2];
  out[3] = sum(s3 + t3) + rest[3];
}

// The twelve accumulators and their operands fill the sixteen AVX registers.
void products_of(const double* a, const double* b, std::size_t apart, std::size_t n, double* tile) {
  const double *b0 = b, *b1 = b + apart, *b2 = b + 2 * apart;
  Four sums[4][3] = {};
  for (std::size_t k = 0; k < n; ++k) {
    const Four x0 = load(b0 + 4 * k), x1 = load(b1 + 4 * k), x2 = load(b2 + 4 * k);
    for (std::size_t i = 0; i < 4; ++i) {
      const Four ai = a[4 * k + i] - Four{};
      sums[i][0] += ai * x0;
      sums[i][1] += ai * x1;
      sums[i][2] += ai * x2;
    }
  }
  for (std::size_t i = 0; i < 12; ++i) {
    const Four sum = load(tile + 4 * i) + sums[i / 3][i % 3];
    __builtin_memcpy(tile + 4 * i, &sum, sizeof sum);
  }
}

template <class T>
double weighted_square_of(const T* x, const double* w, double center, std::size_t n) {
  const Four m = {center, center, center, center};
  Four s0{}, s1{};
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const Four a = load(x + i) - m, b = load(x + i + 4) - m;
    s0 += w ? load(w + i) * a * a : a * a;
    s1 += w ? load(w + i + 4) * b * b : b * b;
  }
  double rest = 0;
  for (; i < n; ++i) rest += (w ? w[i] : 1.0) * (double(x[i]) - center) * (double(x[i]) - center);
  return sum(s0 + s1) + rest;
}

template <class T>
void axpy_pair_of(double a, const T* x, const double* d, double* u, double* z, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const double step = a * double(x[i]);
    u[i] -= d[i] * step;
    z[i] += step;
  }
}

// Calls body for four rows at a time; the last rows are padded with rows of weight zero.
template <class Body>
[[gnu::always_inline]] inline void by_four(std::size_t n, Body&& body) {
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) body(i, std::size_t(4));
  if (i < n) body(i, n - i);
}
[[gnu::always_inline]] inline Four load_some(const double* x, std::size_t count) {
  if (count == 4) return load(x);
  Four v{};
  __builtin_memcpy(&v, x, count * sizeof(double));
  return v;
}

// With e = exp(-|f|): p = 1 / (1 + e) or e / (1 + e) by the sign of f, and loss log(1 + e) + max(-margin, 0), without overflow.
double logistic_of(const double* f, const double* t, const double* w, double* r, double* rw, std::size_t n) {
  Four total{};
  by_four(n, [&](std::size_t i, std::size_t count) {
    const Four fi = load_some(f + i, count), ti = load_some(t + i, count), wi = load_some(w + i, count);
    const Four size = fi < 0.0 ? -fi : fi;
    const Four e = exp4(-(size < 700.0 ? size : all(700.0)));
    const Four q = 1.0 / (1.0 + e), p = fi < 0.0 ? e * q : q;
    const Four margin = ti > 0.5 ? fi : -fi;
    const Four loss = log1p4(e) + (margin < 0.0 ? size : Four{});
    const Four ri = ti - p, rwi = wi * ri;
    total += wi * loss;
    __builtin_memcpy(r + i, &ri, count * sizeof(double));
    __builtin_memcpy(rw + i, &rwi, count * sizeof(double));
  });
  return sum(total);
}

// Σ w (a log a + b log b), a = scale |r|, b = 1 - a; logarithms are taken of at least 1e-300, so that 0 log 0 is 0.
double entropy_of(const double* r, const double* w, double scale, std::size_t n) {
  Four total{};
  by_four(n, [&](std::size_t i, std::size_t count) {
    const Four ri = load_some(r + i, count), wi = load_some(w + i, count);
    const Four a = scale * (ri < 0.0 ? -ri : ri), b = 1.0 - a;
    const Four small = all(1e-300);
    total += wi * (a * log4(a > small ? a : small) + b * log4(b > small ? b : small));
  });
  return sum(total);
}

// x - x is 0 for a finite number and NaN otherwise.
template <class T>
std::size_t not_finite_of(const T* x, std::size_t n) {
  constexpr std::size_t stretch = 1024;
  std::size_t i = 0;
  for (; i + stretch <= n; i += stretch) {
    T s[16] = {};
    for (std::size_t k = 0; k < stretch; k += 16)
      for (std::size_t l = 0; l < 16; ++l) s[l] += x[i + k + l] - x[i + k + l];
    T sum = 0;
    for (std::size_t l = 0; l < 16; ++l) sum += s[l];
    if (sum != 0) break;  // NaN: the position is found below
  }
  while (i < n && x[i] - x[i] == 0) ++i;
  return i;
}

void scale_open_of(double share, const double* c0, const double* limit, double* c, std::size_t n) {
  constexpr double never = std::numeric_limits<double>::infinity();
  for (std::size_t j = 0; j < n; ++j) {
    const double bound = share * c0[j];
    c[j] = limit[j] < never ? bound : c[j];
  }
}

// Lists the indices for which `reaches` holds. Most stretches of sixteen have none, which a vectorized test finds out first.
template <class Reaches>
std::size_t indices_where(std::size_t n, std::size_t* out, Reaches&& reaches) {
  std::size_t count = 0, j = 0;
  for (; j + 16 <= n; j += 16) {
    int any = 0;
    for (std::size_t l = 0; l < 16; ++l) any |= reaches(j + l);
    if (!any) continue;
    for (std::size_t l = 0; l < 16; ++l)
      if (reaches(j + l)) out[count++] = j + l;
  }
  for (; j < n; ++j)
    if (reaches(j)) out[count++] = j;
  return count;
}

std::size_t reaching_of(const double* c, const double* limit, double times, std::size_t n, std::size_t* out) {
  return indices_where(n, out, [=](std::size_t j) { return std::abs(c[j]) >= times * limit[j]; });
}

std::size_t may_reach_of(const double* c, const Drift& drift, const double* limit, double times, std::size_t n,
                         std::size_t* out) {
  const double *norm = drift.norm.data(), *mass = drift.mass.data();
  const double *length0 = drift.since_length.data(), *height0 = drift.since_height.data();
  const double length = drift.length, height = drift.height;
  return indices_where(n, out, [=](std::size_t j) {
    const double far = (length - length0[j]) * norm[j], near = (height - height0[j]) * mass[j];
    return std::abs(c[j]) + (near < far ? near : far) >= times * limit[j];
  });
}

std::size_t reaching_ahead_of(const double* c, const double* before, double ahead, const double* limit, double times,
                              std::size_t n, std::size_t* out) {
  return indices_where(n, out, [=](std::size_t j) { return std::abs(c[j] + ahead * (c[j] - before[j])) >= times * limit[j]; });
}

// s = Σ w r₀ r / Σ w r₀², not below zero, minimizes Σ w (r - s r₀)².
Step step_of(const double* r0, const double* r, const double* w, std::size_t n) {
  Four across{}, own{};
  by_four(n, [&](std::size_t i, std::size_t count) {
    const Four a = load_some(r0 + i, count), b = load_some(r + i, count), wi = load_some(w + i, count);
    across += wi * a * b;
    own += wi * a * a;
  });
  const double square0 = sum(own), product = sum(across), share = square0 > 0 && product > 0 ? product / square0 : 0;
  Four square{}, most{};
  by_four(n, [&](std::size_t i, std::size_t count) {
    const Four d = load_some(r + i, count) - share * load_some(r0 + i, count), size = d < 0.0 ? -d : d;
    square += load_some(w + i, count) * d * d;
    most = size > most ? size : most;
  });
  const double high = most[0] > most[1] ? most[0] : most[1], low = most[2] > most[3] ? most[2] : most[3];
  return {share, std::sqrt(sum(square)), high > low ? high : low};
}

}  // namespace

const VectorLoops kLoops = {
    dot_of<double>,
    dot_of<float>,
    axpy_of<double>,
    axpy_of<float>,
    dot4_of<double>,
    dot4_of<float>,
    products_of,
    weighted_square_of<double>,
    weighted_square_of<float>,
    reaching_of,
    may_reach_of,
    reaching_ahead_of,
    step_of,
    not_finite_of<double>,
    not_finite_of<float>,
    axpy_pair_of<double>,
    axpy_pair_of<float>,
    logistic_of,
    entropy_of,
    scale_open_of,
};

}  // namespace vitalfew::VITALFEW_TARGET
