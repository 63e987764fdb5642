// The hash table of words (see tokens_table.hpp): hashing of long words, insertion, growth of a shard, and storage of their
// bytes. O(length) for a word, amortized.
#include "vitalfew/tokens_table.hpp"

#include <algorithm>

namespace vitalfew {
namespace {

constexpr std::size_t page_bytes = std::size_t{1} << 18;  // long words are stored in pages of this size

}  // namespace

std::uint64_t detail::hash_long(const char* bytes, std::size_t length) {
  if (length > std::numeric_limits<std::uint32_t>::max()) throw std::length_error("a word is longer than 4 GB");
  std::uint64_t h = length;
  const char* const last = bytes + length - 8;
  for (; bytes < last; bytes += 8) h = mix(h, load_word(bytes));
  return mix(h, load_word(last));
}

// Adds a word that is not there. Shards are at most half full.
Word& WordTable::add(const WordKey& key, Shard& shard) {
  if (size_ >= std::size_t(std::numeric_limits<std::int32_t>::max()))
    throw std::length_error("more than 2^31 different words; use a smaller ngram_range");
  if (++shard.used * 2 > shard.slots.size()) shard.grow();
  Word& word = const_cast<Word&>(shard.locate(key));
  word = {key.head, key.tail, key.length, std::uint32_t(size_++), 0, 0};
  if (key.length > Word::inline_bytes) word.tail = std::uint64_t(reinterpret_cast<std::uintptr_t>(store(key.bytes, key.length)));
  return word;
}

// Doubles the slots and inserts the words again.
void WordTable::Shard::grow() {
  std::vector<Word> old(slots.size() * 2);
  old.swap(slots);
  mask = slots.size() - 1;
  for (const Word& word : old) {
    if (word.is_empty()) continue;
    std::size_t s = (word.length <= Word::inline_bytes ? detail::mix(word.head, word.tail) : word.head) & mask;
    while (!slots[s].is_empty()) s = (s + 1) & mask;
    slots[s] = word;
  }
}

// Copies the bytes of a long word into a page, or into separate memory if they would fill a large part of one.
const char* WordTable::store(const char* bytes, std::size_t length) {
  char* to;
  if (length > page_bytes / 4) {
    to = own_pages_.emplace_back(std::make_unique_for_overwrite<char[]>(length)).get();
  } else {
    if (free_ < length) {
      pages_.push_back(std::make_unique_for_overwrite<char[]>(page_bytes));
      free_ = page_bytes;
    }
    to = pages_.back().get() + (page_bytes - free_);
    free_ -= length;
  }
  std::memcpy(to, bytes, length);
  return to;
}

}  // namespace vitalfew
