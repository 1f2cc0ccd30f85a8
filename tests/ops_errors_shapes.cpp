// The op table's column of errors: views, reductions, products.
#include "engine/literal.h"
#include "op_table.h"

using namespace glassgrad;
using namespace testing;

namespace {

const Misuses views{{
    {"t", "torch.ones(2, 3, 4).t()",
     [] {
       ones({2, 3, 4}).t();
     }},
    {"transpose", "torch.ones(2, 3).transpose(0, 2)",
     [] {
       ones({2, 3}).transpose(0, 2);
     }},
    {"permute", "torch.ones(2, 3).permute(0)",
     [] {
       ones({2, 3}).permute({0});
     }},
    {"permute", "torch.ones(2, 3).permute(0, 0)",
     [] {
       ones({2, 3}).permute({0, 0});
     }},
    {"permute", "torch.ones(2, 3).permute(0, 2)",
     [] {
       ones({2, 3}).permute({0, 2});
     }},
    {"view", "torch.ones(2, 3).view(4)",
     [] {
       ones({2, 3}).view({4});
     }},
    {"view", "torch.ones(2, 3).view(-1, -1)",
     [] {
       ones({2, 3}).view({-1, -1});
     }},
    {"view", "torch.ones(2, 3).view(-2, 3)",
     [] {
       ones({2, 3}).view({-2, 3});
     }},
    {"view", "torch.ones(2, 3).t().view(6)",
     [] {
       ones({2, 3}).t().view({6});
     }},
    {"view", "torch.empty(0).view(-1, 0)",
     [] {
       empty({0}).view({-1, 0});
     }},
    {"reshape", "torch.ones(2, 3).reshape(4, -1)",
     [] {
       ones({2, 3}).reshape({4, -1});
     }},
    {"flatten", "torch.ones(2, 3).flatten(1, 0)",
     [] {
       ones({2, 3}).flatten(1, 0);
     }},
    {"flatten", "torch.ones(2, 3).flatten(2)",
     [] {
       ones({2, 3}).flatten(2);
     }},
    {"unflatten", "torch.ones(2, 6).unflatten(1, (4, 2))",
     [] {
       ones({2, 6}).unflatten(1, {4, 2});
     }},
    {"slice", "torch.ones(2)[::-1]", [] { ones(2).slice(0, {}, {}, -1); }},
    {"narrow", "torch.ones(3).narrow(0, 2, 2)", [] { ones(3).narrow(0, 2, 2); }},
    {"narrow", "torch.ones(3).narrow(0, 1, -1)", [] { ones(3).narrow(0, 1, -1); }},
    {"narrow", "torch.ones(3).narrow(0, 5, 1)", [] { ones(3).narrow(0, 5, 1); }},
    {"select", "torch.ones(3)[3]", [] { ones(3).select(0, 3); }},
    {"select", "torch.ones(3).select(1, 0)", [] { ones(3).select(1, 0); }},
    {"select", "torch.tensor(1.)[0]", [] { tensor(1.).select(0, 0); }},
    {"expand", "torch.ones(2, 3).expand(2, 4)",
     [] {
       ones({2, 3}).expand({2, 4});
     }},
    {"expand", "torch.ones(2, 3).expand(3)",
     [] {
       ones({2, 3}).expand({3});
     }},
    {"expand", "torch.ones(2, 3).expand(-1, 2, 3)",
     [] {
       ones({2, 3}).expand({-1, 2, 3});
     }},
    {"unsqueeze", "torch.ones(2).unsqueeze(2)", [] { ones(2).unsqueeze(2); }},
    {"squeeze", "torch.ones(2).squeeze(1)", [] { ones(2).squeeze(1); }},
    {"unbind", "torch.ones(2).unbind(1)", [] { ones(2).unbind(1); }},
    {"split", "torch.ones(3).split(-1)", [] { ones(3).split(-1); }},
    {"split", "torch.ones(3).split(0)", [] { ones(3).split(0); }},
    {"split_with_sizes", "torch.ones(3).split([1, 1])",
     [] {
       ones(3).split_with_sizes({1, 1});
     }},
    {"split_with_sizes", "torch.ones(3).split([4, -1])",
     [] {
       ones(3).split_with_sizes({4, -1});
     }},
    {"chunk", "torch.ones(3).chunk(0)", [] { ones(3).chunk(0); }},
    {"diagonal", "torch.ones(2, 3).diagonal(0, 0, 0)",
     [] {
       ones({2, 3}).diagonal(0, 0, 0);
     }},
    {"diagonal", "torch.ones(3).diagonal()", [] { ones(3).diagonal(); }},
    {"as_strided", "torch.ones(3).as_strided((2, 2), (1, 2, 3))",
     [] {
       ones(3).as_strided({2, 2}, {1, 2, 3}, 0);
     }},
    {"as_strided", "torch.ones(3).as_strided((2, 2), (2, 1))",
     [] {
       ones(3).as_strided({2, 2}, {2, 1}, 0);
     }},
}};

const CannotFail plain_views{
    {"T", "reverses any number of dimensions"},
    {"alias", "takes any tensor"},
    {"contiguous", "takes any tensor"},
    {"unsafe_view", "called by matmul only, with a shape that fits"},
    {"as_strided_scatter", "called by gradients only"},
    {"as_strided_zero", "called by gradients only"},
    {"sum_to", "called by gradients only, with a shape that was broadcast"},
    {"copy_slices", "a write to a view, which the op that writes has checked"},
};

const Misuses reductions{{
    {"sum", "torch.ones(2, 3).sum(2)",
     [] {
       sum(ones({2, 3}), 2);
     }},
    {"sum", "torch.ones(2, 3).sum((0, 0))",
     [] {
       sum(ones({2, 3}), {0, 0});
     }},
    {"mean", "torch.ones(2, 3).mean(2)",
     [] {
       mean(ones({2, 3}), 2);
     }},
    {"mean", "torch.tensor([1, 2]).mean()",
     [] {
       mean(tensor({1, 2}));
     }},
    {"var", "torch.ones(2, 3).var(2)",
     [] {
       var(ones({2, 3}), Dims{2});
     }},
    {"var", "torch.tensor([1, 2]).var()",
     [] {
       var(tensor({1, 2}));
     }},
    {"std", "torch.ones(2, 3).std(-3)",
     [] {
       glassgrad::std(ones({2, 3}), Dims{-3});
     }},
    {"std", "torch.tensor([1, 2]).std()",
     [] {
       glassgrad::std(tensor({1, 2}));
     }},
    {"prod", "torch.ones(2, 3).prod(2)",
     [] {
       prod(ones({2, 3}), 2);
     }},
    {"norm", "torch.ones(2, 3).norm(dim=2)",
     [] {
       norm(ones({2, 3}), 2);
     }},
    {"norm", "torch.tensor([1, 2]).norm()",
     [] {
       norm(tensor({1, 2}));
     }},
    {"logsumexp", "torch.ones(2, 3).logsumexp(2)",
     [] {
       logsumexp(ones({2, 3}), 2);
     }},
    {"cumsum", "torch.ones(2, 3).cumsum(2)",
     [] {
       cumsum(ones({2, 3}), 2);
     }},
    {"max", "torch.empty(0).max()", [] { max(empty({0})); }},
    {"max", "torch.empty(0, 3).max(0)",
     [] {
       max(empty({0, 3}), 0);
     }},
    {"max", "torch.ones(2, 3).max(2)",
     [] {
       max(ones({2, 3}), 2);
     }},
    {"min", "torch.empty(0).min()", [] { min(empty({0})); }},
    {"min", "torch.empty(0, 3).min(0)",
     [] {
       min(empty({0, 3}), 0);
     }},
    {"amax", "torch.empty(0, 3).amax(0)",
     [] {
       amax(empty({0, 3}), 0);
     }},
    {"amax", "torch.ones(2, 3).amax((0, 0))",
     [] {
       amax(ones({2, 3}), {0, 0});
     }},
    {"amin", "torch.empty(0, 3).amin(0)",
     [] {
       amin(empty({0, 3}), 0);
     }},
    {"argmax", "torch.empty(0).argmax()", [] { argmax(empty({0})); }},
    {"argmax", "torch.empty(0, 3).argmax(0)",
     [] {
       argmax(empty({0, 3}), 0);
     }},
    {"argmax", "torch.tensor([True]).argmax()", [] { argmax(tensor({true})); }},
    {"argmin", "torch.empty(0).argmin()", [] { argmin(empty({0})); }},
    {"argmin", "torch.ones(2, 3).argmin(2)",
     [] {
       argmin(ones({2, 3}), 2);
     }},
    {"softmax", "torch.softmax(torch.ones(2, 3), 2)",
     [] {
       softmax(ones({2, 3}), 2);
     }},
    {"softmax", "torch.softmax(torch.tensor([1, 2]), 0)",
     [] {
       softmax(tensor({1, 2}), 0);
     }},
    {"log_softmax", "torch.log_softmax(torch.ones(2, 3), -3)",
     [] {
       log_softmax(ones({2, 3}), -3);
     }},
    {"log_softmax", "torch.log_softmax(torch.tensor([1, 2]), 0)",
     [] {
       log_softmax(tensor({1, 2}), 0);
     }},
}};
const CannotFail truths{{"all", "every element is true or false"}, {"any", "every element is true or false"}};

const Misuses products{{
    {"mm", "torch.mm(torch.ones(2, 3), torch.ones(2, 3))",
     [] {
       mm(ones({2, 3}), ones({2, 3}));
     }},
    {"mm", "torch.mm(torch.ones(3), torch.ones(3, 2))",
     [] {
       mm(ones(3), ones({3, 2}));
     }},
    {"mm", "torch.mm(torch.ones(2, 3), torch.ones(3))",
     [] {
       mm(ones({2, 3}), ones(3));
     }},
    {"mm", "torch.mm(torch.ones(2, 2), torch.ones(2, 2, dtype=torch.float64))",
     [] {
       mm(ones({2, 2}), ones({2, 2}, float64));
     }},
    {"bmm", "torch.bmm(torch.ones(2, 3), torch.ones(2, 3))",
     [] {
       bmm(ones({2, 3}), ones({2, 3}));
     }},
    {"bmm", "torch.bmm(torch.ones(2, 2, 3), torch.ones(3, 3, 2))",
     [] {
       bmm(ones({2, 2, 3}), ones({3, 3, 2}));
     }},
    {"mv", "torch.mv(torch.ones(2, 3), torch.ones(2))",
     [] {
       mv(ones({2, 3}), ones(2));
     }},
    {"mv", "torch.mv(torch.ones(3), torch.ones(3))", [] { mv(ones(3), ones(3)); }},
    {"dot", "torch.dot(torch.ones(2), torch.ones(3))", [] { dot(ones(2), ones(3)); }},
    {"dot", "torch.dot(torch.ones(2, 2), torch.ones(2))",
     [] {
       dot(ones({2, 2}), ones(2));
     }},
    {"dot", "torch.dot(torch.ones(2), torch.ones(2, dtype=torch.float64))",
     [] { dot(ones(2), ones(2, float64)); }},
    {"outer", "torch.outer(torch.ones(2, 2), torch.ones(2))",
     [] {
       outer(ones({2, 2}), ones(2));
     }},
    {"addmm", "torch.addmm(torch.ones(3), torch.ones(2, 3), torch.ones(3, 4))",
     [] {
       addmm(ones(3), ones({2, 3}), ones({3, 4}));
     }},
    {"addmm", "torch.addmm(torch.ones(2), torch.ones(2, 3), torch.ones(2, 3))",
     [] {
       addmm(ones(2), ones({2, 3}), ones({2, 3}));
     }},
    {"matmul", "torch.matmul(torch.ones(2, 3), torch.ones(4))",
     [] {
       matmul(ones({2, 3}), ones(4));
     }},
    {"matmul", "torch.matmul(torch.ones(3), torch.ones(4))", [] { matmul(ones(3), ones(4)); }},
    {"matmul", "torch.matmul(torch.ones(2, 2, 3), torch.ones(3, 3, 2))",
     [] {
       matmul(ones({2, 2, 3}), ones({3, 3, 2}));
     }},
    {"matmul", "torch.matmul(torch.ones(2, 2, 3), torch.ones(4, 2))",
     [] {
       matmul(ones({2, 2, 3}), ones({4, 2}));
     }},
    {"matmul", "torch.matmul(torch.tensor(1.), torch.ones(3))", [] { matmul(tensor(1.), ones(3)); }},
    {"linear", "F.linear(torch.ones(2, 3), torch.ones(4, 2), torch.ones(4))",
     [] {
       linear(ones({2, 3}), ones({4, 2}), ones(4));
     }},
    {"linear", "F.linear(torch.ones(2, 3), torch.ones(4, 3), torch.ones(3))",
     [] {
       linear(ones({2, 3}), ones({4, 3}), ones(3));
     }},
    {"linear_gelu", "F.gelu(F.linear(torch.ones(2, 3), torch.ones(4, 2), torch.ones(4)), approximate='tanh')",
     [] {
       linear_gelu(ones({2, 3}), ones({4, 2}), ones(4), "tanh");
     }},
    {"linear_gelu", "F.gelu(F.linear(torch.ones(2, 3), torch.ones(4, 3), torch.ones(4)), approximate='erf')",
     [] {
       linear_gelu(ones({2, 3}), ones({4, 3}), ones(4), "erf");
     }},
}};

}  // namespace
