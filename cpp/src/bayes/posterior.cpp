// Posteriors of sparse rows under a linear model of classes, log P(x_i, c) = base[c] + Σ_j v_ij table[j, c]: one E-step of EM
// (Dempster, Laird & Rubin, 1977; for text, Nigam et al., 2000) and classification with the strongest features of each row.
// O(entries x classes).
#include "vitalfew/posterior.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "vitalfew/checks.hpp"
#include "vitalfew/multiversion.hpp"
#include "vitalfew/parallel.hpp"

namespace vitalfew {
namespace {

constexpr std::size_t rows_per_check = 1024;
constexpr std::size_t most_table_bytes = std::size_t{512} << 20;

void check(const WeightedRows& rows, const LinearClasses& model) {
  check_shape(rows.pattern);
  if (!rows.value.empty() && rows.value.size() != rows.pattern.index.size())
    throw std::invalid_argument("sparse matrix: values and indices must have the same length");
  if (model.n_classes() == 0 || model.table.size() != table_size(rows.pattern.width, model.n_classes()))
    throw std::invalid_argument("the table must have one row per feature");
}

VITALFEW_HOT void add_line(const double* line, double* sum, std::size_t n) {
  for (std::size_t c = 0; c < n; ++c) sum[c] += line[c];
}

// sum[c] += value x table[index, c], over the entries of a row.
VITALFEW_HOT void gather(const std::int32_t* index, const double* value, std::size_t n, const double* table, double* sum,
                         std::size_t classes) {
  for (std::size_t k = 0; k < n; ++k) {
    const double* const line = table + std::size_t(index[k]) * classes;
    const double v = value == nullptr ? 1.0 : value[k];
    for (std::size_t c = 0; c < classes; ++c) sum[c] += v * line[c];
  }
}

// table[index, c] += value x share[c], over the entries of a row.
VITALFEW_HOT void scatter(const std::int32_t* index, const double* value, std::size_t n, const double* share, double* table,
                          std::size_t classes) {
  for (std::size_t k = 0; k < n; ++k) {
    double* const line = table + std::size_t(index[k]) * classes;
    const double v = value == nullptr ? 1.0 : value[k];
    for (std::size_t c = 0; c < classes; ++c) line[c] += v * share[c];
  }
}

// Computes log P(x_i, c) of one row for each class.
void score_row(const WeightedRows& rows, const LinearClasses& model, std::size_t i, std::vector<double>& score) {
  std::copy(model.base.begin(), model.base.end(), score.begin());
  gather(rows.index(i), rows.values(i), rows.pattern.line(i).size(), model.table.data(), score.data(), model.n_classes());
}

// Turns log joint probabilities into posteriors. Returns the logarithm of their sum, log P(x_i).
double normalize(std::vector<double>& score) {
  const double top = *std::max_element(score.begin(), score.end());
  double sum = 0;
  for (double& s : score) sum += s = std::exp(s - top);
  for (double& s : score) s /= sum;
  return top + std::log(sum);
}

// Adds the expected counts and the log-likelihood of rows [begin, end).
void add_part(const WeightedRows& rows, const LinearClasses& model, std::span<const double> row_weight, std::size_t begin,
              std::size_t end, Expectation& sum) {
  const std::size_t classes = model.n_classes();
  std::vector<double> p(classes);
  for (std::size_t i = begin; i < end; ++i) {
    score_row(rows, model, i, p);
    const double weight = row_weight.empty() ? 1.0 : row_weight[i];
    sum.log_likelihood += weight * normalize(p);
    for (double& share : p) share *= weight;
    add_line(p.data(), sum.total.data(), classes);
    scatter(rows.index(i), rows.values(i), rows.pattern.line(i).size(), p.data(), sum.count.data(), classes);
  }
}

// Finds the features of a row with the largest evidence for class c against the mean of the other classes, best first.
void find_reasons(const WeightedRows& rows, const LinearClasses& model, std::size_t i, std::size_t c,
                  std::span<std::int32_t> reason, std::vector<double>& strength) {
  const std::size_t classes = model.n_classes();
  std::fill(reason.begin(), reason.end(), -1);
  std::fill(strength.begin(), strength.end(), 0.0);
  for (auto k = std::size_t(rows.pattern.start[i]); k < std::size_t(rows.pattern.start[i + 1]); ++k) {
    const double* const line = model.table.data() + std::size_t(rows.pattern.index[k]) * classes;
    double others = -line[c];
    for (std::size_t b = 0; b < classes; ++b) others += line[b];
    const double mean = classes > 1 ? others / double(classes - 1) : 0.0;
    const double speaks = (rows.value.empty() ? 1.0 : rows.value[k]) * (line[c] - mean);
    if (!(speaks > strength.back())) continue;
    std::size_t place = reason.size() - 1;
    for (; place > 0 && speaks > strength[place - 1]; --place) {
      strength[place] = strength[place - 1];
      reason[place] = reason[place - 1];
    }
    strength[place] = speaks;
    reason[place] = rows.pattern.index[k];
  }
}

}  // namespace

Expectation expect_rows(const WeightedRows& rows, const LinearClasses& model, std::span<const double> row_weight, int threads,
                        Monitor& monitor) {
  check(rows, model);
  const std::size_t n = rows.pattern.lines(), classes = model.n_classes(), size = model.table.size();
  if (!row_weight.empty() && row_weight.size() != n) throw std::invalid_argument("weights must have one entry per row");
  const std::size_t work = rows.pattern.index.size() * classes;
  // Each part has its own table, whose cost is that of a few entries for each cell: use few parts if the table is large.
  const std::size_t by_work = work < 200'000 ? 1 : std::clamp<std::size_t>(work / std::max<std::size_t>(8 * size, 1), 2, 8);
  const std::size_t parts = std::min(by_work, std::max<std::size_t>(1, most_table_bytes / std::max<std::size_t>(8 * size, 1)));
  std::vector<Expectation> sums(parts);
  parallel_blocks(parts, threads, monitor, [&](std::size_t part) {
    Expectation& sum = sums[part];
    sum.count.assign(size, 0.0);
    sum.total.assign(classes, 0.0);
    const std::size_t end = n * (part + 1) / parts;
    for (std::size_t begin = n * part / parts; begin < end; begin += rows_per_check) {
      const std::size_t stop = std::min(begin + rows_per_check, end);
      check_rows(rows.pattern, begin, stop);
      add_part(rows, model, row_weight, begin, stop, sum);
      monitor.check();
    }
  });
  Expectation& first = sums.front();
  for (std::size_t part = 1; part < parts; ++part) {
    add_line(sums[part].count.data(), first.count.data(), size);
    add_line(sums[part].total.data(), first.total.data(), classes);
    first.log_likelihood += sums[part].log_likelihood;
  }
  return std::move(first);
}

Classified classify_rows(const WeightedRows& rows, const LinearClasses& model, std::size_t n_reasons, int threads,
                         Monitor& monitor) {
  check(rows, model);
  const std::size_t n = rows.pattern.lines(), classes = model.n_classes();
  Classified out{std::vector<std::int32_t>(n), std::vector<double>(n), std::vector<std::int32_t>(n * n_reasons), n_reasons};
  const std::size_t blocks = blocks_for(double(rows.pattern.index.size() * classes + n), (n + 255) / 256);
  parallel_blocks(blocks, threads, monitor, [&](std::size_t b) {
    const std::size_t begin = n * b / blocks, end = n * (b + 1) / blocks;
    check_rows(rows.pattern, begin, end);
    std::vector<double> p(classes), strength(n_reasons);
    for (std::size_t i = begin; i < end; ++i) {
      score_row(rows, model, i, p);
      normalize(p);
      const auto best = std::size_t(std::max_element(p.begin(), p.end()) - p.begin());
      out.label[i] = std::int32_t(best);
      out.probability[i] = p[best];
      if (n_reasons > 0) find_reasons(rows, model, i, best, std::span(out.reason).subspan(i * n_reasons, n_reasons), strength);
    }
  });
  return out;
}

}  // namespace vitalfew
