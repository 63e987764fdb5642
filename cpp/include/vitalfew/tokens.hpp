// Which words are in which document.
//
// accumulate   add(): documents are cut into blocks of bytes; each thread has its own table of words and numbers them as
//              it meets them; a block keeps, for each document, the numbers of its different words.
// merge        merge(): the words of all tables are sorted together, equal ones become one column. Columns are in the
//              order of code points, so nothing depends on which thread read what.
// finish       write_rows(): numbers become columns, rising within each row.
//
// With a fixed vocabulary, the table is given and only read: words that it does not have are dropped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "vitalfew/matrix.hpp"
#include "vitalfew/monitor.hpp"
#include "vitalfew/tokens_scan.hpp"
#include "vitalfew/tokens_table.hpp"

namespace vitalfew {

struct WordOptions {
  bool lowercase = true;
  std::size_t min_n = 1, max_n = 1;  // lengths of n-grams, in words
  bool keep_rows = true;             // false: only the vocabulary and its counts are wanted
  int threads = 0;
};

// Word j is bytes[start[j] .. start[j + 1]), in UTF-8.
struct WordList {
  std::span<const char> bytes;
  std::span<const std::int64_t> start;

  std::size_t size() const { return start.empty() ? 0 : start.size() - 1; }
};

// Word j has id j.
WordTable make_word_table(const WordList& list);

class WordRows {
 public:
  // No vocabulary means: learn it.
  WordRows(const WordOptions& options, std::shared_ptr<const WordTable> stop_words, std::shared_ptr<const WordTable> vocabulary);

  void add(std::span<const Text> documents, const Alphabet& alphabet, Monitor& monitor);
  void merge(Monitor& monitor);

  std::size_t n_documents() const { return n_documents_; }
  std::size_t n_words() const { return count_.size(); }
  // After merge(): documents that have the word, for each column.
  std::span<const std::int64_t> counts() const { return count_; }
  // The words of these columns one after the other; `start` has one more entry than there are columns.
  std::size_t bytes_of(std::span<const std::int32_t> columns, std::span<std::int64_t> start) const;
  void write_words(std::span<const std::int32_t> columns, std::span<const std::int64_t> start, std::span<char> bytes,
                   Monitor& monitor) const;
  // Where each row starts when column j becomes column[j], or is left out where that is negative; then the rows.
  void write_starts(std::span<const std::int32_t> column, std::span<std::int64_t> start, Monitor& monitor) const;
  void write_rows(std::span<const std::int32_t> column, std::span<const std::int64_t> start, std::span<std::int32_t> index,
                  std::size_t width, Monitor& monitor) const;

 private:
  // What a thread needs while it reads. Workers are lent to blocks, so that there are as many as threads, not as blocks.
  struct Seen {
    std::uint32_t last = 0, count = 0;  // as those of a Word
  };
  struct Worker {
    WordTable table;
    std::vector<Seen> seen;  // of each column, where the vocabulary is fixed
    std::uint32_t document = 0;
    std::size_t number = 0;
    Words words, grams;
  };
  struct Block {
    std::size_t worker = 0, first_row = 0;
    std::vector<std::uint32_t> length;  // of each row
    std::vector<std::uint32_t> id;      // of its words, row after row
  };
  class Reading;
  struct Entry;
  struct Sorted {
    std::unique_ptr<Entry[]> entry;
    std::vector<std::size_t> start;  // of each bucket
  };

  Worker& lend();
  void give_back(Worker& worker);
  void read_document(const Text& text, const Alphabet& alphabet, Worker& worker, Block& block, Reading& reading) const;
  void count_ngrams(Worker& worker, Block& block, Reading& reading) const;
  void count_words(const Words& words, std::span<const Range> ranges, Worker& worker, Block& block) const;
  std::uint32_t* learn_words(std::span<const WordKey> keys, Worker& worker, std::uint32_t* to) const;
  std::uint32_t* look_up_words(std::span<const WordKey> keys, Worker& worker, std::uint32_t* to) const;
  std::vector<std::vector<Entry>> all_words(Monitor& monitor) const;
  Sorted sorted_words(Monitor& monitor) const;
  std::vector<std::vector<std::int32_t>> to_columns(std::span<const std::int32_t> column) const;

  WordOptions options_;
  std::shared_ptr<const WordTable> stop_, fixed_;
  std::size_t n_documents_ = 0;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<Worker*> idle_;
  std::mutex lending_;
  std::vector<Block> blocks_;
  // After merge(): of each column, its count, its length in bytes and one of its words; of each worker's words, the column.
  std::vector<std::int64_t> count_;
  std::vector<std::uint32_t> length_;
  std::vector<const Word*> word_;
  std::vector<std::vector<std::int32_t>> column_;
};

// Weighted presence: in each row, value k becomes weight[index[k]] divided by the Euclidean norm of the row.
void write_unit_rows(const Pattern& rows, std::span<const double> weight, std::span<double> value, int threads, Monitor& monitor);

}  // namespace vitalfew
