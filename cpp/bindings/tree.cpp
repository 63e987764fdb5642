// Bindings of classification trees: growth, prediction and pruning.
#include "vitalfew/tree.hpp"

#include "bins_view.hpp"

namespace vitalfew::bindings {
namespace {

struct TreeRequest {
  TreeOptions options;
  nb::object progress;
};

nb::dict arrays_of(GrownTree&& tree, std::size_t n_classes) {
  nb::dict out;
  const std::size_t nodes = tree.feature.size();
  out["feature"] = give(std::move(tree.feature));
  out["cut"] = give(std::move(tree.cut));
  out["parent"] = give(std::move(tree.parent));
  out["first_child"] = give(std::move(tree.first_child));
  out["n_children"] = give(std::move(tree.n_children));
  out["depth"] = give(std::move(tree.depth));
  out["branch"] = give(std::move(tree.branch));
  out["choices"] = give(std::move(tree.choices));
  out["weight"] = give(std::move(tree.weight), {nodes, n_classes});
  out["gain"] = give(std::move(tree.gain));
  out["order"] = give(std::move(tree.order));
  return out;
}

// The arrays of a tree, kept alive as long as it is used.
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
      "grow_tree_dense",
      [](const CodeColumns<Code>& codes, const Vector<std::int64_t>& offset, const Vector<std::uint8_t>& is_category,
         const Vector<std::int32_t>& label, const std::optional<Vector<double>>& weight, const TreeRequest& request) {
        PythonMonitor monitor(request.progress);
        const auto table = binned_of(codes, features_of(offset, is_category));
        GrownTree tree;
        {
          const nb::gil_scoped_release released;
          tree = grow_tree(table, view(label), view(weight), request.options, monitor);
        }
        return arrays_of(std::move(tree), request.options.n_classes);
      },
      "codes"_a.noconvert(), "offset"_a.noconvert(), "is_category"_a.noconvert(), "label"_a.noconvert(),
      "weight"_a.noconvert().none(), "request"_a, "A whole classification tree on dense bins.");
  m.def(
      "tree_proba_dense",
      [](const CodeColumns<Code>& codes, const Vector<std::int64_t>& offset, const Vector<std::uint8_t>& is_category,
         const TreeArrays& tree, std::int32_t point, int threads) {
        PythonMonitor monitor;
        const auto table = binned_of(codes, features_of(offset, is_category));
        const std::size_t rows = table.n_rows, n_classes = tree.value.shape(1);
        std::vector<double> found;
        {
          const nb::gil_scoped_release released;
          found = tree_probabilities(table, tree.view_all(), point, threads, monitor);
        }
        return give(std::move(found), {rows, n_classes});
      },
      "codes"_a.noconvert(), "offset"_a.noconvert(), "is_category"_a.noconvert(), "tree"_a, "point"_a, "threads"_a = 0,
      "Class probabilities of rows by the tree at one point of its path.");
  m.def(
      "tree_errors_dense",
      [](const CodeColumns<Code>& codes, const Vector<std::int64_t>& offset, const Vector<std::uint8_t>& is_category,
         const TreeArrays& tree, std::size_t n_points, const Vector<std::int32_t>& label,
         const std::optional<Vector<double>>& weight, int threads) {
        PythonMonitor monitor;
        const auto table = binned_of(codes, features_of(offset, is_category));
        PathErrors found;
        {
          const nb::gil_scoped_release released;
          found = tree_path_errors(table, tree.view_all(), n_points, view(label), view(weight), threads, monitor);
        }
        return nb::make_tuple(give(std::move(found.weight)), give(std::move(found.square)));
      },
      "codes"_a.noconvert(), "offset"_a.noconvert(), "is_category"_a.noconvert(), "tree"_a, "n_points"_a, "label"_a.noconvert(),
      "weight"_a.noconvert().none(), "threads"_a = 0,
      "Weights, and squares of these, of rows that the tree at each point of its path puts in the wrong class.");
}

}  // namespace

void bind_tree(nb::module_& m) {
  nb::enum_<SplitCriterion>(m, "SplitCriterion")
      .value("gain_ratio", SplitCriterion::gain_ratio)
      .value("gain", SplitCriterion::gain);
  nb::class_<TreeRequest>(m, "TreeRequest", "How to grow a tree.")
      .def(
          "__init__",
          [](TreeRequest* self, std::size_t n_classes, double min_leaf, std::size_t max_leaves, std::size_t max_depth,
             SplitCriterion criterion, int threads, nb::object progress) {
            new (self) TreeRequest{{n_classes, min_leaf, max_leaves, max_depth, criterion, threads}, std::move(progress)};
          },
          nb::kw_only(), "n_classes"_a, "min_leaf"_a = 2.0, "max_leaves"_a = 0, "max_depth"_a = 0,
          "criterion"_a = SplitCriterion::gain_ratio, "threads"_a = 0, "progress"_a.none() = nb::none());
  nb::class_<TreeArrays>(m, "TreeArrays",
                         "A tree to predict with; `opened` is the point of a path from which on a node is split.")
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
        std::vector<double> found;
        {
          const nb::gil_scoped_release released;
          found = weakest_links(view(parent), view(first_child), view(n_children), view(cost), view(complexity), view(split));
        }
        return give(std::move(found));
      },
      "parent"_a.noconvert(), "first_child"_a.noconvert(), "n_children"_a.noconvert(), "cost"_a.noconvert(),
      "complexity"_a.noconvert(), "split"_a.noconvert(),
      "The least weight of the complexity at which the split of each node is gone.");
}

}  // namespace vitalfew::bindings
