// Reading of documents: words and n-grams are counted by document, in blocks of bytes that threads take in turn. Each worker has
// its own table of words; a word counts once for each document. Time is linear in the text; hash lookups are prefetched in
// batches.
#include "vitalfew/tokens.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <stdexcept>
#include <thread>

#include "vitalfew/parallel.hpp"

namespace vitalfew {
namespace {

// Bytes of a block, a few milliseconds of reading: enough to amortize its overhead, few enough to notice Ctrl-C and to balance
// the work.
constexpr std::size_t block_bytes = std::size_t{1} << 19;
// Documents of this size are read by the calling thread, which can check for Ctrl-C within them.
constexpr std::size_t long_document_bytes = std::size_t{1} << 23;
// Words that are looked up in one batch, so that their memory accesses overlap.
constexpr std::size_t keys_at_once = 16;

// Appends a word to the list at `to` if the document did not have it before. Branch-free, since the branch would be
// unpredictable.
template <class Seen>
std::uint32_t* note(std::uint32_t id, Seen& seen, std::uint32_t document, std::uint32_t* to) {
  const bool is_new = seen.last != document;
  *to = id;
  seen.count += is_new;
  seen.last = document;
  return to + is_new;
}

std::size_t width_of(Encoding encoding) { return encoding == Encoding::ucs4 ? 4 : encoding == Encoding::ucs2 ? 2 : 1; }

struct DocumentRange {
  std::size_t begin, end;
  bool is_long;
};

// Cuts the documents into blocks of about equal work; a long document has its own block.
std::vector<DocumentRange> cut_into_blocks(std::span<const Text> documents, std::size_t work_per_byte) {
  std::vector<DocumentRange> ranges;
  std::size_t begin = 0, work = 0;
  for (std::size_t d = 0; d < documents.size(); ++d) {
    const std::size_t cost = (documents[d].length * width_of(documents[d].encoding) + 64) * work_per_byte;
    const bool is_long = cost >= long_document_bytes;
    if (begin < d && (is_long || work >= block_bytes)) {
      ranges.push_back({begin, d, false});
      begin = d, work = 0;
    }
    work += cost;
    if (is_long) {
      ranges.push_back({d, d + 1, true});
      begin = d + 1, work = 0;
    }
  }
  if (begin < documents.size()) ranges.push_back({begin, documents.size(), false});
  return ranges;
}

}  // namespace

WordTable make_word_table(const WordList& list) {
  const auto& start = list.start;
  if (!start.empty() &&
      (start.front() != 0 || start.back() != std::int64_t(list.bytes.size()) || !std::is_sorted(start.begin(), start.end())))
    throw std::invalid_argument("list of words: start must increase from 0 to the number of bytes");
  WordTable table;
  std::vector<char> padded;
  for (std::size_t j = 0; j < list.size(); ++j) {
    const auto word = list.bytes.subspan(std::size_t(list.start[j]), std::size_t(list.start[j + 1] - list.start[j]));
    padded.assign(word.begin(), word.end());
    padded.resize(word.size() + Word::inline_bytes);
    // The empty word marks an empty slot. No document has it, but it takes an id.
    if (word.empty())
      table.skip_id();
    else
      table.find_or_add(word_key(padded.data(), word.size()));
  }
  return table;
}

// Progress of the reading, and cancellation.
class WordRows::Reading {
 public:
  explicit Reading(std::size_t n_before, Monitor& monitor) : done_(n_before), monitor_(monitor) {}

  void finished(std::size_t documents) { done_.fetch_add(documents, std::memory_order_relaxed); }
  // Returns false if reading was canceled. The calling thread polls the monitor, which may throw.
  bool may_go_on() {
    if (std::this_thread::get_id() != caller_) return !is_stopped_.load(std::memory_order_relaxed);
    try {
      monitor_.report(double(done_.load(std::memory_order_relaxed)));
    } catch (...) {
      is_stopped_ = true;
      throw;
    }
    return true;
  }

 private:
  std::atomic<std::size_t> done_;
  std::atomic<bool> is_stopped_{false};
  std::thread::id caller_ = std::this_thread::get_id();
  Monitor& monitor_;
};

WordRows::WordRows(const WordOptions& options, std::shared_ptr<const WordTable> stop_words,
                   std::shared_ptr<const WordTable> vocabulary)
    : options_(options), stop_(std::move(stop_words)), fixed_(std::move(vocabulary)) {
  if (options.min_n < 1 || options.min_n > options.max_n) throw std::invalid_argument("n-grams: expected 1 <= min_n <= max_n");
}

// Takes an idle worker, or creates one.
WordRows::Worker& WordRows::lend() {
  const std::lock_guard lock(lending_);
  if (idle_.empty()) {
    workers_.push_back(std::make_unique<Worker>());
    workers_.back()->number = workers_.size() - 1;
    if (fixed_) {
      workers_.back()->seen.resize(fixed_->size());
    }
    idle_.push_back(workers_.back().get());
  }
  Worker* worker = idle_.back();
  idle_.pop_back();
  return *worker;
}

void WordRows::give_back(Worker& worker) {
  const std::lock_guard lock(lending_);
  idle_.push_back(&worker);
}

// Long documents are read first, by the calling thread; the other blocks in parallel.
void WordRows::add(std::span<const Text> documents, const Alphabet& alphabet, Monitor& monitor) {
  const std::size_t orders = options_.max_n == 1 ? 1 : 2 * (options_.max_n - options_.min_n + 1);
  const auto ranges = cut_into_blocks(documents, orders);
  const std::size_t first_block = blocks_.size();
  blocks_.resize(first_block + ranges.size());
  Reading reading(n_documents_, monitor);
  const auto read = [&](std::size_t r) {
    Worker& worker = lend();
    Block& block = blocks_[first_block + r];
    block.worker = worker.number;
    block.first_row = n_documents_ + ranges[r].begin;
    for (std::size_t d = ranges[r].begin; d < ranges[r].end; ++d) read_document(documents[d], alphabet, worker, block, reading);
    reading.finished(ranges[r].end - ranges[r].begin);
    reading.may_go_on();
    give_back(worker);
  };
  for (std::size_t r = 0; r < ranges.size(); ++r)
    if (ranges[r].is_long) read(r);
  parallel_blocks(ranges.size(), options_.threads, monitor, [&](std::size_t r) {
    if (!ranges[r].is_long) read(r);
  });
  if (!options_.keep_rows) blocks_.clear();
  n_documents_ += documents.size();
}

// Reads a document piece by piece. Without stop words and n-grams, words are counted as they are scanned; otherwise they are
// first collected.
void WordRows::read_document(const Text& text, const Alphabet& alphabet, Worker& worker, Block& block, Reading& reading) const {
  if (++worker.document == 0) throw std::length_error("more than 2^32 documents per thread");
  const std::size_t before = block.id.size();
  const bool is_plain = stop_->size() == 0 && options_.max_n == 1;
  worker.grams.size = 0;
  for (std::size_t from = 0; from < text.length;) {
    if (from > 0 && !reading.may_go_on()) return;
    from = scan_words(text, from, alphabet, options_.lowercase, worker.words);
    if (is_plain)
      count_words(worker.words, worker.words.ranges(), worker, block);
    else
      append_words(worker.words, *stop_, worker.grams);
  }
  if (!is_plain) count_ngrams(worker, block, reading);
  if (options_.keep_rows)
    block.length.push_back(std::uint32_t(block.id.size() - before));
  else
    block.id.clear();
}

// Counts the n-grams of the collected words: each is a range of their text.
void WordRows::count_ngrams(Worker& worker, Block& block, Reading& reading) const {
  const std::span<const Range> words = worker.grams.ranges();
  std::array<Range, 1024> grams;
  for (std::size_t n = options_.min_n; n <= std::min(options_.max_n, words.size()); ++n) {
    const std::size_t last = words.size() - n + 1;
    for (std::size_t from = 0; from < last; from += grams.size()) {
      if (from > 0 && !reading.may_go_on()) return;
      const std::size_t some = std::min(grams.size(), last - from);
      for (std::size_t i = 0; i < some; ++i) grams[i] = {words[from + i].begin, words[from + i + n - 1].end};
      count_words(worker.grams, std::span(grams).first(some), worker, block);
    }
  }
}

// Looks up a batch of words in the worker's table and adds the new ones.
std::uint32_t* WordRows::learn_words(std::span<const WordKey> keys, Worker& worker, std::uint32_t* to) const {
  for (const WordKey& key : keys) worker.table.prefetch(key);
  for (const WordKey& key : keys) {
    Word& word = worker.table.find_or_add(key);
    to = note(word.id, word, worker.document, to);
  }
  return to;
}

// Looks up a batch of words in the given vocabulary; unknown words are dropped.
std::uint32_t* WordRows::look_up_words(std::span<const WordKey> keys, Worker& worker, std::uint32_t* to) const {
  for (const WordKey& key : keys) fixed_->prefetch(key);
  std::array<std::uint32_t, keys_at_once> ids;
  std::size_t n = 0;
  for (const WordKey& key : keys) {
    const Word* const word = fixed_->find(key);
    if (word == nullptr) continue;
    prefetch_line(&worker.seen[word->id]);
    ids[n++] = word->id;
  }
  for (std::size_t i = 0; i < n; ++i) to = note(ids[i], worker.seen[ids[i]], worker.document, to);
  return to;
}

void WordRows::count_words(const Words& words, std::span<const Range> ranges, Worker& worker, Block& block) const {
  const std::size_t before = block.id.size();
  block.id.resize(before + ranges.size());
  std::uint32_t* to = block.id.data() + before;
  std::array<WordKey, keys_at_once> keys;
  for (std::size_t r = 0; r < ranges.size(); r += keys_at_once) {
    const std::size_t some = std::min(keys_at_once, ranges.size() - r);
    for (std::size_t i = 0; i < some; ++i) keys[i] = words.key(ranges[r + i]);
    const std::span known = std::span(keys).first(some);
    to = fixed_ != nullptr ? look_up_words(known, worker, to) : learn_words(known, worker, to);
  }
  block.id.resize(std::size_t(to - block.id.data()));
}

}  // namespace vitalfew
