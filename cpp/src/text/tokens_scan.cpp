// Scanning of words, the matches of \b\w\w+\b in the lower-cased text. ASCII text is classified 64 bytes at a time into a bitmap
// of word characters, whose edges are the ends of words; other text is scanned character by character with Python's tables and
// written as UTF-8. Linear in the text.
#include "vitalfew/tokens_scan.hpp"

#include <algorithm>

#include "vitalfew/multiversion.hpp"

namespace vitalfew {
namespace {

// Characters in a piece, so that its text, masks and ranges stay in the second-level cache.
constexpr std::size_t piece = std::size_t{1} << 15;
constexpr std::size_t padding = Word::inline_bytes;

template <class Byte>
constexpr bool is_ascii_word(Byte c) {
  return Byte((c | 0x20) - 'a') < 26 || Byte(c - '0') < 10 || c == '_';
}

// Grows a buffer to twice the requested size, so that slowly growing documents do not reallocate it each time.
template <class T>
void ensure(std::vector<T>& memory, std::size_t size) {
  if (memory.size() < size) memory.resize(2 * size);
}

// Multiplying by this gathers the lowest bits of eight bytes in the top byte.
constexpr std::uint64_t byte_per_bit = 0x0102040810204080u;

// Lower-cases n bytes (a multiple of 64 is written) and sets bit i of `mask` where byte i is a word character.
VITALFEW_HOT void classify(const unsigned char* from, std::size_t n, bool lowercase, unsigned char* to, std::uint64_t* mask) {
  const auto shift = std::uint8_t(lowercase ? 0x20 : 0);
  for (std::size_t i = 0; i < n; i += 64) {
    unsigned char in[64] = {}, flag[64];
    if (n - i >= 64)
      std::memcpy(in, from + i, 64);
    else
      std::memcpy(in, from + i, n - i);
    for (std::size_t k = 0; k < 64; ++k) {
      const std::uint8_t c = in[k];
      const auto letter = std::uint8_t(std::uint8_t((c | 0x20) - 'a') < 26), digit = std::uint8_t(std::uint8_t(c - '0') < 10);
      flag[k] = std::uint8_t(letter | digit | std::uint8_t(c == '_'));
      to[i + k] = std::uint8_t(c | (letter ? shift : 0));
    }
    std::uint64_t bits = 0;
    for (std::size_t k = 0; k < 8; ++k) {
      std::uint64_t eight = 0;
      for (std::size_t b = 0; b < 8; ++b) eight |= std::uint64_t(flag[8 * k + b]) << (8 * b);
      bits |= ((eight * byte_per_bit) >> 56) << (8 * k);
    }
    mask[i / 64] = bits;
  }
}

// Finds the words of ASCII text from the edges of the bitmap; words of one character are dropped.
void scan_ascii(const unsigned char* from, std::size_t n, bool lowercase, Words& out) {
  const std::size_t blocks = n / 64 + 1;
  ensure(out.text, blocks * 64 + padding);
  ensure(out.mask, blocks);
  ensure(out.range, n / 2 + 2);
  out.mask[blocks - 1] = 0;
  classify(from, n, lowercase, reinterpret_cast<unsigned char*>(out.text.data()), out.mask.data());
  // An edge is a bit that differs from its predecessor; edges alternate between the begin and the end of a word.
  Range* range = out.range.data();
  std::uint64_t before = 0;
  std::size_t begin = 0;
  bool is_open = false;
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::uint64_t bits = out.mask[b];
    std::uint64_t edges = bits ^ ((bits << 1) | before);
    before = bits >> 63;
    while (edges != 0) {
      const std::size_t edge = b * 64 + std::size_t(std::countr_zero(edges));
      edges &= edges - 1;
      *range = {begin, edge};
      range += is_open && edge - begin > 1;
      begin = edge;
      is_open = !is_open;
    }
  }
  out.size = std::size_t(range - out.range.data());
}

bool is_word(const Alphabet& alphabet, std::uint32_t c) {
  return c / 64 < alphabet.is_word.size() && ((alphabet.is_word[c / 64] >> (c % 64)) & 1) != 0;
}

// Returns the lower-cased character, or 0 if it is not a word character.
std::uint32_t word_character(std::uint32_t c, const Alphabet& alphabet, bool lowercase) {
  if (lowercase && c < alphabet.lower.size()) c = alphabet.lower[c];
  return is_word(alphabet, c) ? c : 0;
}

char* put_utf8(std::uint32_t c, char* to) {
  if (c < 0x80) {
    *to++ = char(c);
  } else if (c < 0x800) {
    *to++ = char(0xC0 | (c >> 6));
    *to++ = char(0x80 | (c & 0x3F));
  } else {
    if (c < 0x10000) {
      *to++ = char(0xE0 | (c >> 12));
    } else {
      *to++ = char(0xF0 | (c >> 18));
      *to++ = char(0x80 | ((c >> 12) & 0x3F));
    }
    *to++ = char(0x80 | ((c >> 6) & 0x3F));
    *to++ = char(0x80 | (c & 0x3F));
  }
  return to;
}

// Finds the words of other text, character by character.
template <class Character>
void scan_wide(const Character* from, std::size_t n, const Alphabet& alphabet, bool lowercase, Words& out) {
  ensure(out.text, n * 4 + padding);
  ensure(out.range, n / 2 + 2);
  out.size = 0;
  char *const text = out.text.data(), *to = text, *begin = text;
  std::size_t characters = 0;
  for (std::size_t i = 0; i <= n; ++i) {
    const std::uint32_t c = i < n ? word_character(from[i], alphabet, lowercase) : 0;
    if (c != 0) {
      to = put_utf8(c, to);
      ++characters;
      continue;
    }
    // The end of a run: keep it as a word, or take back a single character.
    if (characters > 1)
      out.range[out.size++] = {std::size_t(begin - text), std::size_t(to - text)};
    else
      to = begin;
    begin = to;
    characters = 0;
  }
}

// Calls f(characters) with the document's characters in their own width.
template <class F>
auto with_characters(const Text& text, F&& f) {
  switch (text.encoding) {
    case Encoding::ucs2:
      return f(static_cast<const std::uint16_t*>(text.data));
    case Encoding::ucs4:
      return f(static_cast<const std::uint32_t*>(text.data));
    default:
      return f(static_cast<const unsigned char*>(text.data));
  }
}

}  // namespace

std::size_t scan_words(const Text& text, std::size_t from, const Alphabet& alphabet, bool lowercase, Words& out) {
  return with_characters(text, [&](const auto* characters) {
    const bool is_ascii = text.encoding == Encoding::ascii;
    std::size_t end = std::min(text.length, from + piece);
    const auto is_inside = [&](std::uint32_t c) {
      return is_ascii ? is_ascii_word(c) : word_character(c, alphabet, lowercase) != 0;
    };
    while (end < text.length && is_inside(characters[end])) ++end;
    if constexpr (sizeof(*characters) == 1) {
      if (is_ascii) {
        scan_ascii(characters + from, end - from, lowercase, out);
        return end;
      }
    }
    scan_wide(characters + from, end - from, alphabet, lowercase, out);
    return end;
  });
}

void append_words(const Words& from, const WordTable& stop, Words& to) {
  std::size_t end = to.size == 0 ? 0 : to.range[to.size - 1].end + 1;
  ensure(to.range, to.size + from.size);
  for (const Range& r : from.ranges()) {
    const std::size_t length = r.end - r.begin;
    if (stop.size() != 0 && stop.find(from.key(r)) != nullptr) continue;
    ensure(to.text, end + length + 1 + padding);
    std::memcpy(to.text.data() + end, from.text.data() + r.begin, length);
    to.text[end + length] = ' ';
    to.range[to.size++] = {end, end + length};
    end += length + 1;
  }
}

}  // namespace vitalfew
