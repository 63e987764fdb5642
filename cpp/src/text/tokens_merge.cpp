// Merging of the workers' vocabularies: a parallel sample sort of all words by code points, after which equal words are
// neighbors and become one column. O(n log n) comparisons for n words over all workers, most of them of two integers.
#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "vitalfew/parallel.hpp"
#include "vitalfew/tokens.hpp"

namespace vitalfew {

// A word with its first sixteen bytes as two integers that sort like them, so that few comparisons read the word itself.
struct WordRows::Entry {
  std::uint64_t head, tail;
  const Word* word;
  std::uint32_t worker, length;

  bool is_before(const Entry& other) const {
    if (head != other.head) return head < other.head;
    if (tail != other.tail) return tail < other.tail;
    if (std::min(length, other.length) <= Word::inline_bytes) return length < other.length;
    return word->text() < other.word->text();
  }
  bool is_same(const Entry& other) const {
    if (head != other.head || tail != other.tail || length != other.length) return false;
    return length <= Word::inline_bytes || word->text() == other.word->text();
  }
};

namespace {

// Splitters from a sorted sample, which cut the words into buckets of about equal size, whatever the language. Their number is
// one less than a power of two.
class Splitters {
 public:
  explicit Splitters(std::vector<std::uint64_t> sample) : at_(std::bit_floor(sample.size() / 8 + 2) - 1) {
    std::sort(sample.begin(), sample.end());
    for (std::size_t b = 0; b < at_.size() && !sample.empty(); ++b) at_[b] = sample[sample.size() * (b + 1) / (at_.size() + 1)];
  }
  std::size_t n_buckets() const { return at_.size() + 1; }
  // Returns the number of splitters that are not above `head`, by a branch-free binary search.
  std::size_t bucket_of(std::uint64_t head) const {
    std::size_t b = 0;
    for (std::size_t step = n_buckets() / 2; step > 0; step /= 2) b += at_[b + step - 1] <= head ? step : 0;
    return b;
  }

 private:
  std::vector<std::uint64_t> at_;
};

constexpr std::size_t sample_size = 8 * 4096;

std::uint64_t big_endian(const char* bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < 8; ++i) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

}  // namespace

// Returns the words of all workers, one list for each shard.
std::vector<std::vector<WordRows::Entry>> WordRows::all_words(Monitor& monitor) const {
  std::vector<std::vector<Entry>> found(workers_.size() * WordTable::n_shards);
  parallel_blocks(found.size(), options_.threads, monitor, [&](std::size_t b) {
    const std::size_t w = b / WordTable::n_shards;
    const std::span<const Word> slots = workers_[w]->table.slots(b % WordTable::n_shards);
    found[b].reserve(slots.size() / 2);
    for (const Word& word : slots) {
      if (word.is_empty()) continue;
      const char* const text = word.text().data();
      found[b].push_back({big_endian(text), big_endian(text + 8), &word, std::uint32_t(w), word.length});
    }
  });
  return found;
}

// Returns the sorted words of all workers, in buckets that start at start[b].
WordRows::Sorted WordRows::sorted_words(Monitor& monitor) const {
  auto found = all_words(monitor);
  // 1. Splitters from a sample.
  std::size_t n = 0;
  for (const auto& entries : found) n += entries.size();
  std::vector<std::uint64_t> sample;
  const std::size_t every = n / sample_size + 1;
  for (const auto& entries : found)
    for (std::size_t e = 0; e < entries.size(); e += every) sample.push_back(entries[e].head);
  const Splitters splitters(std::move(sample));
  const std::size_t n_buckets = splitters.n_buckets();
  // 2. Counts by list and bucket: next[l][b] is first the number of words of list l in bucket b, then the position of the next.
  std::vector<std::vector<std::size_t>> next(found.size());
  parallel_blocks(found.size(), options_.threads, monitor, [&](std::size_t l) {
    next[l].assign(n_buckets, 0);
    for (const Entry& entry : found[l]) ++next[l][splitters.bucket_of(entry.head)];
  });
  Sorted sorted{std::make_unique_for_overwrite<Entry[]>(n), std::vector<std::size_t>(n_buckets + 1)};
  std::size_t at = 0;
  for (std::size_t b = 0; b < n_buckets; ++b) {
    sorted.start[b] = at;
    for (auto& of_list : next) at += std::exchange(of_list[b], at);
  }
  sorted.start[n_buckets] = at;
  // 3. Distribution to the buckets, which are then sorted.
  parallel_blocks(found.size(), options_.threads, monitor, [&](std::size_t l) {
    for (const Entry& entry : found[l]) sorted.entry[next[l][splitters.bucket_of(entry.head)]++] = entry;
    found[l] = {};
  });
  parallel_blocks(n_buckets, options_.threads, monitor, [&](std::size_t b) {
    std::sort(sorted.entry.get() + sorted.start[b], sorted.entry.get() + sorted.start[b + 1],
              [](const Entry& x, const Entry& y) { return x.is_before(y); });
  });
  return sorted;
}

// Assigns columns to words and adds up their counts. With a fixed vocabulary only the counts are added.
void WordRows::merge(Monitor& monitor) {
  if (fixed_) {
    count_.assign(fixed_->size(), 0);
    for (const auto& worker : workers_)
      for (std::size_t j = 0; j < count_.size(); ++j) count_[j] += worker->seen[j].count;
    return;
  }
  const Sorted sorted = sorted_words(monitor);
  const auto& entry = sorted.entry;  // not a structured binding: clang before 16 cannot capture one
  const auto& start = sorted.start;
  const std::size_t n_buckets = start.size() - 1;
  // Equal words are in the same bucket.
  const auto is_first = [&](std::size_t b, std::size_t e) { return e == start[b] || !entry[e].is_same(entry[e - 1]); };
  std::vector<std::size_t> first(n_buckets + 1);  // first column of each bucket
  parallel_blocks(n_buckets, options_.threads, monitor, [&](std::size_t b) {
    for (std::size_t e = start[b]; e < start[b + 1]; ++e) first[b + 1] += is_first(b, e);
  });
  std::partial_sum(first.begin(), first.end(), first.begin());
  count_.assign(first.back(), 0);
  length_.resize(first.back());
  word_.resize(first.back());
  column_.resize(workers_.size());
  for (std::size_t w = 0; w < workers_.size(); ++w) column_[w].resize(workers_[w]->table.size());
  parallel_blocks(n_buckets, options_.threads, monitor, [&](std::size_t b) {
    std::size_t j = first[b] - 1;
    for (std::size_t e = start[b]; e < start[b + 1]; ++e) {
      if (e + 16 < start[n_buckets]) prefetch_line(entry[e + 16].word);
      if (is_first(b, e)) {
        word_[++j] = entry[e].word;
        length_[j] = entry[e].length;
      }
      count_[j] += entry[e].word->count;
      column_[entry[e].worker][entry[e].word->id] = std::int32_t(j);
    }
  });
}

}  // namespace vitalfew
