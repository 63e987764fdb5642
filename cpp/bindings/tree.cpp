// Bindings of classification trees: growth, prediction and pruning.
#include "vitalfew/tree.hpp"

#include "bins_view.hpp"

namespace vitalfew::bindings {
namespace {

struct TreeRequest {
  TreeOptions options;
  nb::object progress;
};

// The arrays of a tree, kept alive while the tree is in use.
struct TreeArrays {
  Vector<std::int32_t> feature, cut, parent, first_child, n_children, branch, opened;
  Vector<double> share;
  Matrix<double> value;

  TreeView view_all() const {
    return {view(feature), view(cut),    view(parent), view(first_child), view(n_children),
            view(branch),  view(opened), view(share),  view(value),       value.shape(1)};
  }
};

template <class Code>
void bind_code(nb::module_& m) {
  m.def(
      "grow_tree",
      [](const CodeColumns<Code>& codes, const Vector<std::int64_t>& offset, const Vector<std::uint8_t>& is_category,
         const Vector<std::int32_t>& label, const std::optional<Vector<double>>& weight, const TreeRequest& request) {
        PythonMonitor monitor(request.progress);
        const auto table = binned_of(codes, features_of(offset, is_category));
        return without_gil([&] { return grow_tree(table, view(label), view(weight), request.options, monitor); });
      },
      "codes"_a.noconvert(), "offset"_a.noconvert(), "is_category"_a.noconvert(), "label"_a.noconvert(),
      "weight"_a.noconvert().none(), "request"_a, "A whole classification tree on dense bins.");
  m.def(
      "tree_probabilities",
      [](const CodeColumns<Code>& codes, const Vector<std::int64_t>& offset, const Vector<std::uint8_t>& is_category,
         const TreeArrays& tree, std::int32_t point, int threads) {
        PythonMonitor monitor;
        const auto table = binned_of(codes, features_of(offset, is_category));
        const std::size_t rows = table.n_rows, n_classes = tree.value.shape(1);
        return give(without_gil([&] { return tree_probabilities(table, tree.view_all(), point, threads, monitor); }),
                    {rows, n_classes});
      },
      "codes"_a.noconvert(), "offset"_a.noconvert(), "is_category"_a.noconvert(), "tree"_a, "point"_a, "threads"_a = 0,
      "Class probabilities of rows by the tree at one point of its path.");
  m.def(
      "tree_path_errors",
      [](const CodeColumns<Code>& codes, const Vector<std::int64_t>& offset, const Vector<std::uint8_t>& is_category,
         const TreeArrays& tree, std::size_t n_points, const Vector<std::int32_t>& label,
         const std::optional<Vector<double>>& weight, int threads) {
        PythonMonitor monitor;
        const auto table = binned_of(codes, features_of(offset, is_category));
        return without_gil(
            [&] { return tree_path_errors(table, tree.view_all(), n_points, view(label), view(weight), threads, monitor); });
      },
      "codes"_a.noconvert(), "offset"_a.noconvert(), "is_category"_a.noconvert(), "tree"_a, "n_points"_a, "label"_a.noconvert(),
      "weight"_a.noconvert().none(), "threads"_a = 0,
      "Sums of the weights, and of their squares, of the rows that the tree misclassifies at each point of its path.");
}

void bind_results(nb::module_& m) {
  ResultClass<GrownTree>(m, "GrownTree", "Nodes of a tree in the order in which they were created.")
      .vector("feature", &GrownTree::feature)
      .vector("cut", &GrownTree::cut)
      .vector("parent", &GrownTree::parent)
      .vector("first_child", &GrownTree::first_child)
      .vector("n_children", &GrownTree::n_children)
      .vector("depth", &GrownTree::depth)
      .vector("branch", &GrownTree::branch)
      .vector("choices", &GrownTree::choices)
      .array("weight", &GrownTree::weight,
             [](const GrownTree& self) { return std::array{self.feature.size(), self.weight.size() / self.feature.size()}; })
      .vector("gain", &GrownTree::gain);
  ResultClass<PathErrors>(m, "PathErrors", "Sums of the weights, and of their squares, of misclassified rows at each point.")
      .vector("weight", &PathErrors::weight)
      .vector("square", &PathErrors::square);
}

}  // namespace

void bind_tree(nb::module_& m) {
  bind_results(m);
  nb::enum_<SplitCriterion>(m, "SplitCriterion")
      .value("gain_ratio", SplitCriterion::gain_ratio)
      .value("gain", SplitCriterion::gain);
  nb::class_<TreeRequest>(m, "TreeRequest", "Settings for growing a tree.")
      .def(
          "__init__",
          [](TreeRequest* self, std::size_t n_classes, double min_leaf, std::size_t max_leaves, std::size_t max_depth,
             SplitCriterion criterion, int threads, nb::object progress) {
            new (self) TreeRequest{{n_classes, min_leaf, max_leaves, max_depth, criterion, threads}, std::move(progress)};
          },
          nb::kw_only(), "n_classes"_a, "min_leaf"_a = 2.0, "max_leaves"_a = 0, "max_depth"_a = 0,
          "criterion"_a = SplitCriterion::gain_ratio, "threads"_a = 0, "progress"_a.none() = nb::none());
  nb::class_<TreeArrays>(m, "TreeArrays",
                         "A tree for prediction; `opened` is the first point of a path at which each node is split.")
      .def(
          "__init__",
          [](TreeArrays* self, const Vector<std::int32_t>& feature, const Vector<std::int32_t>& cut,
             const Vector<std::int32_t>& parent, const Vector<std::int32_t>& first_child, const Vector<std::int32_t>& n_children,
             const Vector<std::int32_t>& branch, const Vector<std::int32_t>& opened, const Vector<double>& share,
             const Matrix<double>& value) {
            new (self) TreeArrays{feature, cut, parent, first_child, n_children, branch, opened, share, value};
          },
          "feature"_a.noconvert(), "cut"_a.noconvert(), "parent"_a.noconvert(), "first_child"_a.noconvert(),
          "n_children"_a.noconvert(), "branch"_a.noconvert(), "opened"_a.noconvert(), "share"_a.noconvert(),
          "value"_a.noconvert());
  bind_code<std::uint8_t>(m);
  bind_code<std::uint16_t>(m);
  m.def(
      "weakest_links",
      [](const Vector<std::int32_t>& parent, const Vector<std::int32_t>& first_child, const Vector<std::int32_t>& n_children,
         const Vector<double>& cost, const Vector<double>& complexity, const Vector<double>& split) {
        return give(without_gil([&] {
          return weakest_links(view(parent), view(first_child), view(n_children), view(cost), view(complexity), view(split));
        }));
      },
      "parent"_a.noconvert(), "first_child"_a.noconvert(), "n_children"_a.noconvert(), "cost"_a.noconvert(),
      "complexity"_a.noconvert(), "split"_a.noconvert(),
      "Smallest weight of the complexity at which the split of each node is pruned.");
}

}  // namespace vitalfew::bindings
