// Growth of classification trees on binned data, as in C4.5 (Quinlan, 1993); the formulas of gain and split information are in
// vitalfew/tree.hpp. Splits are found from sums of weights by bin and class. The sums of large nodes are kept, and those of the
// largest child are the parent's minus those of its siblings. Large nodes are searched in parallel by feature (the trunk); the
// subtrees below them are grown in parallel, each by one thread. O(n d) for a level of large nodes.
#include <algorithm>
#include <atomic>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "tree/tree_parts.hpp"
#include "tree/tree_rows.hpp"
#include "tree/tree_search.hpp"
#include "vitalfew/checks.hpp"
#include "vitalfew/parallel.hpp"
#include "vitalfew/tree.hpp"

namespace vitalfew {
namespace {

// Codes (rows x features) of a node from which its features are divided among threads; smaller nodes are grown, with all that is
// below them, by one thread.
constexpr std::size_t codes_worth_threads = std::size_t(1) << 17;
// Sums by bin are kept, so that those of the largest child follow by subtraction, if there are at least this many codes for each
// sum.
constexpr std::size_t codes_for_each_sum = 2;

// Heap order: the node with the largest gain first; ties go to the one created first. Without a limit on leaves the order does
// not matter, and the newest node is first, as its rows are in the cache.
struct ByRank {
  bool is_limited;
  template <class Open>
  bool operator()(const Open& a, const Open& b) const {
    if (!is_limited) return a.node < b.node;
    return a.split.how.bits != b.split.how.bits ? a.split.how.bits < b.split.how.bits : a.node > b.node;
  }
};

template <class Code, class Cell>
class Grower {
 public:
  using Open = OpenNode<Code, Cell>;

  Grower(const BinnedColumns<Code>& table, const TreeOptions& options, Monitor& monitor)
      : table_(table),
        features_(table.features),
        options_(options),
        monitor_(monitor),
        d_(features_.n_features()),
        k_(options.n_classes),
        by_worth_(d_),
        search_(k_, options.min_leaf, table.n_rows) {
    for (std::size_t j = 0; j < d_; ++j) most_bins_ = std::max(most_bins_, features_.n_bins(j));
    std::iota(by_worth_.begin(), by_worth_.end(), std::size_t(0));
  }

  // Grows the tree: the trunk, then the subtrees, the largest first, which are attached in a fixed order.
  Part run(NodeRows&& rows) {
    Part trunk;
    std::vector<Open> open = start(std::move(rows), trunk);
    grow_trunk(open, trunk);
    std::stable_sort(open.begin(), open.end(), [](const Open& a, const Open& b) { return a.rows.size() > b.rows.size(); });
    std::vector<Part> part(open.size());
    std::vector<std::size_t> place(open.size());
    for (std::size_t t = 0; t < open.size(); ++t) place[t] = open[t].node;
    std::atomic<std::size_t> done{0};
    parallel_blocks(open.size(), options_.threads, monitor_, [&](std::size_t t) {
      const std::size_t own = open[t].rows.size();
      part[t] = grow_below(std::move(open[t]));
      done += own;
      monitor_.report(double(done.load()));
    });
    for (std::size_t t = 0; t < part.size(); ++t) attach(part[t], place[t], trunk);
    return trunk;
  }

 private:
  // The children of one node, which are searched together: the sums of the largest are the parent's minus those of the others.
  struct Siblings {
    std::vector<Open> child;
    std::vector<Cell> cells;  // sums of the parent
    std::size_t largest = 0;
    bool subtracts = false;
    std::vector<std::vector<SplitCandidate>> found;  // by child and feature; empty for a child that cannot be split
  };
  struct Scratch {
    std::vector<Cell> cell, room;
    TouchedBins touched;
    std::vector<std::uint32_t> present;
    Scratch(std::size_t bins, std::size_t k) : cell((bins + 1) * k), touched(bins + 1) {}
  };

  bool keeps_cells(const Open& open) const {
    if constexpr (!std::is_integral_v<Cell>) return false;  // differences of fractions are not exact
    return open.rows.size() * d_ >= codes_for_each_sum * features_.n_slots() * k_;
  }
  bool may_split(const Open& open) const {
    return search_.is_splittable(open.sums()) && (options_.max_depth == 0 || std::size_t(open.depth) < options_.max_depth);
  }

  // Finds the largest child, and allocates sums and candidates for the children that may be split.
  Siblings prepare(std::vector<Open>&& child, std::vector<Cell>&& cells) const {
    Siblings out{std::move(child), std::move(cells), 0, false, {}};
    out.found.resize(out.child.size());
    for (std::size_t c = 0; c < out.child.size(); ++c) {
      if (out.child[c].rows.size() > out.child[out.largest].rows.size()) out.largest = c;
      if (!may_split(out.child[c])) continue;
      out.found[c].resize(d_);
      if (keeps_cells(out.child[c])) out.child[c].cells.assign(features_.n_slots() * k_, Cell(0));
    }
    out.subtracts = !out.cells.empty() && !out.child[out.largest].cells.empty();
    return out;
  }

  // Adds the weights of rows to the sums of their bins, and calls touch(bin) for each row.
  template <class Touch>
  static void count(const Code* x, const NodeRows& rows, std::size_t k, Cell* cell, Touch&& touch) {
    const std::size_t n = rows.size();
    const auto add = [&](std::size_t i, Cell weight) {
      const std::size_t code = x[rows.row[i]];
      touch(code);
      cell[code * k + rows.label[i]] += weight;
    };
    if (rows.weight.empty())
      for (std::size_t i = 0; i < n; ++i) add(i, Cell(1));
    else
      for (std::size_t i = 0; i < n; ++i) add(i, Cell(rows.weight[i]));
  }

  // Finds the best split by feature j of every child. With subtraction, `rest` starts as the parent's sums and ends as those of
  // the largest child.
  void search(Siblings& all, std::size_t j, Scratch& scratch) const {
    const std::size_t first = features_.first(j) * k_, size = (features_.n_bins(j) + 1) * k_;
    Cell* const rest = all.cells.empty() ? nullptr : all.cells.data() + first;
    for (std::size_t c = 0; c < all.child.size(); ++c) {
      if (all.subtracts && c == all.largest) continue;
      Open& open = all.child[c];
      const Code* const x = open.block->column(j);
      if (!open.cells.empty()) {
        Cell* const own = open.cells.data() + first;
        count(x, open.rows, k_, own, [](std::size_t) {});
        if (all.subtracts)
          for (std::size_t s = 0; s < size; ++s) rest[s] -= own[s];
        all.found[c][j] = search_cells(own, j, open, scratch);
        continue;
      }
      if (all.subtracts)
        for (std::size_t i = 0; i < open.rows.size(); ++i) rest[x[open.rows.row[i]] * k_ + open.rows.label[i]] -= Cell(1);
      if (!all.found[c].empty()) all.found[c][j] = search_rows(x, j, open, scratch);
    }
    if (all.subtracts) all.found[all.largest][j] = search_cells(rest, j, all.child[all.largest], scratch);
  }

  // Best split from kept sums; bins that no row has are skipped.
  SplitCandidate search_cells(const Cell* cell, std::size_t j, const Open& open, Scratch& scratch) const {
    scratch.present.clear();
    for (std::size_t code = 0; code <= features_.n_bins(j); ++code) {
      const Cell* const own = cell + code * k_;
      if (std::any_of(own, own + k_, [](Cell w) { return w > 0; })) scratch.present.push_back(std::uint32_t(code));
    }
    return search_.best({cell, scratch.present, features_.n_bins(j)}, features_.is_category[j], open.sums(), scratch.room);
  }

  // Best split of a small node, from its rows: only the bins that occur are visited and cleared.
  SplitCandidate search_rows(const Code* x, std::size_t j, const Open& open, Scratch& scratch) const {
    count(x, open.rows, k_, scratch.cell.data(), [&](std::size_t code) { scratch.touched.add(code); });
    scratch.touched.drain(features_.n_bins(j) + 1, scratch.present);
    const BinSums<Cell> bins{scratch.cell.data(), scratch.present, features_.n_bins(j)};
    const SplitCandidate found = search_.best(bins, features_.is_category[j], open.sums(), scratch.room);
    for (const std::uint32_t code : scratch.present) std::fill_n(scratch.cell.data() + code * k_, k_, Cell(0));
    return found;
  }

  // Chooses among the features whose gain is at least the average the one with the highest gain ratio. Ties are common in small
  // nodes; they go to the feature with the highest gain over all rows, which is least due to chance.
  NodeSplit choose(const std::vector<SplitCandidate>& found) const {
    double sum = 0, best = 0;
    std::size_t count = 0;
    for (const SplitCandidate& c : found)
      if (c.bits > 0) {
        sum += c.bits;
        ++count;
      }
    const bool is_ratio = options_.criterion == SplitCriterion::gain_ratio;
    const double least = is_ratio && count > 0 ? sum / double(count) * (1 - 1e-9) : 0;
    NodeSplit split;
    for (const std::size_t j : by_worth_) {
      if (!(found[j].bits > 0) || found[j].bits < least) continue;
      const double merit = is_ratio ? found[j].bits / found[j].info : found[j].bits;
      if (merit > best * (1 + 1e-12)) {
        best = merit;
        split = {std::int32_t(j), found[j]};
      }
    }
    return split;
  }

  // Chooses the splits of the children, adds the children to a part of the tree, and appends those with a split to `out`.
  void settle(Siblings& all, Part& part, std::vector<Open>& out) const {
    if (all.subtracts) all.child[all.largest].cells = std::move(all.cells);
    for (std::size_t c = 0; c < all.child.size(); ++c) {
      Open& child = all.child[c];
      if (!all.found[c].empty()) child.split = choose(all.found[c]);
      child.node = part.add(child);
      if (child.split.feature >= 0) out.push_back(std::move(child));
    }
  }

  // Distributes the rows of a node to its children, and frees its own.
  std::vector<Open> children(Open& open, Part& part) const {
    auto found = deal_rows(open, features_, k_);
    part.node[open.node].n_children = std::int32_t(found.size());
    open.rows = {};
    return found;
  }

  // Searches the root. Its gains also give the order of features that breaks ties.
  std::vector<Open> start(NodeRows&& rows, Part& trunk) {
    std::vector<Open> root(1);
    root[0].block = std::make_shared<CodeBlock<Code>>(CodeBlock<Code>{{}, table_.code.data(), table_.n_rows});
    root[0].rows = std::move(rows);
    root[0].sum_classes(k_);
    std::vector<Siblings> all;
    all.push_back(prepare(std::move(root), {}));
    search_together(all);
    const std::vector<SplitCandidate>& found = all[0].found[0];
    if (!found.empty())
      std::stable_sort(by_worth_.begin(), by_worth_.end(),
                       [&](std::size_t a, std::size_t b) { return found[a].bits > found[b].bits; });
    std::vector<Open> open;
    settle(all[0], trunk, open);
    return open;
  }

  // Searches several families of siblings in parallel, one item for each family and feature.
  void search_together(std::vector<Siblings>& all) {
    const std::size_t items = all.size() * d_;
    const std::size_t blocks = std::min<std::size_t>(items, 64);
    parallel_blocks(blocks, options_.threads, monitor_, [&](std::size_t b) {
      Scratch scratch(most_bins_, k_);
      for (std::size_t i = items * b / blocks; i < items * (b + 1) / blocks; ++i) search(all[i / d_], i % d_, scratch);
    });
  }

  // Splits large nodes: all at a time or, with a limit on leaves, the best one at a time. Small nodes stay in `open`.
  void grow_trunk(std::vector<Open>& open, Part& trunk) {
    const ByRank by_rank{options_.max_leaves > 0};
    std::size_t leaves = 1;
    for (;;) {
      const auto large = std::stable_partition(open.begin(), open.end(),
                                               [&](const Open& o) { return o.rows.size() * d_ < codes_worth_threads; });
      std::vector<Open> batch(std::make_move_iterator(large), std::make_move_iterator(open.end()));
      open.erase(large, open.end());
      if (batch.empty()) return;
      if (options_.max_leaves > 0) {
        if (leaves >= options_.max_leaves) return;
        const auto best = std::max_element(batch.begin(), batch.end(), by_rank);
        std::iter_swap(best, batch.begin());
        for (std::size_t b = 1; b < batch.size(); ++b) open.push_back(std::move(batch[b]));
        batch.resize(1);
      }
      std::vector<Siblings> all;
      all.reserve(batch.size());
      for (Open& node : batch) all.push_back(prepare(children(node, trunk), std::move(node.cells)));
      search_together(all);
      for (std::size_t b = 0; b < batch.size(); ++b) {
        trunk.node[batch[b].node].first_child = trunk.node.size();
        leaves += all[b].child.size() - 1;
        settle(all[b], trunk, open);
      }
    }
  }

  // Grows the subtree of a node, which becomes its first node.
  Part grow_below(Open&& root) const {
    Part part;
    Scratch scratch(most_bins_, k_);
    const ByRank by_rank{options_.max_leaves > 0};
    std::vector<Open> open;
    root.node = part.add(root);
    std::size_t leaves = 1;
    open.push_back(std::move(root));
    while (!open.empty() && (options_.max_leaves == 0 || leaves < options_.max_leaves)) {
      std::pop_heap(open.begin(), open.end(), by_rank);
      Open node = std::move(open.back());
      open.pop_back();
      bring_together(node, d_);
      Siblings all = prepare(children(node, part), std::move(node.cells));
      for (std::size_t j = 0; j < d_; ++j) search(all, j, scratch);
      part.node[node.node].first_child = part.node.size();
      leaves += all.child.size() - 1;
      const std::size_t before = open.size();
      settle(all, part, open);
      for (std::size_t i = before; i < open.size(); ++i)
        std::push_heap(open.begin(), open.begin() + std::ptrdiff_t(i) + 1, by_rank);
      monitor_.check();
    }
    return part;
  }

  // Appends a subtree to the trunk; its first node replaces node `place`.
  void attach(const Part& part, std::size_t place, Part& trunk) const {
    const std::size_t shift = trunk.node.size() - 1;  // the first node of the part is in the trunk already
    for (std::size_t v = 0; v < part.node.size(); ++v) {
      Node node = part.node[v];
      node.first_child += shift;
      if (v == 0)
        trunk.node[place] = node;
      else
        trunk.node.push_back(node);
    }
    trunk.weight.insert(trunk.weight.end(), part.weight.begin() + std::ptrdiff_t(k_), part.weight.end());
  }

  const BinnedColumns<Code>& table_;
  const BinFeatures& features_;
  const TreeOptions& options_;
  Monitor& monitor_;
  std::size_t d_, k_, most_bins_ = 0;
  std::vector<std::size_t> by_worth_;  // features in order of decreasing gain over all rows
  SplitSearch<Cell> search_;
};

template <class Code>
void check(const BinnedColumns<Code>& table, std::span<const std::int32_t> label, std::span<const double> weight,
           const TreeOptions& options) {
  table.validate();
  if (table.n_rows == 0 || options.n_classes < 1 || options.n_classes > 65535)
    throw std::invalid_argument("tree: expected at least one row and between 1 and 65535 classes");
  if (table.n_rows > std::size_t(std::numeric_limits<std::int32_t>::max())) throw std::invalid_argument("tree: too many rows");
  if (label.size() != table.n_rows || (!weight.empty() && weight.size() != table.n_rows))
    throw std::invalid_argument("tree: labels and weights must have one entry per row");
  if (!(options.min_leaf > 0)) throw std::invalid_argument("tree: min_leaf must be positive");
  if (!are_labels(label, options.n_classes)) throw std::invalid_argument("tree: labels must be in [0, n_classes)");
  if (!are_weights(weight)) throw std::invalid_argument("tree: weights must be finite and not negative");
}

template <class Code>
bool has_missing(const BinnedColumns<Code>& table) {
  for (std::size_t j = 0; j < table.features.n_features(); ++j) {
    const Code* const x = table.column(j);
    if (std::size_t(*std::max_element(x, x + table.n_rows)) == table.features.n_bins(j)) return true;
  }
  return false;
}

// Rows of nonzero weight.
NodeRows all_rows(std::size_t n, std::span<const std::int32_t> label, std::span<const double> weight, bool is_weighted) {
  NodeRows rows;
  rows.reserve(n, is_weighted);
  for (std::size_t i = 0; i < n; ++i) {
    if (!weight.empty() && weight[i] == 0) continue;
    rows.row.push_back(std::uint32_t(i));
    rows.label.push_back(std::uint16_t(label[i]));
    if (is_weighted) rows.weight.push_back(weight.empty() ? 1.0 : weight[i]);
  }
  if (rows.size() == 0) throw std::invalid_argument("tree: all weights are zero");
  return rows;
}

}  // namespace

template <class Code>
GrownTree grow_tree(const BinnedColumns<Code>& table, std::span<const std::int32_t> label, std::span<const double> weight,
                    const TreeOptions& options, Monitor& monitor) {
  check(table, label, weight, options);
  // Rows with missing values are split into fractions, so they need weights.
  const bool is_weighted = !weight.empty() || has_missing(table);
  NodeRows rows = all_rows(table.n_rows, label, weight, is_weighted);
  if (is_weighted) return in_order(Grower<Code, double>(table, options, monitor).run(std::move(rows)), options);
  return in_order(Grower<Code, std::uint32_t>(table, options, monitor).run(std::move(rows)), options);
}

template GrownTree grow_tree(const BinnedColumns<std::uint8_t>&, std::span<const std::int32_t>, std::span<const double>,
                             const TreeOptions&, Monitor&);
template GrownTree grow_tree(const BinnedColumns<std::uint16_t>&, std::span<const std::int32_t>, std::span<const double>,
                             const TreeOptions&, Monitor&);

}  // namespace vitalfew
