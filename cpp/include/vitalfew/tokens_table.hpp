// A hash table of words, designed for text: most words are short, and most lookups are successful.
//
// A slot is half a cache line. Words of at most 16 bytes are stored in it, padded with zeros, so that finding one reads no other
// memory; for longer words it holds their hash and the address of their bytes. Collisions are resolved by linear probing. The
// slots are in shards that grow one at a time, so that growth takes little time and memory at once.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace vitalfew {

inline void prefetch_line([[maybe_unused]] const void* address) {
#if defined(__GNUC__)
  __builtin_prefetch(address);
#endif
}

struct Word {
  static constexpr std::size_t inline_bytes = 16;

  std::uint64_t head = 0;  // bytes 0-7, or the hash of a long word
  std::uint64_t tail = 0;  // bytes 8-15, or the address of a long word
  std::uint32_t length = 0;
  std::uint32_t id = 0;
  std::uint32_t last = 0;   // the last document that has it; documents are numbered from 1
  std::uint32_t count = 0;  // number of documents that have it

  bool is_empty() const { return length == 0; }
  std::string_view text() const {
    const char* bytes =
        length <= inline_bytes ? reinterpret_cast<const char*>(&head) : reinterpret_cast<const char*>(std::uintptr_t(tail));
    return {bytes, length};
  }
};
static_assert(sizeof(Word) == 32 && offsetof(Word, tail) == 8);

struct WordKey {
  std::uint64_t head, tail, hash;
  const char* bytes;
  std::uint32_t length;
};

namespace detail {

inline std::uint64_t load_word(const char* bytes) {
  std::uint64_t value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

inline std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t h = (a * 0x9E3779B97F4A7C15u) ^ std::rotl(b * 0xC2B2AE3D27D4EB4Fu, 31);
  h = (h ^ (h >> 32)) * 0xD6E8FEB86659FD93u;
  return h ^ (h >> 32);
}

// keep_first[8 + n] is a mask for the first n of eight bytes, n from -8 to 16; built from bytes, so that it holds for either byte
// order.
inline constexpr auto keep_first = [] {
  std::array<std::uint64_t, 25> keep{};
  for (std::size_t n = 0; n < keep.size(); ++n) {
    std::array<unsigned char, 8> bytes{};
    for (std::size_t i = 0; i < 8; ++i) bytes[i] = 8 + i < n ? 0xFF : 0;
    keep[n] = std::bit_cast<std::uint64_t>(bytes);
  }
  return keep;
}();

std::uint64_t hash_long(const char* bytes, std::size_t length);

}  // namespace detail

// Returns the key of a word. Sixteen bytes must be readable at `bytes`, whatever the length.
inline WordKey word_key(const char* bytes, std::size_t length) {
  if (length <= Word::inline_bytes) {
    const std::uint64_t head = detail::load_word(bytes) & detail::keep_first[8 + length];
    const std::uint64_t tail = detail::load_word(bytes + 8) & detail::keep_first[length];
    return {head, tail, detail::mix(head, tail), bytes, std::uint32_t(length)};
  }
  const std::uint64_t hash = detail::hash_long(bytes, length);
  return {hash, 0, hash, bytes, std::uint32_t(length)};
}

class WordTable {
 public:
  static constexpr std::size_t n_shards = 64;

  WordTable() = default;
  WordTable(WordTable&&) = default;
  WordTable& operator=(WordTable&&) = default;

  std::size_t size() const { return size_; }
  void skip_id() { ++size_; }
  // All slots of a shard, including empty ones.
  std::span<const Word> slots(std::size_t shard) const { return shards_[shard].slots; }

  void prefetch(const WordKey& key) const {
    const Shard& shard = shards_[shard_of(key.hash)];
    prefetch_line(&shard.slots[key.hash & shard.mask]);
  }
  // Returns the word, or null if it is not in the table.
  const Word* find(const WordKey& key) const {
    const Word& word = shards_[shard_of(key.hash)].locate(key);
    return word.is_empty() ? nullptr : &word;
  }
  // Returns the word, which is added if it is new. Ids are given in the order of arrival. The reference is valid until the next
  // call.
  Word& find_or_add(const WordKey& key) {
    Shard& shard = shards_[shard_of(key.hash)];
    Word& word = const_cast<Word&>(shard.locate(key));
    return word.is_empty() ? add(key, shard) : word;
  }

 private:
  struct Shard {
    std::vector<Word> slots = std::vector<Word>(16);
    std::size_t mask = 15, used = 0;

    // Returns the slot of the word, or the empty slot where it would go.
    const Word& locate(const WordKey& key) const {
      std::size_t s = key.hash & mask;
      while (!slots[s].is_empty() && !is_same(slots[s], key)) s = (s + 1) & mask;
      return slots[s];
    }
    void grow();
  };

  static std::size_t shard_of(std::uint64_t hash) { return std::size_t(hash >> 58); }
  static bool is_same(const Word& word, const WordKey& key) {
    if (word.length != key.length || word.head != key.head) return false;
    if (key.length <= Word::inline_bytes) return word.tail == key.tail;
    return std::memcmp(word.text().data(), key.bytes, key.length) == 0;
  }
  Word& add(const WordKey& key, Shard& shard);
  const char* store(const char* bytes, std::size_t length);

  std::array<Shard, n_shards> shards_;
  std::size_t size_ = 0;
  std::vector<std::unique_ptr<char[]>> pages_, own_pages_;  // bytes of long words, and of very long ones
  std::size_t free_ = 0;                                    // bytes left in the last page
};

}  // namespace vitalfew
