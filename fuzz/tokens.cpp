// libFuzzer on the tokenizer of the core, with address and undefined-behavior sanitizers: any characters of any width,
// stop words, n-grams, given and learned vocabularies, compared with a tokenizer that is slow and obviously correct.
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "plain_words.hpp"

using namespace fuzz;

namespace {

std::set<std::string> plain_grams(std::vector<std::string> words, const std::set<std::string>& stop, std::size_t low,
                                  std::size_t high) {
  std::erase_if(words, [&](const std::string& w) { return stop.contains(w); });
  std::set<std::string> found;
  for (std::size_t n = low; n <= high; ++n)
    for (std::size_t i = 0; i + n <= words.size(); ++i) {
      std::string gram = words[i];
      for (std::size_t k = 1; k < n; ++k) gram += " " + words[i + k];
      found.insert(gram);
    }
  return found;
}

std::shared_ptr<const vitalfew::WordTable> table_of(const std::vector<std::string>& words) {
  static const auto empty = std::make_shared<vitalfew::WordTable>();
  if (words.empty()) return empty;
  std::string bytes;
  std::vector<std::int64_t> start{0};
  for (const auto& word : words) start.push_back(std::int64_t((bytes += word).size()));
  return std::make_shared<vitalfew::WordTable>(vitalfew::make_word_table({{bytes.data(), bytes.size()}, start}));
}

void compare(const vitalfew::WordRows& rows, const std::vector<std::set<std::string>>& expected,
             const std::optional<std::vector<std::string>>& given, std::uint8_t kept) {
  vitalfew::Monitor monitor;
  std::map<std::string, std::int64_t> count;
  for (const auto& document : expected)
    for (const auto& word : document) ++count[word];
  std::vector<std::string> names;
  if (given)
    names = *given;
  else
    for (const auto& [word, _] : count) names.push_back(word);
  require(rows.n_words() == names.size());
  for (std::size_t j = 0; j < names.size(); ++j) require(rows.counts()[j] == (count.contains(names[j]) ? count[names[j]] : 0));
  std::vector<std::int32_t> all(names.size()), column(names.size());
  std::int32_t width = 0;
  std::map<std::string, std::int32_t> number;
  for (std::size_t j = 0; j < names.size(); ++j) {
    all[j] = std::int32_t(j);
    column[j] = kept != 0 && (j * 7 + kept) % 3 == 0 ? -1 : width++;
    number[names[j]] = column[j];
  }
  if (!given) {
    std::vector<std::int64_t> start(names.size() + 1);
    std::vector<char> bytes(rows.bytes_of(all, start));
    rows.write_words(all, start, bytes, monitor);
    for (std::size_t j = 0; j < names.size(); ++j)
      require(std::string(bytes.data() + start[j], bytes.data() + start[j + 1]) == names[j]);
  }
  std::vector<std::int64_t> start(rows.n_documents() + 1);
  rows.write_starts(column, start, monitor);
  std::vector<std::int32_t> index(std::size_t(start.back()));
  rows.write_rows(column, start, index, std::size_t(width), monitor);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    std::set<std::int32_t> row;
    for (const auto& word : expected[i])
      if (number.contains(word) && number[word] >= 0) row.insert(number[word]);
    require(std::vector<std::int32_t>(row.begin(), row.end()) ==
            std::vector<std::int32_t>(index.begin() + start[i], index.begin() + start[i + 1]));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  const std::uint8_t how = input.byte(), more = input.byte(), repeat = input.byte();
  const bool lowercase = (how & 1) != 0, is_given = (how & 2) != 0, has_stop = (how & 4) != 0;
  vitalfew::WordOptions options{lowercase, 1 + std::size_t(how >> 3 & 1), 0, true, repeat == 0xFD ? 2 : 1};
  options.max_n = options.min_n + std::size_t(how >> 4 & 3);
  const std::array widths{Encoding::ascii, Encoding::ucs1, Encoding::ucs2, Encoding::ucs4};

  std::set<std::string> stop;
  if (has_stop)
    for (const auto& word : plain_words({input.characters(Encoding::ucs1), Encoding::ucs1}, lowercase)) stop.insert(word);
  std::optional<std::vector<std::string>> given;
  if (is_given) {
    const auto found = plain_words({input.characters(Encoding::ucs2), Encoding::ucs2}, lowercase);
    const std::set<std::string> different(found.begin(), found.end());
    given.emplace(different.rbegin(), different.rend());
    if ((more & 16) != 0) given->insert(given->begin(), "");
    if (given->empty()) given.reset();
  }
  std::vector<Document> documents;
  while (!input.is_empty()) {
    const Encoding encoding = widths[input.byte() & 3];
    auto characters = input.characters(encoding);
    // A text beyond the piece that is scanned at once, now and then.
    if (repeat == 0xFE && options.max_n == 1 && documents.empty() && !characters.empty()) {
      const std::size_t length = characters.size();
      for (std::size_t i = length; i < 33'000; ++i) characters.push_back(characters[i - length]);
    }
    documents.emplace_back(std::move(characters), encoding);
  }
  vitalfew::Monitor monitor;
  vitalfew::WordRows rows(options, table_of({stop.begin(), stop.end()}), given ? table_of(*given) : nullptr);
  const vitalfew::Alphabet known{alphabet().is_word, alphabet().lower};
  std::vector<vitalfew::Text> texts;
  std::vector<std::set<std::string>> expected;
  for (const auto& document : documents) {
    texts.push_back(document.text());
    expected.push_back(plain_grams(plain_words(document, lowercase), stop, options.min_n, options.max_n));
  }
  const std::size_t first = texts.empty() ? 0 : (more & 15) % (texts.size() + 1);  // in two batches
  rows.add(std::span(texts).first(first), known, monitor);
  rows.add(std::span(texts).subspan(first), known, monitor);
  rows.merge(monitor);
  compare(rows, expected, given, more >> 5);
  return 0;
}
