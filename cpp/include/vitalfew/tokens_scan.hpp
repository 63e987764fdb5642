// Words of a document: the longest runs of word characters, of at least two characters, as UTF-8.
// The same as the regular expression \b\w\w+\b on the lower-cased document.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "vitalfew/tokens_table.hpp"

namespace vitalfew {

enum class Encoding : std::uint8_t { ascii, ucs1, ucs2, ucs4 };

// A document: characters of one width. What depends on its neighbours or changes its length when lower-cased (Σ, İ)
// must have been lower-cased before.
struct Text {
  const void* data;
  std::size_t length;  // in characters
  Encoding encoding;
};

// What is known of characters beyond ASCII.
struct Alphabet {
  std::span<const std::uint64_t> is_word;  // a bit for each character
  std::span<const std::uint32_t> lower;    // characters beyond its end are their own lower case
};

struct Range {
  std::size_t begin, end;
};

// Words as ranges of `text`, where sixteen bytes past the last word may be read. The vectors only grow, from one document
// to the next: what counts is the first `size` ranges.
struct Words {
  std::vector<char> text;
  std::vector<Range> range;
  std::size_t size = 0;
  std::vector<std::uint64_t> mask;

  std::span<const Range> ranges() const { return {range.data(), size}; }
  WordKey key(const Range& r) const { return word_key(text.data() + r.begin, r.end - r.begin); }
};

// The words of a piece of the document that begins at `from` and ends outside of a word. Returns where the piece ends.
// Pieces bound the memory that a very long document needs.
std::size_t scan_words(const Text& text, std::size_t from, const Alphabet& alphabet, bool lowercase, Words& out);

// Appends the words of `from` that are not in `stop` to `to`, with one blank between words, so that each n-gram is a
// range of `to.text`.
void append_words(const Words& from, const WordTable& stop, Words& to);

}  // namespace vitalfew
