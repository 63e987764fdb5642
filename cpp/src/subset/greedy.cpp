// Greedy subset selection for least squares: forward, floating and exchange searches (greedy.hpp) and backward elimination.
//
// Backward elimination maintains the inverse A of the second moments of the remaining columns. Removing column j raises the
// mean square by β_j² / A_jj, and A changes by a rank-one update: O(k²) per step after O(k³) for the inverse.
#include "subset/greedy.hpp"

namespace vitalfew {
namespace {

// Backward elimination on the inverse of the second moments of the remaining columns.
class BackwardSearch {
 public:
  BackwardSearch(HeldMoments& moments, const SubsetOptions& options, Monitor& monitor)
      : moments_(moments),
        options_(options),
        monitor_(monitor),
        variables_(options.group, moments.n_cols()),
        is_in_(variables_.count(), 0) {
    // Columns that depend on earlier ones leave first, at no loss.
    std::vector<double> beside;
    Cholesky factor;
    for (std::size_t j = 0; j < moments.n_cols(); ++j) {
      beside.clear();
      for (const std::size_t e : columns_) beside.push_back(moments.product(j, e));
      if (moments.curvature(j) > 0 && factor.append(beside, moments.curvature(j), HeldMoments::floor)) {
        columns_.push_back(j);
        is_in_[variables_.of(j)] = 1;
      }
      monitor_.check();
    }
    count_ = std::size_t(std::count(is_in_.begin(), is_in_.end(), char(1)));
    invert();
  }

  // Removes variables one by one and returns the model of each size up to options.most.
  std::vector<Model> run() {
    std::vector<Model> models(std::min(count_, options_.most) + 1);
    for (;; take_out(least_needed())) {
      if (count_ < models.size()) models[count_] = model();
      if (count_ == 0) return models;
      monitor_.report(double(variables_.count() - count_));
    }
  }

 private:
  // Recomputes the inverse and the coefficients from the moments.
  void invert() {
    const std::size_t k = columns_.size();
    inverted_at_ = k;
    stride_ = k;
    inverse_.assign(k * k, 0.0);
    value_.assign(k, 0.0);
    place_.resize(k);
    Cholesky factor;
    std::vector<double> beside;
    for (std::size_t a = 0; a < k; ++a) {
      place_[a] = a;
      beside.clear();
      for (std::size_t b = 0; b < a; ++b) beside.push_back(moments_.product(columns_[a], columns_[b]));
      factor.append(beside, moments_.curvature(columns_[a]), 0);
      value_[a] = moments_.cross(columns_[a]);
    }
    for (std::size_t a = 0; a < k; ++a) {
      const std::span<double> line(inverse_.data() + a * k, k);
      line[a] = 1;
      factor.solve(line);
      monitor_.check();
    }
    factor.solve(value_);
  }

  double at(std::size_t a, std::size_t b) const { return inverse_[place_[a] * stride_ + place_[b]]; }

  // Returns the variable whose removal raises the loss least. Of ties the last one leaves, so that the first columns stay.
  std::size_t least_needed() const {
    std::vector<std::vector<std::size_t>> places(variables_.count());
    for (std::size_t t = 0; t < columns_.size(); ++t) places[variables_.of(columns_[t])].push_back(t);
    std::size_t out = places.size();
    double least = 0;
    std::vector<double> block, part;
    for (std::size_t g = 0; g < places.size(); ++g) {
      if (places[g].empty()) continue;
      block.clear();
      part.clear();
      for (const std::size_t a : places[g]) {
        part.push_back(value_[place_[a]]);
        for (const std::size_t b : places[g]) block.push_back(at(a, b));
      }
      const double rise = quadratic_of_inverse(block, part);
      if (out == places.size() || rise <= least * (1 + kTieOfGains)) {
        least = out == places.size() ? rise : std::min(rise, least);
        out = g;
      }
    }
    return out;
  }

  // Removes a variable, one rank-one update of inverse and coefficients for each of its columns.
  void take_out(std::size_t g) {
    for (std::size_t t = columns_.size(); t-- > 0;) {
      if (variables_.of(columns_[t]) != g) continue;
      const std::size_t p = place_[t];
      const double* const line = inverse_.data() + p * stride_;
      const double pivot = line[p], share = value_[p] / pivot;
      columns_.erase(columns_.begin() + std::ptrdiff_t(t));
      place_.erase(place_.begin() + std::ptrdiff_t(t));
      for (const std::size_t q : place_) {
        value_[q] -= share * line[q];
        axpy(-line[q] / pivot, line, inverse_.data() + q * stride_, stride_);
      }
    }
    is_in_[g] = 0;
    --count_;
    if (columns_.size() <= inverted_at_ / 2) invert();  // for shorter lines, and to stop rounding errors from adding up
  }

  Model model() const {
    Model model{columns_, {}, 0, 0};
    double square = moments_.square();
    for (std::size_t t = 0; t < columns_.size(); ++t) {
      model.value.push_back(value_[place_[t]]);
      square -= model.value.back() * moments_.cross(columns_[t]);
    }
    model.loss = 0.5 * std::max(square, 0.0);
    return model;
  }

  HeldMoments& moments_;
  const SubsetOptions& options_;
  Monitor& monitor_;
  Variables variables_;
  std::vector<char> is_in_;
  std::vector<std::size_t> columns_, place_;  // remaining columns, and their lines in the inverse
  std::vector<double> inverse_, value_;
  std::size_t count_ = 0, stride_ = 0, inverted_at_ = 0;
};

template <class Moments>
PathPoints forward_path(Moments& moments, const SubsetOptions& options, Monitor& monitor) {
  GreedySearch search(moments, options, monitor);
  PathPoints path = path_of(search.run(), moments.square());
  path.is_complete = search.is_complete();
  return path;
}

}  // namespace

template <ColumnMatrix M>
PathPoints greedy_path(const M& x, std::span<const double> y, std::span<const double> weight, const SubsetOptions& options,
                       Monitor& monitor) {
  if (options.direction == Direction::backward) throw std::invalid_argument("backward search requires second moments");
  RowMoments<M> moments(x, y, weight, options.intercept, options.threads, monitor);
  return forward_path(moments, options, monitor);
}

PathPoints greedy_path(std::span<const double> gram, std::span<const double> cross, double square, const SubsetOptions& options,
                       Monitor& monitor) {
  HeldMoments moments(gram, cross, square);
  if (options.direction == Direction::backward) return path_of(BackwardSearch(moments, options, monitor).run(), square);
  return forward_path(moments, options, monitor);
}

#define VITALFEW_INSTANTIATE(M) \
  template PathPoints greedy_path<M>(const M&, std::span<const double>, std::span<const double>, const SubsetOptions&, Monitor&);
VITALFEW_FOR_NUMBER_COLUMNS(VITALFEW_INSTANTIATE)
VITALFEW_INSTANTIATE(BinaryColumns)

}  // namespace vitalfew
