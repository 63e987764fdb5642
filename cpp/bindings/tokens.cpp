// Bindings of the word matrix. Strings are read in place, without the GIL, from Python's own buffers.
#include "vitalfew/tokens.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>

#include <algorithm>

#include "views.hpp"
#include "vitalfew/checks.hpp"
#include "vitalfew/parallel.hpp"

namespace vitalfew::bindings {
namespace {

constexpr std::uint32_t n_characters = 0x110000;
// The only two characters that Python does not lower-case one by one: the lower case of Σ depends on its neighbors, and that of
// İ has two characters.
constexpr std::uint32_t sigma = 0x3A3, dotted_i = 0x130;

struct AlphabetTables {
  std::vector<std::uint64_t> is_word = std::vector<std::uint64_t>(n_characters / 64);
  std::vector<std::uint32_t> lower;

  AlphabetTables() {
    std::vector<std::uint32_t> lower_case(n_characters);
    std::uint32_t cased = 0;
    for (std::uint32_t c = 0; c < n_characters; ++c) {
      if (c == '_' || Py_UNICODE_ISALNUM(c)) is_word[c / 64] |= std::uint64_t{1} << (c % 64);
      lower_case[c] = Py_UNICODE_TOLOWER(c);
      if (lower_case[c] != c) cased = c + 1;
    }
    lower.assign(lower_case.begin(), lower_case.begin() + cased);
  }
};

// Python's character tables, copied when the first character beyond ASCII occurs, since the kernel cannot call Python.
Alphabet python_alphabet() {
  static const AlphabetTables tables;
  return {tables.is_word, tables.lower};
}

template <class Character>
bool has_special_case(const void* data, std::size_t length) {
  const auto* characters = static_cast<const Character*>(data);
  bool found = false;
  for (std::size_t i = 0; i < length; ++i) found |= characters[i] == sigma || characters[i] == dotted_i;
  return found;
}

// The documents of one call, and the objects that keep their memory alive while the GIL is released.
class Documents {
 public:
  Documents(std::size_t n, bool lowercase) : lowercase_(lowercase) { text_.reserve(n); }

  std::span<const Text> texts() const { return text_; }
  Alphabet alphabet() const { return has_wide_ ? python_alphabet() : Alphabet{}; }

  void push_ascii(const char* data, std::size_t length) { text_.push_back({data, length, Encoding::ascii}); }
  // The caller keeps the string alive.
  void push(PyObject* string) {
    if (PyUnicode_IS_ASCII(string))
      push_ascii(static_cast<const char*>(PyUnicode_DATA(string)), std::size_t(PyUnicode_GET_LENGTH(string)));
    else
      push_wide(string);
  }
  void push_owned(nb::object string) {
    owned_.push_back(std::move(string));
    push(owned_.back().ptr());
  }

 private:
  void push_wide(PyObject* string) {
    has_wide_ = true;
    Text text = text_of(string);
    if (lowercase_ && needs_python(text)) {
      const nb::object lower = nb::handle(reinterpret_cast<PyObject*>(&PyUnicode_Type)).attr("lower")(nb::handle(string));
      owned_.push_back(lower);
      text = text_of(lower.ptr());
    }
    text_.push_back(text);
  }
  static Text text_of(PyObject* string) {
    const auto kind = PyUnicode_KIND(string);
    const Encoding encoding = kind == PyUnicode_1BYTE_KIND   ? Encoding::ucs1
                              : kind == PyUnicode_2BYTE_KIND ? Encoding::ucs2
                                                             : Encoding::ucs4;
    return {PyUnicode_DATA(string), std::size_t(PyUnicode_GET_LENGTH(string)), encoding};
  }
  static bool needs_python(const Text& text) {
    if (text.encoding == Encoding::ucs2) return has_special_case<Py_UCS2>(text.data, text.length);
    return text.encoding == Encoding::ucs4 && has_special_case<Py_UCS4>(text.data, text.length);
  }

  bool lowercase_, has_wide_ = false;
  std::vector<Text> text_;
  std::vector<nb::object> owned_;
};

bool is_ascii(const std::uint8_t* bytes, std::size_t n) {
  std::uint8_t any = 0;
  for (std::size_t i = 0; i < n; ++i) any |= bytes[i];
  return any < 0x80;
}

// WordRows with the options that the bindings need, and its state: calls in the wrong order are refused.
struct BoundRows {
  bool lowercase, keep_rows, is_learned;
  int threads;
  WordRows rows;
  bool is_whole = true, is_merged = false;

  void add(const Documents& documents, nb::object progress) {
    require_whole();
    PythonMonitor monitor(std::move(progress));
    const Alphabet alphabet = documents.alphabet();
    const nb::gil_scoped_release released;
    is_whole = is_merged = false;  // stays so after an exception, when only some documents have been read
    rows.add(documents.texts(), alphabet, monitor);
    is_whole = true;
  }
  void merge() {
    require_whole();
    PythonMonitor monitor;
    const nb::gil_scoped_release released;
    is_merged = false;
    rows.merge(monitor);
    is_merged = true;
  }
  void require_whole() const {
    if (!is_whole) throw std::invalid_argument("words: reading was interrupted; start again");
  }
  void require_merged() const {
    if (!is_merged) throw std::invalid_argument("words: call merge() after the last documents and before words() and rows()");
  }
};

// Adds Python strings. A private tuple holds references to them, so that they stay alive while the kernel reads. Returns the
// position of the first item that is not a string, otherwise -1.
std::ptrdiff_t add_strings(BoundRows& self, const nb::object& strings, nb::object progress) {
  const nb::tuple held(strings);
  Documents documents(held.size(), self.lowercase);
  for (std::size_t i = 0; i < held.size(); ++i) {
    PyObject* const item = PyTuple_GET_ITEM(held.ptr(), Py_ssize_t(i));
    if (!PyUnicode_Check(item)) return std::ptrdiff_t(i);
#if PY_VERSION_HEX < 0x030C0000
    if (PyUnicode_READY(item) < 0) throw nb::python_error();
#endif
    documents.push(item);
  }
  self.add(documents, std::move(progress));
  return -1;
}

// Adds documents from a buffer of UTF-8: ASCII ones are read in place, others are decoded to Python strings.
void add_utf8(BoundRows& self, const Vector<std::uint8_t>& bytes, const Vector<std::int64_t>& start, nb::object progress) {
  const auto offsets = view(start);
  if (offsets.empty() || offsets.front() < 0 || offsets.back() > std::int64_t(bytes.size()) ||
      !std::is_sorted(offsets.begin(), offsets.end()))
    throw std::invalid_argument("strings: offsets must increase and stay within the bytes");
  std::vector<std::uint8_t> plain(offsets.size() - 1);
  {
    constexpr std::size_t per_block = 1024;
    PythonMonitor monitor;
    const nb::gil_scoped_release released;
    parallel_blocks((plain.size() + per_block - 1) / per_block, self.threads, monitor, [&](std::size_t b) {
      for (std::size_t i = b * per_block; i < std::min(plain.size(), (b + 1) * per_block); ++i)
        plain[i] = is_ascii(bytes.data() + offsets[i], std::size_t(offsets[i + 1] - offsets[i]));
    });
  }
  Documents documents(plain.size(), self.lowercase);
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const std::uint8_t* const data = bytes.data() + offsets[i];
    const auto length = std::size_t(offsets[i + 1] - offsets[i]);
    const auto* const characters = reinterpret_cast<const char*>(data);
    if (plain[i]) {
      documents.push_ascii(characters, length);
      continue;
    }
    PyObject* const decoded = PyUnicode_DecodeUTF8(characters, Py_ssize_t(length), "surrogatepass");
    if (decoded == nullptr) throw nb::python_error();
    documents.push_owned(nb::steal(decoded));
  }
  self.add(documents, std::move(progress));
}

std::pair<Output<std::uint8_t>, Output<std::int64_t>> words(const BoundRows& self, const Vector<std::int32_t>& columns) {
  self.require_merged();
  if (!self.is_learned) throw std::invalid_argument("words: a given vocabulary is not stored here");
  if (!are_labels(view(columns), self.rows.n_words())) throw std::invalid_argument("words: column out of range");
  std::vector<std::int64_t> start(columns.size() + 1);
  std::vector<std::uint8_t> bytes(self.rows.bytes_of(view(columns), start));
  PythonMonitor monitor;
  {
    const nb::gil_scoped_release released;
    self.rows.write_words(view(columns), start, {reinterpret_cast<char*>(bytes.data()), bytes.size()}, monitor);
  }
  return {give(std::move(bytes)), give(std::move(start))};
}

// Allocates an array without setting it to zero, for kernels that fill it completely.
template <class T>
Output<T> uninitialized(std::size_t n) {
  auto* const memory = new T[n];
  return Output<T>(memory, {n}, nb::capsule(memory, [](void* p) noexcept { delete[] static_cast<T*>(p); }));
}

std::pair<Output<std::int64_t>, Output<std::int32_t>> rows(const BoundRows& self, const Vector<std::int32_t>& column,
                                                           std::size_t width) {
  self.require_merged();
  if (!self.keep_rows) throw std::invalid_argument("words: rows were not stored (keep_rows is false)");
  if (column.size() != self.rows.n_words()) throw std::invalid_argument("columns must have one entry per word");
  for (const std::int32_t j : view(column))
    if (j >= 0 && std::size_t(j) >= width) throw std::invalid_argument("columns must be below the width");
  PythonMonitor monitor;
  std::vector<std::int64_t> start(self.rows.n_documents() + 1);
  {
    const nb::gil_scoped_release released;
    self.rows.write_starts(view(column), start, monitor);
  }
  auto index = uninitialized<std::int32_t>(std::size_t(start.back()));
  {
    const nb::gil_scoped_release released;
    self.rows.write_rows(view(column), start, {index.data(), index.size()}, width, monitor);
  }
  return {give(std::move(start)), index};
}

Output<double> unit_rows(const Vector<std::int64_t>& indptr, const Vector<std::int32_t>& indices, const Vector<double>& weight,
                         int threads) {
  const Pattern pattern = pattern_of(indptr, indices, weight.size());
  PythonMonitor monitor;
  auto value = uninitialized<double>(indices.size());
  {
    const nb::gil_scoped_release released;
    check_bounds(BinaryRows{pattern}, threads, monitor);
    write_unit_rows(pattern, view(weight), {value.data(), value.size()}, threads, monitor);
  }
  return value;
}

}  // namespace

void bind_tokens(nb::module_& m) {
  nb::class_<WordTable>(m, "WordTable", "Words for fast lookup; their numbers are their positions.")
      .def(
          "__init__",
          [](WordTable* self, const Vector<std::uint8_t>& bytes, const Vector<std::int64_t>& start) {
            new (self) WordTable(make_word_table({{reinterpret_cast<const char*>(bytes.data()), bytes.size()}, view(start)}));
          },
          "bytes"_a.noconvert(), "start"_a.noconvert())
      .def("__len__", &WordTable::size);
  nb::class_<BoundRows>(m, "WordRows", "Word presence by document: add documents, merge, then request words and rows.")
      .def(
          "__init__",
          [](BoundRows* self, bool lowercase, std::size_t min_n, std::size_t max_n, bool keep_rows,
             std::shared_ptr<WordTable> stop_words, std::shared_ptr<WordTable> vocabulary, int threads) {
            const bool is_learned = vocabulary == nullptr;
            new (self) BoundRows{lowercase,
                                 keep_rows,
                                 is_learned,
                                 threads,
                                 {{lowercase, min_n, max_n, keep_rows, threads}, std::move(stop_words), std::move(vocabulary)}};
          },
          "lowercase"_a, "min_n"_a, "max_n"_a, "keep_rows"_a, "stop_words"_a, "vocabulary"_a.none(), "threads"_a = 0)
      .def("add_strings", &add_strings, "strings"_a, "progress"_a.none() = nb::none(),
           "Adds a list or tuple of str; returns the position of the first item that is not a str, having added none, or -1.")
      .def("add_utf8", &add_utf8, "bytes"_a.noconvert(), "start"_a.noconvert(), "progress"_a.none() = nb::none(),
           "Adds documents bytes[start[i]:start[i + 1]] in UTF-8.")
      .def("merge", &BoundRows::merge, "Assigns columns to the words of all documents, in code point order.")
      .def_prop_ro("n_documents", [](const BoundRows& self) { return self.rows.n_documents(); })
      .def(
          "counts",
          [](const BoundRows& self) {
            const auto counts = self.rows.counts();
            return give(std::vector<std::int64_t>(counts.begin(), counts.end()));
          },
          "Number of documents that contain each word.")
      .def("words", &words, "columns"_a.noconvert(), "The words of these columns: their UTF-8 bytes, and the start of each word.")
      .def("rows", &rows, "column"_a.noconvert(), "width"_a,
           "Compressed sparse rows (indptr, indices), with column j renumbered to column[j], or dropped if that is negative.");
  m.def("unit_rows", &unit_rows, "indptr"_a.noconvert(), "indices"_a.noconvert(), "weight"_a.noconvert(), "threads"_a = 0,
        "Values weight[indices], each row divided by its Euclidean norm.");
}

}  // namespace vitalfew::bindings
