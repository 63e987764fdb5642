// Loops over contiguous numbers, compiled for several processor types and chosen at run time. Sums are taken in a fixed order, so
// that they do not depend on the number of threads.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace vitalfew {

double dot(const double* x, const double* v, std::size_t n);
double dot(const float* x, const double* v, std::size_t n);
void axpy(double a, const double* x, double* v, std::size_t n);  // v += a x
void axpy(double a, const float* x, double* v, std::size_t n);

// out[b] = xᵀ v_b for four vectors v_b = v + b n, with one pass over x.
void dot4(const double* x, const double* v, std::size_t n, double* out);
void dot4(const float* x, const double* v, std::size_t n, double* out);

// tile += Σ_k a_k b_kᵀ, a row-major 4 x 12 matrix: a_k are the four numbers from a + 4 k, b_k three times four numbers from
// b + 4 k, `apart` from each other.
void add_products(const double* a, const double* b, std::size_t apart, std::size_t n, double* tile);

double weighted_square(const double* x, const double* w, double center, std::size_t n);  // Σ w (x - center)²; w may be null
double weighted_square(const float* x, const double* w, double center, std::size_t n);

// u -= a d x and z += a x, in one pass.
void axpy_pair(double a, const double* x, const double* d, double* u, double* z, std::size_t n);
void axpy_pair(double a, const float* x, const double* d, double* u, double* z, std::size_t n);

// For linear predictors f, labels t of 0 or 1 and weights w: computes the residual r = t - p and rw = w r, and returns Σ w loss.
double logistic_loss(const double* f, const double* t, const double* w, double* r, double* rw, std::size_t n);

// Σ w (a log a + (1 - a) log(1 - a)) with a = scale |r|.
double entropy(const double* r, const double* w, double scale, std::size_t n);

// Returns the position of the first NaN or infinity; n if there is none.
std::size_t first_not_finite(const double* x, std::size_t n);
std::size_t first_not_finite(const float* x, std::size_t n);

// c_j = share c0_j for all j with a finite limit_j.
void scale_open(double share, std::span<const double> c0, std::span<const double> limit, std::span<double> c);

// Bound on the change of numbers c_j: min((length - since_length_j) norm_j, (height - since_height_j) mass_j).
struct Drift {
  double length, height;
  std::span<const double> since_length, since_height, norm, mass;
};

// Lists the indices j, in increasing order, with |c_j| >= times limit_j; with a drift, those for which this may hold by now.
void reaching(std::span<const double> c, std::span<const double> limit, double times, std::vector<std::size_t>& out);
void reaching(std::span<const double> c, const Drift& drift, std::span<const double> limit, double times,
              std::vector<std::size_t>& out);

// The same for |c_j + ahead (c_j - before_j)|.
void reaching_ahead(std::span<const double> c, std::span<const double> before, double ahead, std::span<const double> limit,
                    double times, std::vector<std::size_t>& out);

// The multiple s of r₀ closest to r, its distance sqrt(Σ w (r - s r₀)²), and max |r - s r₀|.
struct Step {
  double share, distance, most;
};
Step step_between(const double* r0, const double* r, const double* w, std::size_t n);

}  // namespace vitalfew
