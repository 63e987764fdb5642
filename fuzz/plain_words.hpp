// Documents made of bytes, and a tokenizer that is slow and obviously correct, for the harnesses of the core.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "vitalfew/tokens.hpp"

namespace fuzz {

using vitalfew::Encoding;

// Not Python's alphabet, but one with the same traits: lower case beyond ASCII, words among all widths of UTF-8.
struct SmallAlphabet {
  std::vector<std::uint64_t> is_word = std::vector<std::uint64_t>(0x110000 / 64);
  std::vector<std::uint32_t> lower = std::vector<std::uint32_t>(0x500);

  SmallAlphabet() {
    for (std::uint32_t c = 0; c < 0x110000; ++c) {
      const bool is_ascii = c < 0x80;
      const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
      if (is_ascii ? is_letter : c % 3 != 0) is_word[c / 64] |= std::uint64_t{1} << (c % 64);
    }
    for (std::uint32_t c = 0; c < lower.size(); ++c)
      lower[c] = (c >= 'A' && c <= 'Z') ? c + 32 : (c >= 0x400 && c < 0x430) ? c + 0x50 : c == 0xC5 ? 0x212B : c;
  }
  bool has(std::uint32_t c) const { return c < 0x110000 && ((is_word[c / 64] >> (c % 64)) & 1) != 0; }
};

inline const SmallAlphabet& alphabet() {
  static const SmallAlphabet made;
  return made;
}

class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}
  std::uint8_t byte() { return at_ < end_ ? *at_++ : 0; }
  bool is_empty() const { return at_ == end_; }

  // Characters up to the byte 0xFF, each of as many bytes as the width says.
  std::vector<std::uint32_t> characters(Encoding encoding) {
    std::vector<std::uint32_t> found;
    while (!is_empty()) {
      std::uint32_t c = byte();
      if (c == 0xFF) break;
      if (encoding == Encoding::ascii) c &= 0x7F;
      if (encoding == Encoding::ucs2 || encoding == Encoding::ucs4) c |= std::uint32_t(byte()) << 8;
      if (encoding == Encoding::ucs4) c |= std::uint32_t(byte() % 0x11) << 16;
      found.push_back(c);
    }
    return found;
  }

 private:
  const std::uint8_t *at_, *end_;
};

struct Document {
  std::vector<std::uint32_t> characters;
  Encoding encoding;
  std::vector<std::uint8_t> memory;  // exactly as long as the text: reading on is seen

  Document(std::vector<std::uint32_t> given, Encoding e) : characters(std::move(given)), encoding(e) {
    const std::size_t width = e == Encoding::ucs4 ? 4 : e == Encoding::ucs2 ? 2 : 1;
    memory.resize(characters.size() * width);
    for (std::size_t i = 0; i < characters.size(); ++i) std::memcpy(memory.data() + i * width, &characters[i], width);
  }
  vitalfew::Text text() const { return {memory.data(), characters.size(), encoding}; }
};

inline std::string utf8(std::uint32_t c) {
  if (c < 0x80) return {char(c)};
  if (c < 0x800) return {char(0xC0 | c >> 6), char(0x80 | (c & 0x3F))};
  if (c < 0x10000) return {char(0xE0 | c >> 12), char(0x80 | (c >> 6 & 0x3F)), char(0x80 | (c & 0x3F))};
  return {char(0xF0 | c >> 18), char(0x80 | (c >> 12 & 0x3F)), char(0x80 | (c >> 6 & 0x3F)), char(0x80 | (c & 0x3F))};
}

inline std::vector<std::string> plain_words(const Document& document, bool lowercase) {
  std::vector<std::string> found;
  std::string word;
  std::size_t length = 0;
  const auto& c = document.characters;
  for (std::size_t i = 0; i <= c.size(); ++i) {
    const std::uint32_t one = i == c.size() ? 0 : lowercase && c[i] < alphabet().lower.size() ? alphabet().lower[c[i]] : c[i];
    if (i < c.size() && alphabet().has(one)) {
      word += utf8(one);
      ++length;
      continue;
    }
    if (length > 1) found.push_back(word);
    word.clear();
    length = 0;
  }
  return found;
}

// A broken promise ends the process, and libFuzzer keeps the input.
inline void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace fuzz
