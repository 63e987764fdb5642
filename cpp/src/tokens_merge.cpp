#include <algorithm>
#include <numeric>

#include "vitalfew/parallel.hpp"
#include "vitalfew/tokens.hpp"

namespace vitalfew {

struct WordRows::Entry {
  std::uint64_t prefix;  // the first eight bytes as a number that sorts like them
  const Word* word;
  std::size_t worker;

  bool is_before(const Entry& other) const {
    return prefix != other.prefix ? prefix < other.prefix : word->text() < other.word->text();
  }
  bool is_same(const Entry& other) const { return prefix == other.prefix && word->text() == other.word->text(); }
};

namespace {

constexpr std::size_t n_buckets = std::size_t{1} << 16;

std::size_t bucket_of(std::uint64_t prefix) { return std::size_t(prefix >> 48); }

std::uint64_t prefix_of(const Word& word) {
  const std::string_view text = word.text();
  std::uint64_t prefix = 0;
  for (std::size_t i = 0; i < std::min<std::size_t>(8, text.size()); ++i)
    prefix |= std::uint64_t(static_cast<unsigned char>(text[i])) << (56 - 8 * i);
  return prefix;
}

// First buckets of groups with about the same number of entries.
std::vector<std::size_t> group_buckets(const std::vector<std::size_t>& start, std::size_t n_groups) {
  std::vector<std::size_t> first{0};
  for (std::size_t g = 1; g < n_groups; ++g) {
    const auto at = std::lower_bound(start.begin(), start.end() - 1, start.back() * g / n_groups);
    first.push_back(std::max(first.back(), std::size_t(at - start.begin())));
  }
  first.push_back(n_buckets);
  return first;
}

}  // namespace

// The words of all workers in buckets of equal first two bytes; start[b] is where bucket b starts.
std::vector<WordRows::Entry> WordRows::bucketed(std::vector<std::size_t>& start, Monitor& monitor) const {
  std::vector<std::vector<Entry>> found(workers_.size());
  parallel_blocks(workers_.size(), options_.threads, monitor, [&](std::size_t w) {
    found[w].reserve(workers_[w]->table.size());
    for (const Word& word : workers_[w]->table.slots())
      if (!word.is_empty()) found[w].push_back({prefix_of(word), &word, w});
  });
  start.assign(n_buckets + 1, 0);
  for (const auto& entries : found)
    for (const Entry& entry : entries) ++start[bucket_of(entry.prefix) + 1];
  std::partial_sum(start.begin(), start.end(), start.begin());
  std::vector<std::size_t> next(start.begin(), start.end() - 1);
  std::vector<Entry> all(start.back());
  for (const auto& entries : found)
    for (const Entry& entry : entries) all[next[bucket_of(entry.prefix)]++] = entry;
  return all;
}

void WordRows::merge(Monitor& monitor) {
  if (is_fixed_) {
    count_.assign(fixed_.size(), 0);
    for (const auto& worker : workers_)
      for (std::size_t j = 0; j < count_.size(); ++j) count_[j] += worker->count[j];
    return;
  }
  std::vector<std::size_t> start;
  std::vector<Entry> entries = bucketed(start, monitor);
  const std::vector<std::size_t> group = group_buckets(start, 64);
  const std::size_t n_groups = group.size() - 1;
  std::vector<std::size_t> first(n_groups + 1);  // column of each group
  parallel_blocks(n_groups, options_.threads, monitor, [&](std::size_t g) {
    const auto before = [](const Entry& a, const Entry& b) { return a.is_before(b); };
    for (std::size_t b = group[g]; b < group[g + 1]; ++b)
      std::sort(entries.begin() + std::ptrdiff_t(start[b]), entries.begin() + std::ptrdiff_t(start[b + 1]), before);
    // Equal words have the same prefix: they are in one bucket.
    for (std::size_t e = start[group[g]]; e < start[group[g + 1]]; ++e)
      first[g + 1] += e == start[group[g]] || !entries[e].is_same(entries[e - 1]);
  });
  std::partial_sum(first.begin(), first.end(), first.begin());
  count_.assign(first.back(), 0);
  word_.resize(first.back());
  column_.resize(workers_.size());
  for (std::size_t w = 0; w < workers_.size(); ++w) column_[w].resize(workers_[w]->table.size());
  parallel_blocks(n_groups, options_.threads, monitor, [&](std::size_t g) {
    std::size_t j = first[g] - 1;
    for (std::size_t e = start[group[g]]; e < start[group[g + 1]]; ++e) {
      const Entry& entry = entries[e];
      if (e == start[group[g]] || !entry.is_same(entries[e - 1])) word_[++j] = entry.word;
      count_[j] += entry.word->count;
      column_[entry.worker][entry.word->id] = std::int32_t(j);
    }
  });
}

}  // namespace vitalfew
