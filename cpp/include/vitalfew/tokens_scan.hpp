// Words of a document: maximal runs of at least two word characters, as UTF-8. The same as the regular expression \b\w\w+\b on
// the lower-cased document.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "vitalfew/tokens_table.hpp"

namespace vitalfew {

enum class Encoding : std::uint8_t { ascii, ucs1, ucs2, ucs4 };

// A document: characters of one width. Characters whose lower case depends on their neighbors or has another length (Σ, İ) must
// have been lower-cased before.
struct Text {
  const void* data;
  std::size_t length;  // in characters
  Encoding encoding;
};

// Properties of characters beyond ASCII.
struct Alphabet {
  std::span<const std::uint64_t> is_word;  // one bit for each character
  std::span<const std::uint32_t> lower;    // characters beyond its end are their own lower case
};

struct Range {
  std::size_t begin, end;
};

// Words as ranges of `text`, where sixteen bytes past the last word may be read. The buffers are reused and only grow; the first
// `size` ranges are valid.
struct Words {
  std::vector<char> text;
  std::vector<Range> range;
  std::size_t size = 0;
  std::vector<std::uint64_t> mask;

  std::span<const Range> ranges() const { return {range.data(), size}; }
  WordKey key(const Range& r) const { return word_key(text.data() + r.begin, r.end - r.begin); }
};

// Scans a piece of the document that begins at `from` and ends outside of a word. Returns the end of the piece. Pieces bound the
// memory that a very long document needs.
std::size_t scan_words(const Text& text, std::size_t from, const Alphabet& alphabet, bool lowercase, Words& out);

// Appends the words of `from` that are not in `stop` to `to`, separated by one blank, so that each n-gram is a range of
// `to.text`.
void append_words(const Words& from, const WordTable& stop, Words& to);

}  // namespace vitalfew
