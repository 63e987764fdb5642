// What can be seen only from C++: the views against a dense reference, products of extreme numbers, bounds, threads.
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "linear/newton_to_gap.hpp"
#include "vitalfew/checks.hpp"
#include "vitalfew/coding.hpp"
#include "vitalfew/counts.hpp"
#include "vitalfew/log_product.hpp"
#include "vitalfew/matrix.hpp"
#include "vitalfew/mdl.hpp"
#include "vitalfew/parallel.hpp"
#include "vitalfew/scores.hpp"

using namespace vitalfew;

namespace {

int passed = 0, failed = 0;

void expect(bool is_true, const char* what) {
  if (is_true) {
    ++passed;
  } else {
    ++failed;
    std::printf("FAILED %s\n", what);
  }
}

bool is_near(double a, double b, double tolerance = 1e-12) { return std::abs(a - b) <= tolerance * (1 + std::abs(b)); }

template <class Error>
bool throws(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error&) {
    return true;
  } catch (...) {
    return false;
  }
  return false;
}

// A small matrix in every storage: 5 rows, 4 columns, one of them empty and one full.
constexpr std::size_t n = 5, p = 4;
const std::vector<double> dense = {0, 2, 0, 0, 3, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 0, 0, 4, 0};  // by column
const std::vector<float> dense32(dense.begin(), dense.end());
const std::vector<std::int64_t> start = {0, 2, 2, 7, 8};
const std::vector<std::int32_t> row = {1, 4, 0, 1, 2, 3, 4, 3};
const std::vector<double> value = {2, 3, 1, 1, 1, 1, 1, 4};

template <ColumnMatrix M>
void test_columns(const M& m, bool is_binary, const char* name) {
  const std::vector<double> u = {0.5, -1, 2, 3, -0.25};
  bool same = m.n_rows == n && m.n_cols == p;
  for (std::size_t j = 0; j < p; ++j) {
    std::vector<double> v = u;
    m.axpy(1.5, j, v);
    double dot = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double x = is_binary ? double(dense[j * n + i] != 0) : dense[j * n + i];
      dot += x * u[i];
      same &= is_near(v[i], u[i] + 1.5 * x);
    }
    same &= is_near(m.dot(j, u), dot);
  }
  expect(same, name);
}

void test_views() {
  const Pattern pattern{start, row, n};
  test_columns(DenseColumns<double>{dense, n, p}, false, "dot and axpy of dense columns");
  test_columns(DenseColumns<float>{dense32, n, p}, false, "dot and axpy of dense columns of floats");
  test_columns(SparseColumns<double>{pattern, value}, false, "dot and axpy of sparse columns");
  test_columns(BinaryColumns{pattern}, true, "dot and axpy of binary columns");
  expect(throws<std::invalid_argument>([] { DenseColumns<double>{dense, n, p + 1}.validate(); }), "a short buffer is refused");
}

template <SlotRows Rows>
std::set<std::vector<std::size_t>> visited(const Rows& rows) {
  std::set<std::vector<std::size_t>> seen;
  for (std::size_t i = 0; i < rows.n_rows; ++i)
    rows.visit(i, i + 1, [&](std::size_t r, std::size_t j, std::size_t slot) { seen.insert({r, j, slot}); });
  return seen;
}

void test_slot_rows() {
  const std::vector<std::uint8_t> codes = {0, 1, 255, 2, 1, 0};  // 2 rows, 3 columns, one code missing
  const std::vector<std::int64_t> offset = {0, 3, 5, 6};
  const std::set<std::vector<std::size_t>> expected = {{0, 0, 0}, {0, 1, 4}, {1, 0, 2}, {1, 1, 4}, {1, 2, 5}};
  expect(visited(Codes<std::uint8_t>{codes.data(), 2, 3, 3, 1, offset}) == expected, "codes by rows");
  const std::vector<std::uint8_t> turned = {0, 2, 1, 1, 255, 0};
  expect(visited(Codes<std::uint8_t>{turned.data(), 2, 3, 1, 2, offset}) == expected, "codes by columns");
  const std::vector<std::uint8_t> backwards = {0, 1, 2, 255, 1, 0};
  expect(visited(Codes<std::uint8_t>{backwards.data() + 5, 2, 3, -3, -1, offset}) == expected, "codes backwards");
  const BinaryRows rows{Pattern{start, row, n}};
  expect(visited(rows).size() == row.size() && rows.n_rows == p && rows.n_slots() == n, "binary rows");
}

void test_transpose() {
  const Pattern pattern{start, row, n};
  const Transposed once = transpose(pattern);
  const Transposed twice = transpose(Pattern{once.start, once.index, p});
  expect(once.start.size() == n + 1 && twice.start == start && twice.index == row, "twice transposed is the same");
  const std::vector<std::int64_t> nothing = {0};
  expect(transpose(Pattern{nothing, {}, 3}).start == std::vector<std::int64_t>(4), "no lines to transpose");
}

void test_log_product() {
  for (const double x : {1.0, 1.5, 2.0, 1e300, 1e-300, std::numeric_limits<double>::max(), std::numeric_limits<double>::min()}) {
    double mantissa = x;
    const auto exponent = take_exponent(mantissa);
    expect(mantissa >= 1 && mantissa < 2 && std::ldexp(mantissa, int(exponent)) == x, "take_exponent splits a number exactly");
  }
  std::mt19937_64 random(0);
  for (const double bits : {1.0, 10.0, 50.0, 120.0}) {
    std::uniform_real_distribution<double> draw(-bits, bits);
    const std::size_t every = factors_per_lane(bits);
    LogProduct over, under;
    double sum = 0, other = 0;
    for (std::size_t k = 0; k < 4000; ++k) {
      const double x = std::exp2(draw(random)), y = std::exp2(draw(random));
      over.mantissa[k % LogProduct::lanes] *= x;
      under.mantissa[k % LogProduct::lanes] *= y;
      sum += std::log(x);
      other += std::log(y);
      if ((k + 1) % (every * LogProduct::lanes) == 0) {
        over.normalize();
        under.normalize();
      }
    }
    expect(is_near(log_ratio(over, under), sum - other, 1e-10), "log of a quotient of products");
    expect(is_near(over.log(), sum, 1e-10), "log of a product");
  }
  expect(factors_per_lane(125) == 0 && factors_per_lane(1e9) == 0, "factors that leave the range are not multiplied");
  expect(factors_per_lane(124) >= 1 && factors_per_lane(0) > 0, "factors within the range are");
  expect(factors_per_lane(std::numeric_limits<double>::infinity()) == 0, "infinite factors are not multiplied");
}

void test_bounds() {
  Monitor monitor;
  const auto refused = [&](std::vector<std::int64_t> s, std::vector<std::int32_t> index, std::size_t width) {
    return throws<std::invalid_argument>([&] { check_bounds(BinaryRows{{s, index, width}}, 1, monitor); });
  };
  expect(!refused(start, row, n), "a good pattern");
  expect(!refused({0}, {}, 3) && !refused({0, 0}, {}, 0), "an empty pattern");
  expect(refused({}, {}, 3), "a pattern without starts");
  expect(refused({1, 2}, {0, 0}, 3), "a pattern that does not begin with 0");
  expect(refused({0, 1}, {0, 0}, 3), "a pattern that ends too early");
  expect(refused({0, 3}, {0, 0}, 3), "a pattern that ends too late");
  expect(refused({0, 2, 1, 2}, {0, 0}, 3), "starts that fall");
  expect(refused({0, 1}, {3}, 3), "an index beyond the width");
  expect(refused({0, 1}, {-1}, 3), "a negative index");
  expect(refused({0, 1}, {0}, 0), "an index where there is no width");

  const auto refused_codes = [&](std::vector<std::uint8_t> codes, std::vector<std::int64_t> offset, std::ptrdiff_t row_stride,
                                 std::ptrdiff_t col_stride) {
    return throws<std::invalid_argument>(
        [&] { check_bounds(Codes<std::uint8_t>{codes.data(), 2, 2, row_stride, col_stride, offset}, 1, monitor); });
  };
  for (const bool by_rows : {true, false}) {
    const std::ptrdiff_t r = by_rows ? 2 : 1, c = by_rows ? 1 : 2;
    expect(!refused_codes({0, 1, 255, 1}, {0, 2, 4}, r, c), "good codes, one missing");
    expect(refused_codes({0, 1, 2, 1}, {0, 2, 4}, r, c), "a code beyond its values");
    expect(refused_codes({254, 0, 0, 0}, {0, 254, 256}, r, c) && !refused_codes({254, 0, 0, 0}, {0, 255, 257}, r, c),
           "the largest code");
    expect(refused_codes({0, 0, 0, 0}, {0, 2}, r, c), "too few offsets");
    expect(refused_codes({0, 0, 0, 0}, {1, 2, 4}, r, c), "offsets that do not begin with 0");
    expect(refused_codes({0, 0, 0, 0}, {0, 4, 2}, r, c), "offsets that fall");
  }
}

void test_inspection() {
  Monitor monitor;
  const auto inspect = [&](const std::vector<std::int64_t>& s, const std::vector<std::int32_t>& index,
                           const std::vector<double>& v) {
    return inspect_pattern<double>(Pattern{s, index, 10}, v, 1, monitor);
  };
  expect(inspect({0, 2, 2, 4}, {3, 5, 0, 9}, {1, 1, 1, 1}).is_sorted, "a fall between lines is none");
  expect(!inspect({0, 2, 4}, {3, 5, 4, 2}, {1, 1, 1, 1}).is_sorted, "a fall within a line");
  expect(!inspect({0, 2}, {3, 3}, {1, 1}).is_sorted, "an index given twice");
  expect(inspect({0, 2}, {3, 4}, {1, 0}).has_zero && !inspect({0, 2}, {3, 4}, {1, 2}).has_zero, "a stored zero");
  for (const double odd : {std::nan(""), HUGE_VAL, -HUGE_VAL})
    expect(inspect({0, 2}, {3, 4}, {1, odd}).has_nan, "a value that is not finite");
  expect(throws<std::invalid_argument>([&] { inspect({0, 2}, {3, 4}, {1}); }), "fewer values than indices");
}

void test_labels_and_weights() {
  constexpr auto lowest = std::numeric_limits<std::int32_t>::min(), highest = std::numeric_limits<std::int32_t>::max();
  constexpr auto most = std::numeric_limits<std::size_t>::max();
  const auto labels = [](std::vector<std::int32_t> label, std::size_t n_classes) { return are_labels(label, n_classes); };
  expect(labels({}, 0) && labels({0, 2, 1}, 3) && labels({highest}, most), "labels below the number of classes");
  expect(!labels({0}, 0) && !labels({0, 3}, 3), "labels not below it");
  expect(!labels({0, -1}, 2) && !labels({lowest}, most), "negative labels");
  const auto weights = [](std::vector<double> weight) { return are_weights(weight); };
  expect(weights({}) && weights({0.0, -0.0, 1e300}), "weights");
  for (const double bad : {-1e-300, HUGE_VAL, std::nan("")}) expect(!weights({1, bad}), "negative and not finite weights");
}

void test_kernels_refuse_bad_labels() {
  Monitor monitor;
  const BinaryRows rows{Pattern{start, row, n}};
  const auto count = [&](std::vector<std::int32_t> label, std::vector<double> weight) {
    count_slots(rows, label, weight, {2, 1}, monitor);
  };
  expect(!throws<std::invalid_argument>([&] { count({0, 1, 1, 0}, {}); }), "good labels");
  expect(throws<std::invalid_argument>([&] { count({0, 1, 1}, {}); }), "too few labels");
  expect(throws<std::invalid_argument>([&] { count({0, 1, 2, 0}, {}); }), "a label beyond the classes");
  expect(throws<std::invalid_argument>([&] { count({0, -1, 1, 0}, {}); }), "a negative label");
  expect(throws<std::invalid_argument>([&] { count({0, 1, 1, 0}, {1.0}); }), "too few weights");
  const std::vector<double> table(2 * n);
  const std::vector<std::int64_t> first(n + 1, 0);
  const std::vector<std::int32_t> segment = {5};
  const std::vector<std::int8_t> sign = {1};
  const Events short_events{first, segment, sign, 2};
  expect(throws<std::invalid_argument>([&] { score_rows(rows, table, 2, &short_events, 1, monitor); }),
         "events that no feature has");
  std::vector<std::int64_t> one = first;
  one.back() = 1;
  const Events outside{one, segment, sign, 2};
  expect(throws<std::invalid_argument>([&] { score_rows(rows, table, 2, &outside, 1, monitor); }), "a segment out of bounds");
  expect(throws<std::invalid_argument>([&] { score_rows(rows, std::span(table).first(3), 2, nullptr, 1, monitor); }),
         "a short table");
}

// Two words, one of which is the label: the search finds it first, by every evaluator.
void test_searches_agree() {
  Monitor monitor;
  const std::vector<std::int64_t> s = {0, 2, 3, 4, 4};
  const std::vector<std::int32_t> index = {0, 1, 1, 0};
  const std::vector<std::uint8_t> codes = {1, 1, 0, 1, 1, 0, 0, 0};
  const std::vector<std::int64_t> offset = {0, 2, 4};
  const std::vector<std::int32_t> label = {1, 1, 0, 0};
  const std::vector<double> prior = {std::log(0.5), std::log(0.5)}, cost = {1, 1}, size = {0, 0.5, 1};
  const double half = std::log(0.5), many = std::log(0.9), few = std::log(0.1);
  const std::vector<double> table = {half, half, half, half, many, few, few, many};
  const MdlProblem problem{label, {}, prior, table, 2};
  MdlOptions options;
  options.max_features = 2;
  options.feature_cost = cost;
  options.size_cost = size;
  options.threads = 2;
  const BinaryRows rows{Pattern{s, index, 2}};
  const MdlTrace traces[] = {mdl_two_class(rows, problem, options, monitor), mdl_multi_class(rows, problem, options, monitor),
                             mdl_codes(Codes<std::uint8_t>{codes.data(), 4, 2, 2, 1, offset}, problem, options, monitor)};
  for (const auto& trace : traces) {
    expect(trace.feature == std::vector<std::int32_t>{1, 0}, "the word that is the label comes first");
    expect(is_near(trace.data[0], 4 * std::log(2)), "four coins without features");
    expect(is_near(trace.data[1], -4 * std::log(0.9)) && is_near(trace.data[2], -4 * std::log(0.9)),
           "four nearly certain labels with it");
  }
  options.size_cost = std::span(size).first(1);
  expect(throws<std::invalid_argument>([&] { mdl_two_class(rows, problem, options, monitor); }), "too few costs");
}

struct Counting : Monitor {
  explicit Counting(int most) : most_(most) {}
  int polls = 0;

 protected:
  void poll(double) override {
    if (++polls >= most_) throw Interrupted{};
  }

 private:
  int most_;
};

void test_threads() {
  Monitor monitor;
  for (const int threads : {1, 2, 7}) {
    std::vector<std::atomic<int>> done(1000);
    parallel_blocks(done.size(), threads, monitor, [&](std::size_t b) { ++done[b]; });
    bool once = true;
    for (const auto& d : done) once &= d == 1;
    expect(once, "every block runs once");
    expect(throws<std::out_of_range>([&] {
             parallel_blocks(1000, threads, monitor, [](std::size_t b) {
               if (b == 17) throw std::out_of_range("17");
             });
           }),
           "an exception of a block reaches the caller");
    std::atomic<int> started{0};
    expect(throws<std::runtime_error>([&] {
             parallel_blocks(100'000, threads, monitor, [&](std::size_t) {
               ++started;
               throw std::runtime_error("all");
             });
           }),
           "one of many exceptions reaches the caller");
    expect(started <= threads, "no block begins after an exception");
    Counting counting(2);
    std::atomic<std::size_t> ran{0};
    expect(throws<Interrupted>([&] {
             parallel_blocks(1'000'000, threads, counting, [&](std::size_t) {
               ++ran;
               const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(1);
               while (std::chrono::steady_clock::now() < end) {
               }
             });
           }),
           "a poll that throws stops the work");
    expect(counting.polls == 2 && ran < 1'000'000, "and no poll follows");
    parallel_blocks(0, threads, monitor, [](std::size_t) { throw std::logic_error("there is no block"); });
    expect(true, "no blocks, no work");
  }
  expect(thread_count(3) >= 1 && thread_count(0) >= 1, "at least one thread");
}

void test_shared_threads() {
  const int first = take_threads(4, 6), second = take_threads(4, 6), third = take_threads(4, 6);
  expect(first == 4 && second == 2 && third == 1, "calls at the same time share, and each has its own thread");
  give_back_threads(first);
  const int fourth = take_threads(4, 6);
  expect(fourth == 3, "what was given back is there for others");
  for (const int taken : {second, third, fourth}) give_back_threads(taken);

  const int most = thread_count(0);
  const Helpers before = helpers_so_far();
  std::vector<std::thread> callers;
  for (int c = 0; c < 8; ++c) {
    callers.emplace_back([] {
      Monitor monitor;
      parallel_blocks(64, 0, monitor, [](std::size_t) { std::this_thread::sleep_for(std::chrono::microseconds(200)); });
    });
  }
  for (auto& caller : callers) caller.join();
  const Helpers after = helpers_so_far();
  expect(after.begun >= before.begun + most - 1, "who comes first has helpers");
  expect(after.most <= std::max<std::int64_t>(before.most, most), "eight callers have no more helpers than there may be threads");
  expect(take_threads(most, most) == most, "and all threads are given back");
  give_back_threads(most);
}

void test_monitor() {
  Counting counting(1'000'000);
  for (int k = 0; k < 100'000; ++k) counting.check();
  expect(counting.polls < 1000, "polls are rare");
  Counting idle(1'000'000);
  std::this_thread::sleep_for(std::chrono::milliseconds(40));
  std::thread([&] { idle.check(); }).join();
  expect(idle.polls == 0, "helpers do not poll");
  idle.check();
  expect(idle.polls == 1, "the caller does");
}

// A solver whose steps stay large, or whose every check takes another column into use. Its gap is 2, and 7 with all columns.
struct Endless {
  bool is_small = false;
  double seen = 2;
  std::pair<double, double> step(double, bool) {
    seen = 2;
    return {1.0, is_small ? 0.0 : 1.0};
  }
  void look() {}
  double gap(double) const { return seen; }
  Changed use_likely() { return {.is_fresh = true}; }
  void look_at_others() { seen = 7; }
  Changed use_violators() { return {}; }
};

void test_gap_out_of_turns() {
  Counting counting(1'000'000);
  double small = 1;
  expect(approach(Endless{}, 1e-3, 1.0, 5, small, counting) == 7, "steps that stay large are not certified");
  expect(approach(Endless{.is_small = true}, 10.0, 1.0, 5, small, counting) == 7, "nor is the gap of the columns in use");
}

}  // namespace

int main() {
  test_views();
  test_slot_rows();
  test_transpose();
  test_log_product();
  test_bounds();
  test_inspection();
  test_labels_and_weights();
  test_kernels_refuse_bad_labels();
  test_searches_agree();
  test_threads();
  test_shared_threads();
  test_monitor();
  test_gap_out_of_turns();
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed == 0 ? 0 : 1;
}
