// libFuzzer on the scanner of words alone, one document for each input: the loop that reads raw memory, 64 bytes at once.
#include "plain_words.hpp"

using namespace fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  const std::uint8_t how = input.byte();
  const Encoding encoding = Encoding(how & 3);
  const bool lowercase = (how & 4) != 0;
  const Document document(input.characters(encoding), encoding);
  const vitalfew::Alphabet known{alphabet().is_word, alphabet().lower};
  static vitalfew::Words words;  // as a thread of the core does: the vectors only grow
  std::vector<std::string> found;
  for (std::size_t from = 0; from < document.characters.size();) {
    const std::size_t end = scan_words(document.text(), from, known, lowercase, words);
    require(end > from && end <= document.characters.size());
    from = end;
    for (const auto& range : words.ranges()) found.emplace_back(words.text.data() + range.begin, range.end - range.begin);
  }
  require(found == plain_words(document, lowercase));
  return 0;
}
