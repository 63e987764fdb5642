// MDL search for naive Bayes features with two classes and sparse 0/1 features ("words"). Rows of class 1 are sorted first.
// With y_t = 1 or -1, margin m_t = y_t f_t and e_t = exp(-m_t), the loss of row t is log(1 + e_t). A word that adds a to f
// where it is present and b where it is absent changes the loss to log(1 + e_t exp(-y_t a)) or log(1 + e_t exp(-y_t b)). So
//
//   data(J + j) = S(b_j) + sum over rows with j of log (1 + e_t A) / (1 + e_t B),   S(b) = sum_t log(1 + e_t exp(-y_t b))
//
// where A = exp(-y_t a), B = exp(-y_t b), and S is one smooth function of a scalar that is shared by all words: it is
// evaluated at Chebyshev nodes and interpolated. The remaining sum costs two multiplications for each stored entry, because a
// sum of logarithms is the logarithm of a product. A step is O(stored entries + rows).
#include <cmath>
#include <numbers>

#include "bayes/mdl_search.hpp"
#include "vitalfew/counts.hpp"
#include "vitalfew/log_product.hpp"
#include "vitalfew/multiversion.hpp"
#include "vitalfew/parallel.hpp"

namespace vitalfew {
namespace {

// softplus(-m) = log(1 + exp(-m)), for any m.
inline double loss(double m) { return m > 0 ? std::log1p(std::exp(-m)) : -m + std::log1p(std::exp(m)); }

// Multiplies the factors 1 + e A and 1 + e B over the listed rows; exponents are taken out every `every` groups of four.
inline void multiply_column(const std::int32_t* row, std::size_t m, const double* e, double A, double B, std::size_t every,
                            LogProduct& over, LogProduct& under) {
  std::size_t k = 0, left = every;
  for (; k + 4 <= m; k += 4) {
    for (std::size_t l = 0; l < 4; ++l) {
      const double x = e[row[k + l]];
      over.mantissa[l] *= 1 + x * A;
      under.mantissa[l] *= 1 + x * B;
    }
    if (--left == 0) {
      over.normalize();
      under.normalize();
      left = every;
    }
  }
  for (; k < m; ++k) {
    const double x = e[row[k]];
    over.mantissa[0] *= 1 + x * A;
    under.mantissa[0] *= 1 + x * B;
  }
}

struct Word {
  double present, absent;       // a and b: what the word adds to f
  double A, B, over_A, over_B;  // exp(-present), exp(-absent) and their inverses
};

struct Columns {
  const std::int64_t* start;
  const std::int64_t* split;  // first entry of class 0
  const std::int32_t* row;
};

// Computes the sums over the rows with the word, for the words [begin, end). In rows of class 0 the signs are reversed, hence
// the inverse factors.
VITALFEW_HOT void column_sums(const Columns& columns, const Word* word, const double* e, std::size_t every, std::size_t begin,
                              std::size_t end, double* sum) {
  for (std::size_t j = begin; j < end; ++j) {
    const auto start = std::size_t(columns.start[j]), split = std::size_t(columns.split[j]),
               stop = std::size_t(columns.start[j + 1]);
    const Word& w = word[j];
    LogProduct over, under;
    multiply_column(columns.row + start, split - start, e, w.A, w.B, every, over, under);
    if (stop - start >= 4) {
      over.normalize();
      under.normalize();
    }
    multiply_column(columns.row + split, stop - split, e, w.over_A, w.over_B, every, over, under);
    if (stop - start >= 4) {
      sum[j] = log_ratio(over, under);
    } else {  // fewer than four factors, all in the first lane
      sum[j] = std::log(over.mantissa[0] / under.mantissa[0]);
    }
  }
}

// Returns the sum of log(1 + e_i E), as eight parallel products.
VITALFEW_HOT double sum_log1p(const double* e, std::size_t n, double E, std::size_t every) {
  double mantissa[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  std::int64_t exponent = 0;
  std::size_t i = 0, left = every;
  for (; i + 8 <= n; i += 8) {
    for (std::size_t l = 0; l < 8; ++l) mantissa[l] *= 1 + e[i + l] * E;
    if (--left == 0) {
      for (double& m : mantissa) exponent += take_exponent(m);
      left = every;
    }
  }
  double tail = 0;
  for (; i < n; ++i) tail += std::log1p(e[i] * E);
  double product = 1;
  for (double& m : mantissa) {
    exponent += take_exponent(m);
    product *= m;
  }
  return std::log(product) + ln2 * double(exponent) + tail;
}

constexpr std::size_t n_nodes = 16;

// Evaluates sum_m coefficient[m] T_m(x) at many x by Clenshaw's recurrence, vectorized over x.
VITALFEW_HOT void chebyshev_sums(const double* x, std::size_t n, const double* coefficient, double* out) {
  constexpr std::size_t width = 16;
  for (std::size_t begin = 0; begin < n; begin += width) {
    const std::size_t count = std::min(width, n - begin);
    double t[width] = {}, b1[width] = {}, b2[width] = {};
    for (std::size_t l = 0; l < count; ++l) t[l] = x[begin + l];
    for (std::size_t m = n_nodes; m-- > 1;) {
      for (std::size_t l = 0; l < width; ++l) {
        const double b0 = coefficient[m] + 2 * t[l] * b1[l] - b2[l];
        b2[l] = b1[l];
        b1[l] = b0;
      }
    }
    for (std::size_t l = 0; l < count; ++l) out[begin + l] = coefficient[0] + t[l] * b1[l] - b2[l];
  }
}

// The evaluator that MdlSearch drives.
class TwoClass {
 public:
  TwoClass(const BinaryRows& rows, const MdlProblem& problem, const MdlOptions& options)
      : options_(options), n_rows_(rows.n_rows), word_(rows.n_features()), split_(word_.size()), column_sum_(word_.size()) {
    sort_rows_by_class(problem.label);
    read_columns(rows);
    if (!problem.weight.empty()) {
      weight_.resize(n_rows_);
      for (std::size_t i = 0; i < n_rows_; ++i) weight_[new_row_[i]] = problem.weight[i];
    }
    for (std::size_t j = 0; j < word_.size(); ++j) {
      const double* t = problem.table.data() + 4 * j;
      const double a = t[3] - t[2], b = t[1] - t[0];
      word_[j] = {a, b, std::exp(-a), std::exp(-b), std::exp(a), std::exp(b)};
      most_evidence_ = std::max({most_evidence_, std::abs(a), std::abs(b)});
    }
    const double f = problem.log_prior[1] - problem.log_prior[0];
    margin_.assign(n_rows_, -f);
    std::fill_n(margin_.begin(), n_positive_, f);
    plan_panels();
    refresh();
  }

  double data() const { return data_; }

  // Tabulates S, adds each word's sum over its rows and returns the best word. Blocks hold about equal numbers of entries.
  Candidate best_addition(const std::vector<char>& skip, Monitor& monitor) {
    tabulate(monitor);
    const std::size_t blocks = blocks_for(double(work_.back()), std::min<std::size_t>(word_.size(), 256));
    std::vector<Candidate> best(blocks);
    parallel_blocks(blocks, options_.threads, monitor, [&](std::size_t b) {
      // Blocks of equal work: bounds are placed by stored entries plus a constant per word.
      const std::size_t begin = block_bound(b, blocks), end = block_bound(b + 1, blocks);
      if (per_lane_ > 0)
        column_sums({columns_.start.data(), split_.data(), columns_.index.data()}, word_.data(), e_.data(), per_lane_, begin, end,
                    column_sum_.data());
      else
        for (std::size_t j = begin; j < end; ++j) column_sum_[j] = column_sum_exact(j);
      for (std::size_t j = begin; j < end; ++j)
        if (!skip[j]) best[b].keep_better({j, smooth_[j] + column_sum_[j] + options_.feature_cost[j]});
    });
    Candidate winner;
    for (const auto& c : best) winner.keep_better(c);
    return winner;
  }

  double data_without(std::size_t j) const {
    double sum = 0;
    std::size_t k = std::size_t(columns_.start[j]);
    const auto stop = std::size_t(columns_.start[j + 1]);
    for (std::size_t i = 0; i < n_rows_; ++i) {
      const bool is_present = k < stop && std::size_t(columns_.index[k]) == i;
      k += is_present;
      sum += weight(i) * loss(margin_[i] - sign(i) * (is_present ? word_[j].present : word_[j].absent));
    }
    return sum;
  }

  void apply(std::size_t j, int direction) {
    const double absent = direction * word_[j].absent, present = direction * word_[j].present;
    for (std::size_t i = 0; i < n_rows_; ++i) margin_[i] += sign(i) * absent;
    for (auto k = std::size_t(columns_.start[j]); k < std::size_t(columns_.start[j + 1]); ++k) {
      const auto i = std::size_t(columns_.index[k]);
      margin_[i] += sign(i) * (present - absent);
    }
    refresh();
  }

 private:
  double sign(std::size_t i) const { return i < n_positive_ ? 1.0 : -1.0; }
  double weight(std::size_t i) const { return weight_.empty() ? 1.0 : weight_[i]; }

  // Computes the new position of each row: class 1 first, otherwise in the given order.
  void sort_rows_by_class(std::span<const std::int32_t> label) {
    new_row_.resize(n_rows_);
    n_positive_ = std::size_t(std::count(label.begin(), label.end(), 1));
    std::size_t positive = 0, negative = n_positive_;
    for (std::size_t i = 0; i < n_rows_; ++i) new_row_[i] = label[i] == 1 ? positive++ : negative++;
  }

  // Transposes the reordered rows; notes where class 0 begins in each column, and the cumulated work for balancing blocks.
  void read_columns(const BinaryRows& rows) {
    std::vector<std::size_t> old_row(n_rows_);
    for (std::size_t i = 0; i < n_rows_; ++i) old_row[new_row_[i]] = i;
    std::vector<std::int64_t> start(n_rows_ + 1);
    std::vector<std::int32_t> index;
    index.reserve(rows.pattern.index.size());
    for (std::size_t r = 0; r < n_rows_; ++r) {
      const auto line = rows.pattern.line(old_row[r]);
      index.insert(index.end(), line.begin(), line.end());
      start[r + 1] = std::int64_t(index.size());
    }
    columns_ = transpose({start, index, word_.size()});
    work_.resize(word_.size() + 1);
    for (std::size_t j = 0; j < word_.size(); ++j) {
      const auto first = columns_.index.begin() + columns_.start[j], last = columns_.index.begin() + columns_.start[j + 1];
      split_[j] = std::lower_bound(first, last, std::int32_t(n_positive_)) - columns_.index.begin();
      work_[j + 1] = work_[j] + 16 + std::size_t(last - first);
    }
  }

  // First word of block b, so that blocks have about equal work.
  std::size_t block_bound(std::size_t b, std::size_t blocks) const {
    return std::size_t(std::lower_bound(work_.begin(), work_.end(), work_.back() * b / blocks) - work_.begin());
  }

  // Words are sorted by b and cut into panels of width 1. S is analytic within distance pi of the real line, so 16 Chebyshev
  // nodes interpolate it on a panel to about 1e-16 n. A panel with no more words than nodes is evaluated word by word.
  struct Panel {
    std::size_t begin, end;   // words, in the order of b
    std::size_t first_point;  // its first entry of point_ and value_
    bool is_interpolated() const { return end - begin > n_nodes; }
  };

  // Chooses the panels and the points at which S is evaluated. They depend only on the words, not on the margins.
  void plan_panels() {
    by_absent_.resize(word_.size());
    for (std::size_t j = 0; j < word_.size(); ++j) by_absent_[j] = j;
    std::sort(by_absent_.begin(), by_absent_.end(),
              [&](std::size_t a, std::size_t b) { return word_[a].absent < word_[b].absent; });
    for (std::size_t p = 0; p < by_absent_.size();) {
      const double low = word_[by_absent_[p]].absent;
      Panel panel{p, p, point_.size()};
      for (; p < by_absent_.size() && word_[by_absent_[p]].absent <= low + 1; ++p)
        place_.push_back(2 * (word_[by_absent_[p]].absent - low) - 1);
      panel.end = p;
      for (std::size_t k = 0; k < (panel.is_interpolated() ? n_nodes : panel.end - panel.begin); ++k)
        point_.push_back(panel.is_interpolated() ? low + 0.5 + 0.5 * std::cos(std::numbers::pi * (double(k) + 0.5) / n_nodes)
                                                 : word_[by_absent_[panel.begin + k]].absent);
      panels_.push_back(panel);
    }
    value_.resize(point_.size());
    smooth_.resize(word_.size());
    sorted_smooth_.resize(word_.size());
  }

  // S(b), by products where these are safe.
  double smooth_at(double b) const {
    if (per_lane_ > 0)
      return sum_log1p(e_.data(), n_positive_, std::exp(-b), per_lane_) +
             sum_log1p(e_.data() + n_positive_, n_rows_ - n_positive_, std::exp(b), per_lane_);
    double sum = 0;
    for (std::size_t i = 0; i < n_rows_; ++i) sum += weight(i) * loss(margin_[i] + sign(i) * b);
    return sum;
  }

  // Computes S for every word: S at the points of each panel, then interpolation.
  void tabulate(Monitor& monitor) {
    const std::size_t n = point_.size(), blocks = blocks_for(double(n * n_rows_), n);
    parallel_blocks(blocks, options_.threads, monitor, [&](std::size_t b) {
      for (std::size_t k = n * b / blocks; k < n * (b + 1) / blocks; ++k) value_[k] = smooth_at(point_[k]);
    });
    for (const Panel& panel : panels_) {
      const double* const value = value_.data() + panel.first_point;
      if (panel.is_interpolated())
        interpolate(panel, value);
      else
        for (std::size_t p = panel.begin; p < panel.end; ++p) smooth_[by_absent_[p]] = value[p - panel.begin];
    }
  }

  // Discrete cosine transform of the node values to Chebyshev coefficients, then evaluation at the words of the panel.
  void interpolate(const Panel& panel, const double* value) {
    double coefficient[n_nodes];
    for (std::size_t m = 0; m < n_nodes; ++m) {
      double sum = 0;
      for (std::size_t k = 0; k < n_nodes; ++k)
        sum += value[k] * std::cos(std::numbers::pi * double(m) * (double(k) + 0.5) / n_nodes);
      coefficient[m] = sum * (m == 0 ? 1.0 : 2.0) / n_nodes;
    }
    chebyshev_sums(place_.data() + panel.begin, panel.end - panel.begin, coefficient, sorted_smooth_.data() + panel.begin);
    for (std::size_t p = panel.begin; p < panel.end; ++p) smooth_[by_absent_[p]] = sorted_smooth_[p];
  }

  // The sum over the rows with the word, term by term: for weights, or margins too large for products.
  double column_sum_exact(std::size_t j) const {
    double sum = 0;
    for (auto k = std::size_t(columns_.start[j]); k < std::size_t(columns_.start[j + 1]); ++k) {
      const auto i = std::size_t(columns_.index[k]);
      sum += weight(i) * (loss(margin_[i] + sign(i) * word_[j].present) - loss(margin_[i] + sign(i) * word_[j].absent));
    }
    return sum;
  }

  // Recomputes what depends on the margins, and decides whether products are safe: no weights, no factor beyond about 2^120.
  void refresh() {
    e_.resize(n_rows_);
    double least = 0;
    for (std::size_t i = 0; i < n_rows_; ++i) {
      e_[i] = std::exp(-margin_[i]);
      least = std::min(least, margin_[i]);
    }
    per_lane_ = weight_.empty() ? factors_per_lane((most_evidence_ + 0.5 - least) / ln2 + 1) : 0;
    data_ = smooth_at(0);
  }

  const MdlOptions& options_;
  std::size_t n_rows_, n_positive_ = 0;
  std::vector<Word> word_;
  Transposed columns_;
  std::vector<std::int64_t> split_;
  std::vector<std::size_t> new_row_, work_, by_absent_;
  std::vector<Panel> panels_;
  std::vector<double> weight_, margin_, e_, point_, value_, place_, sorted_smooth_, smooth_, column_sum_;
  std::size_t per_lane_ = 0;
  double data_ = 0, most_evidence_ = 0;
};

}  // namespace

MdlTrace mdl_two_class(const BinaryRows& rows, const MdlProblem& problem, const MdlOptions& options, Monitor& monitor) {
  TwoClass evaluator(rows, problem, options);
  return MdlSearch(evaluator, rows.n_features(), options).run(monitor);
}

}  // namespace vitalfew
