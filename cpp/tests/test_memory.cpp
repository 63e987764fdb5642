// Memory that runs out at any allocation, in any thread: std::bad_alloc reaches the caller, and the next call works.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "vitalfew/counts.hpp"
#include "vitalfew/mdl.hpp"
#include "vitalfew/parallel.hpp"
#include "vitalfew/tokens.hpp"

namespace {

std::atomic<long> left{-1};  // allocations until one fails; below 0: none fails

void* allocate(std::size_t size) {
  if (left.load(std::memory_order_relaxed) >= 0 && left.fetch_sub(1) == 0) throw std::bad_alloc();
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) { return allocate(size); }
void* operator new[](std::size_t size) { return allocate(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

using namespace vitalfew;

namespace {

int failed = 0;

// The body is called again and again; the n-th allocation of each call fails, for n that grow until none fails.
void exhaust(const char* name, const std::function<void()>& body) {
  long n = 0, n_failed = 0;
  for (bool is_over = false; !is_over; n += 1 + n / 16) {
    bool is_refused = false;
    left = n;
    try {
      body();
    } catch (const std::bad_alloc&) {
      is_refused = true;
    } catch (...) {
      std::printf("FAILED %s: allocation %ld became another exception\n", name, n);
      ++failed;
    }
    is_over = left.exchange(-1) >= 0;
    if (!is_over && !is_refused) {
      std::printf("FAILED %s: allocation %ld was swallowed\n", name, n);
      ++failed;
    }
    n_failed += is_refused;
  }
  body();
  std::printf("%s: %ld failures of memory\n", name, n_failed);
  if (n_failed == 0) ++failed;
}

void read_words(std::size_t max_n) {
  static const std::string text = [] {
    std::string made;
    for (int k = 0; k < 60'000; ++k)
      made += "word" + std::to_string(k % 5000) + " and a longer word than sixteen bytes_" + std::to_string(k % 97);
    return made;
  }();
  const std::size_t size = text.size() / 40;
  std::vector<Text> documents;
  for (std::size_t d = 0; d < 40; ++d) documents.push_back({text.data() + d * size, size, Encoding::ascii});
  Monitor monitor;
  WordRows rows({true, 1, max_n, true, 3}, std::make_shared<WordTable>(), nullptr);
  rows.add(documents, {}, monitor);
  rows.merge(monitor);
  std::vector<std::int32_t> all(rows.n_words());
  for (std::size_t j = 0; j < all.size(); ++j) all[j] = std::int32_t(j);
  std::vector<std::int64_t> start(documents.size() + 1);
  rows.write_starts(all, start, monitor);
  std::vector<std::int32_t> index(std::size_t(start.back()));
  rows.write_rows(all, start, index, all.size(), monitor);
}

struct Table {
  static constexpr std::size_t n = 3000, d = 40;
  std::vector<std::uint8_t> codes;
  std::vector<std::int64_t> offset{0};
  std::vector<std::int32_t> label;

  Table() {
    for (std::size_t i = 0; i < n; ++i) label.push_back(std::int32_t(i % 2));
    for (std::size_t i = 0; i < n * d; ++i) codes.push_back(std::uint8_t((i * 7919 + i / d) % 3 % 2));
    for (std::size_t j = 0; j < d; ++j) offset.push_back(offset.back() + 2);
  }
  Codes<std::uint8_t> view() const { return {codes.data(), n, d, std::int64_t(d), 1, offset}; }
};

void search(const Table& data) {
  Monitor monitor;
  const std::vector<double> prior(2, std::log(0.5)), cost(Table::d, 0.1), size(Table::d + 1, 0.0);
  const std::vector<double> table(4 * Table::d, std::log(0.5));
  MdlOptions options;
  options.max_features = 4;
  options.feature_cost = cost;
  options.size_cost = size;
  options.threads = 3;
  mdl_codes(data.view(), MdlProblem{data.label, {}, prior, table, 2}, options, monitor);
}

}  // namespace

int main() {
  Monitor monitor;
  exhaust("blocks", [&] { parallel_blocks(50, 4, monitor, [](std::size_t b) { const std::vector<double> owned(b + 1); }); });
  exhaust("words", [] { read_words(1); });
  exhaust("n-grams", [] { read_words(2); });
  const Table data;
  exhaust("counts", [&] {
    CountOptions options;
    options.n_classes = 2;
    options.threads = 3;
    count_slots(data.view(), data.label, {}, options, monitor);
  });
  exhaust("search", [&] { search(data); });
  return failed == 0 ? 0 : 1;
}
