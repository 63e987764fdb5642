// The rows of a node of a growing tree, and their distribution to the branches of a split. O(rows of the node).
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "tree/tree_search.hpp"

namespace vitalfew {

// Codes of some rows, column by column. Those of a small node are copied, so that they are contiguous in memory.
template <class Code>
struct CodeBlock {
  std::vector<Code> own;
  const Code* code;
  std::size_t n_rows;

  const Code* column(std::size_t j) const { return code + j * n_rows; }
};

// Rows of a block in increasing order, with their labels and weights; no weights if all are 1.
struct NodeRows {
  std::vector<std::uint32_t> row;
  std::vector<std::uint16_t> label;
  std::vector<double> weight;

  std::size_t size() const { return row.size(); }
  void reserve(std::size_t n, bool is_weighted) {
    row.reserve(n);
    label.reserve(n);
    if (is_weighted) weight.reserve(n);
  }
  void add(const NodeRows& from, std::size_t i, double share) {
    row.push_back(from.row[i]);
    label.push_back(from.label[i]);
    if (!from.weight.empty()) weight.push_back(from.weight[i] * share);
  }
};

struct NodeSplit {
  std::int32_t feature = -1;
  SplitCandidate how;
};

// A node that may still be split.
template <class Code, class Cell>
struct OpenNode {
  std::size_t node = 0;
  std::int32_t depth = 0;
  std::int32_t branch = 0;
  std::shared_ptr<const CodeBlock<Code>> block;
  NodeRows rows;
  std::vector<Cell> by_class;
  std::vector<Cell> cells;  // sums by slot and class of a large node, otherwise empty
  double total = 0;
  NodeSplit split;

  NodeSums<Cell> sums() const { return {by_class.data(), total}; }

  void sum_classes(std::size_t n_classes) {
    by_class.assign(n_classes, Cell(0));
    for (std::size_t i = 0; i < rows.size(); ++i) by_class[rows.label[i]] += rows.weight.empty() ? Cell(1) : Cell(rows.weight[i]);
    total = 0;
    for (const Cell w : by_class) total += double(w);
  }
};

// Copies the codes of a node's rows if they are a small part of a block that does not fit into the first-level cache.
template <class Code, class Cell>
void bring_together(OpenNode<Code, Cell>& open, std::size_t n_features) {
  constexpr std::size_t near = 32768, part = 8;
  const std::size_t n = open.rows.size();
  if (open.block->n_rows * n_features * sizeof(Code) <= near || n * part > open.block->n_rows) return;
  auto block = std::make_shared<CodeBlock<Code>>();
  block->own.resize(n * n_features);
  for (std::size_t j = 0; j < n_features; ++j) {
    const Code* const from = open.block->column(j);
    Code* const to = block->own.data() + j * n;
    for (std::size_t i = 0; i < n; ++i) to[i] = from[open.rows.row[i]];
  }
  block->code = block->own.data();
  block->n_rows = n;
  open.block = std::move(block);
  std::iota(open.rows.row.begin(), open.rows.row.end(), 0u);
}

// The branch of each row, -1 if its value is missing, and the codes that lead to the branches.
struct Branches {
  std::vector<std::int32_t> of_row;
  std::vector<std::int32_t> code;
};

// A cut has two branches; a category has one for each code that occurs among the rows, in increasing order.
template <class Code>
Branches branches_of(const Code* x, const NodeRows& rows, const NodeSplit& split, bool is_category, std::size_t missing) {
  const std::size_t n = rows.size();
  Branches found{std::vector<std::int32_t>(n), {0, 1}};
  if (!is_category) {
    const auto cut = std::uint32_t(split.how.cut);
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint32_t code = x[rows.row[i]];
      found.of_row[i] = code == missing ? -1 : std::int32_t(code >= cut);
    }
    return found;
  }
  std::vector<std::int32_t> to(missing + 1, -1);
  for (std::size_t i = 0; i < n; ++i) to[x[rows.row[i]]] = 0;
  to[missing] = -1;
  found.code.clear();
  for (std::size_t c = 0; c < missing; ++c)
    if (to[c] == 0) {
      to[c] = std::int32_t(found.code.size());
      found.code.push_back(std::int32_t(c));
    }
  for (std::size_t i = 0; i < n; ++i) found.of_row[i] = to[x[rows.row[i]]];
  return found;
}

// Returns the children of a split node. Rows whose value is missing go to all of them, with weights in proportion to the
// children's known weight (Quinlan, 1993).
template <class Code, class Cell>
std::vector<OpenNode<Code, Cell>> deal_rows(const OpenNode<Code, Cell>& open, const BinFeatures& features,
                                            std::size_t n_classes) {
  const auto j = std::size_t(open.split.feature);
  const NodeRows& rows = open.rows;
  const Branches branches = branches_of(open.block->column(j), rows, open.split, features.is_category[j], features.n_bins(j));
  const std::size_t n_branches = branches.code.size();
  // 1. Weight of the known rows by branch.
  std::vector<double> share(n_branches);
  std::vector<std::size_t> count(n_branches);
  std::size_t lost = 0;
  double known = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::int32_t b = branches.of_row[i];
    if (b < 0) {
      ++lost;
      continue;
    }
    const double w = rows.weight.empty() ? 1.0 : rows.weight[i];
    ++count[std::size_t(b)];
    share[std::size_t(b)] += w;
    known += w;
  }
  for (double& s : share) s /= known;
  // 2. The children, which share the parent's block of codes.
  std::vector<OpenNode<Code, Cell>> children(n_branches);
  for (std::size_t b = 0; b < n_branches; ++b) {
    children[b].block = open.block;
    children[b].depth = open.depth + 1;
    children[b].branch = branches.code[b];
    children[b].rows.reserve(count[b] + lost, !rows.weight.empty());
  }
  // 3. The rows in order, so that each child's rows stay sorted.
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::int32_t own = branches.of_row[i];
    if (own >= 0)
      children[std::size_t(own)].rows.add(rows, i, 1.0);
    else
      for (std::size_t b = 0; b < n_branches; ++b) children[b].rows.add(rows, i, share[b]);
  }
  for (auto& child : children) child.sum_classes(n_classes);
  return children;
}

}  // namespace vitalfew
