// Presence of words in documents.
//
// accumulate   add(): documents are cut into blocks of bytes; each worker has its own table of words and numbers them in the
//              order of arrival; a block keeps the ids of each document's distinct words.
// merge        merge(): the words of all tables are sorted together, and equal ones become one column. Columns are in the
//              order of code points, so the result does not depend on threads.
// finish       write_rows(): ids become columns, increasing within each row.
//
// A fixed vocabulary is only read: words that it does not have are dropped.
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
  bool keep_rows = true;             // false: only the vocabulary and its counts are needed
  int threads = 0;
};

// Word j is bytes[start[j] .. start[j + 1]), in UTF-8.
struct WordList {
  std::span<const char> bytes;
  std::span<const std::int64_t> start;

  std::size_t size() const { return start.empty() ? 0 : start.size() - 1; }
};

// Builds a table in which word j has id j.
WordTable make_word_table(const WordList& list);

class WordRows {
 public:
  // Without a vocabulary, it is learned from the documents.
  WordRows(const WordOptions& options, std::shared_ptr<const WordTable> stop_words, std::shared_ptr<const WordTable> vocabulary);

  void add(std::span<const Text> documents, const Alphabet& alphabet, Monitor& monitor);
  void merge(Monitor& monitor);

  std::size_t n_documents() const { return n_documents_; }
  std::size_t n_words() const { return count_.size(); }
  // After merge(): the number of documents that have the word of each column.
  std::span<const std::int64_t> counts() const { return count_; }
  // The concatenated words of these columns; `start` has one more entry than there are columns.
  std::size_t bytes_of(std::span<const std::int32_t> columns, std::span<std::int64_t> start) const;
  void write_words(std::span<const std::int32_t> columns, std::span<const std::int64_t> start, std::span<char> bytes,
                   Monitor& monitor) const;
  // Row starts and rows of the matrix in which column j becomes column[j], or is dropped if that is negative.
  void write_starts(std::span<const std::int32_t> column, std::span<std::int64_t> start, Monitor& monitor) const;
  void write_rows(std::span<const std::int32_t> column, std::span<const std::int64_t> start, std::span<std::int32_t> index,
                  std::size_t width, Monitor& monitor) const;

 private:
  // The state of a thread while it reads. Workers are lent to blocks, so that there are as many as threads, not as blocks.
  struct Seen {
    std::uint32_t last = 0, count = 0;  // as in Word
  };
  struct Worker {
    WordTable table;
    std::vector<Seen> seen;  // for each column of a fixed vocabulary
    std::uint32_t document = 0;
    std::size_t number = 0;
    Words words, grams;
  };
  struct Block {
    std::size_t worker = 0, first_row = 0;
    std::vector<std::uint32_t> length;  // number of distinct words of each row
    std::vector<std::uint32_t> id;      // ids of these words, row after row
  };
  class Reading;
  struct Entry;
  struct Sorted {
    std::unique_ptr<Entry[]> entry;
    std::vector<std::size_t> start;  // start of each bucket
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
  // After merge(): count, length in bytes and one Word of each column; the column of each worker's words.
  std::vector<std::int64_t> count_;
  std::vector<std::uint32_t> length_;
  std::vector<const Word*> word_;
  std::vector<std::vector<std::int32_t>> column_;
};

// Writes weighted presence: value k of a row becomes weight[index[k]] divided by the Euclidean norm of the row.
void write_unit_rows(const Pattern& rows, std::span<const double> weight, std::span<double> value, int threads, Monitor& monitor);

}  // namespace vitalfew
