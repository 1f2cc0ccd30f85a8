// The op table's column of errors: joining, reordering, indexing, sorting.
#include "engine/literal.h"
#include "op_table.h"

using namespace glassgrad;
using namespace testing;

namespace {

Tensor numbers_from(std::initializer_list<int64_t> values) {
  return from_values(std::vector<int64_t>(values), int64_t(values.size()));
}

const Misuses places{{
    {"cat", "torch.cat([torch.ones(2, 3), torch.ones(2, 4)])",
     [] {
       cat({ones({2, 3}), ones({2, 4})});
     }},
    {"cat", "torch.cat([torch.ones(2, 3), torch.ones(3)])",
     [] {
       cat({ones({2, 3}), ones(3)});
     }},
    {"cat", "torch.cat([torch.ones(2), torch.ones(2)], 1)",
     [] {
       cat({ones(2), ones(2)}, 1);
     }},
    {"cat", "torch.cat([torch.tensor(1.), torch.tensor(2.)])",
     [] {
       cat({tensor(1.), tensor(2.)});
     }},
    {"cat", "torch.cat([])", [] { cat({}); }},
    {"stack", "torch.stack([torch.ones(2), torch.ones(3)])",
     [] {
       stack({ones(2), ones(3)});
     }},
    {"stack", "torch.stack([])", [] { stack({}); }},
    {"stack", "torch.stack([torch.ones(2)], 2)", [] { stack({ones(2)}, 2); }},
    {"tril", "torch.tril(torch.ones(3))", [] { tril(ones(3)); }},
    {"triu", "torch.triu(torch.tensor(1.))", [] { triu(tensor(1.)); }},
    {"flip", "torch.flip(torch.ones(2, 3), (0, 0))",
     [] {
       flip(ones({2, 3}), {0, 0});
     }},
    {"flip", "torch.flip(torch.ones(2, 3), (2,))",
     [] {
       flip(ones({2, 3}), {2});
     }},
    {"roll", "torch.roll(torch.ones(2, 3), (1, 2), (0,))",
     [] {
       roll(ones({2, 3}), {1, 2}, {0});
     }},
    {"roll", "torch.roll(torch.ones(2, 3), (1,), (2,))",
     [] {
       roll(ones({2, 3}), {1}, {2});
     }},
    {"repeat", "torch.ones(2, 3).repeat(2)",
     [] {
       repeat(ones({2, 3}), {2});
     }},
    {"repeat", "torch.ones(2).repeat(-1)", [] { repeat(ones(2), {-1}); }},
    {"pad", "F.pad(torch.ones(2), (1,))", [] { pad(ones(2), {1}); }},
    {"pad", "F.pad(torch.ones(2), (1, 1, 1, 1))",
     [] {
       pad(ones(2), {1, 1, 1, 1});
     }},
    {"pad", "F.pad(torch.ones(2), (-3, 0))",
     [] {
       pad(ones(2), {-3, 0});
     }},
    {"pad", "F.pad(torch.ones(2), (-4, 1))",
     [] {
       pad(ones(2), {-4, 1});
     }},
    {"index", "torch.ones(2, 3)[torch.tensor([2])]",
     [] {
       index(ones({2, 3}), {numbers_from({2})});
     }},
    {"index", "torch.ones(2, 3)[torch.tensor([1.])]",
     [] {
       index(ones({2, 3}), {tensor({1.})});
     }},
    {"index", "torch.ones(2, 3)[torch.tensor([0, 1]), torch.tensor([0, 1, 2])]",
     [] {
       index(ones({2, 3}), {numbers_from({0, 1}), numbers_from({0, 1, 2})});
     }},
    {"index", "torch.ones(2, 3)[torch.tensor([True, False, True])]",
     [] {
       index(ones({2, 3}), {tensor({true, false, true})});
     }},
    {"index", "torch.ones(2)[torch.tensor([0]), torch.tensor([0])]",
     [] {
       index(ones(2), {numbers_from({0}), numbers_from({0})});
     }},
    {"index_put_", "torch.ones(2, 3).index_put_((torch.tensor([-3]),), torch.tensor(1.))",
     [] {
       index_put_(ones({2, 3}), {numbers_from({-3})}, tensor(1.));
     }},
    {"index_put_", "torch.ones(2, 3).index_put_((torch.tensor([0]),), torch.ones(2))",
     [] {
       index_put_(ones({2, 3}), {numbers_from({0})}, ones(2));
     }},
    {"index_put_", "torch.ones(2).index_put_((torch.tensor([0]),), torch.ones(1, dtype=torch.float64))",
     [] { index_put_(ones(2), {numbers_from({0})}, ones(1, float64)); }},
    {"index_select", "torch.index_select(torch.ones(2, 3), 0, torch.tensor([2]))",
     [] {
       index_select(ones({2, 3}), 0, numbers_from({2}));
     }},
    {"index_select", "torch.index_select(torch.ones(2, 3), 0, torch.tensor([1.]))",
     [] {
       index_select(ones({2, 3}), 0, tensor({1.}));
     }},
    {"index_select", "torch.index_select(torch.ones(2, 3), 2, torch.tensor([0]))",
     [] {
       index_select(ones({2, 3}), 2, numbers_from({0}));
     }},
    {"index_select", "torch.index_select(torch.ones(2, 3), 0, torch.tensor([[0]]))",
     [] {
       index_select(ones({2, 3}), 0, numbers_from({0}).view({1, 1}));
     }},
    {"masked_select", "torch.masked_select(torch.ones(2), torch.ones(2))",
     [] { masked_select(ones(2), ones(2)); }},
    {"masked_select", "torch.masked_select(torch.ones(2), torch.ones(3) > 0)",
     [] { masked_select(ones(2), ones(3) > 0); }},
    {"gather", "torch.gather(torch.ones(2, 3), 1, torch.tensor([[3]]))",
     [] {
       gather(ones({2, 3}), 1, numbers_from({3}).view({1, 1}));
     }},
    {"gather", "torch.gather(torch.ones(2, 3), 1, torch.tensor([0]))",
     [] {
       gather(ones({2, 3}), 1, numbers_from({0}));
     }},
    {"gather", "torch.gather(torch.ones(2), 0, torch.ones(1))", [] { gather(ones(2), 0, ones(1)); }},
    {"gather", "torch.gather(torch.ones(2, 3), 0, torch.zeros(1, 4, dtype=torch.int64))",
     [] {
       gather(ones({2, 3}), 0, zeros({1, 4}, int64));
     }},
    {"scatter_add", "torch.scatter_add(torch.ones(3), 0, torch.tensor([3]), torch.ones(1))",
     [] { scatter_add(ones(3), 0, numbers_from({3}), ones(1)); }},
    {"scatter_add", "torch.scatter_add(torch.ones(3), 0, torch.tensor([0, 1]), torch.ones(1))",
     [] {
       scatter_add(ones(3), 0, numbers_from({0, 1}), ones(1));
     }},
    {"scatter_add",
     "torch.scatter_add(torch.ones(3), 0, torch.tensor([0]), torch.ones(1, dtype=torch.float64))",
     [] { scatter_add(ones(3), 0, numbers_from({0}), ones(1, float64)); }},
    {"embedding", "F.embedding(torch.tensor([3]), torch.ones(3, 2))",
     [] {
       embedding(ones({3, 2}), numbers_from({3}));
     }},
    {"embedding", "F.embedding(torch.tensor([-1]), torch.ones(3, 2))",
     [] {
       embedding(ones({3, 2}), numbers_from({-1}));
     }},
    {"embedding", "F.embedding(torch.tensor([1.]), torch.ones(3, 2))",
     [] {
       embedding(ones({3, 2}), tensor({1.}));
     }},
    {"embedding", "F.embedding(torch.tensor([0]), torch.ones(3))",
     [] { embedding(ones(3), numbers_from({0})); }},
    {"topk", "torch.topk(torch.ones(3), 4)", [] { topk(ones(3), 4); }},
    {"topk", "torch.topk(torch.ones(3), -1)", [] { topk(ones(3), -1); }},
    {"topk", "torch.topk(torch.ones(3), 1, 1)", [] { topk(ones(3), 1, 1); }},
    {"sort", "torch.sort(torch.ones(3), 1)", [] { sort(ones(3), 1); }},
    {"argsort", "torch.argsort(torch.ones(3), -2)", [] { argsort(ones(3), -2); }},
}};
const CannotFail searches{{"nonzero", "takes any tensor"}, {"unique", "takes any tensor"}};

}  // namespace
