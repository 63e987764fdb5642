// Vector loops (see vitalfew/vectors.hpp), dispatched at run time to the version compiled for the processor: baseline, or AVX2
// with FMA.
#include "vitalfew/vectors.hpp"

#define VITALFEW_TARGET baseline
#include "base/vectors_loops.hpp"

// __builtin_cpu_supports needs a library that clang-cl does not link: on Windows the system is asked instead.
#ifdef _WIN32
extern "C" __declspec(dllimport) int __stdcall IsProcessorFeaturePresent(unsigned long feature);
#endif

namespace vitalfew {
namespace {

#ifdef VITALFEW_HAS_HASWELL
bool is_haswell() {
#ifdef _WIN32
  return IsProcessorFeaturePresent(40) != 0;  // PF_AVX2_INSTRUCTIONS_AVAILABLE: processors that have it have FMA too
#else
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
}
#endif

// The table of loops for this processor, chosen once.
const VectorLoops& loops() {
#ifdef VITALFEW_HAS_HASWELL
  static const VectorLoops& chosen = is_haswell() ? haswell::kLoops : baseline::kLoops;
  return chosen;
#else
  return baseline::kLoops;
#endif
}

}  // namespace

double dot(const double* x, const double* v, std::size_t n) { return loops().dot_d(x, v, n); }
double dot(const float* x, const double* v, std::size_t n) { return loops().dot_f(x, v, n); }
void axpy(double a, const double* x, double* v, std::size_t n) { loops().axpy_d(a, x, v, n); }
void axpy(double a, const float* x, double* v, std::size_t n) { loops().axpy_f(a, x, v, n); }
void dot4(const double* x, const double* v, std::size_t n, double* out) { loops().dot4_d(x, v, n, out); }
void dot4(const float* x, const double* v, std::size_t n, double* out) { loops().dot4_f(x, v, n, out); }
void add_products(const double* a, const double* b, std::size_t apart, std::size_t n, double* tile) {
  loops().products(a, b, apart, n, tile);
}
double weighted_square(const double* x, const double* w, double center, std::size_t n) {
  return loops().square_d(x, w, center, n);
}
double weighted_square(const float* x, const double* w, double center, std::size_t n) {
  return loops().square_f(x, w, center, n);
}

void axpy_pair(double a, const double* x, const double* d, double* u, double* z, std::size_t n) {
  loops().axpy_pair_d(a, x, d, u, z, n);
}
void axpy_pair(double a, const float* x, const double* d, double* u, double* z, std::size_t n) {
  loops().axpy_pair_f(a, x, d, u, z, n);
}
double logistic_loss(const double* f, const double* t, const double* w, double* r, double* rw, std::size_t n) {
  return loops().logistic(f, t, w, r, rw, n);
}
double entropy(const double* r, const double* w, double scale, std::size_t n) { return loops().entropy(r, w, scale, n); }

std::size_t first_not_finite(const double* x, std::size_t n) { return loops().not_finite_d(x, n); }
std::size_t first_not_finite(const float* x, std::size_t n) { return loops().not_finite_f(x, n); }

void scale_open(double share, std::span<const double> c0, std::span<const double> limit, std::span<double> c) {
  loops().scale_open(share, c0.data(), limit.data(), c.data(), c.size());
}

void reaching(std::span<const double> c, std::span<const double> limit, double times, std::vector<std::size_t>& out) {
  out.resize(c.size());
  out.resize(loops().reaching(c.data(), limit.data(), times, c.size(), out.data()));
}
void reaching(std::span<const double> c, const Drift& drift, std::span<const double> limit, double times,
              std::vector<std::size_t>& out) {
  out.resize(c.size());
  out.resize(loops().may_reach(c.data(), drift, limit.data(), times, c.size(), out.data()));
}
void reaching_ahead(std::span<const double> c, std::span<const double> before, double ahead, std::span<const double> limit,
                    double times, std::vector<std::size_t>& out) {
  out.resize(c.size());
  out.resize(loops().reaching_ahead(c.data(), before.data(), ahead, limit.data(), times, c.size(), out.data()));
}
Step step_between(const double* r0, const double* r, const double* w, std::size_t n) { return loops().step(r0, r, w, n); }

}  // namespace vitalfew
