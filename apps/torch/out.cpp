#include "out.h"

#include "arguments.h"
#include "engine/autograd.h"
#include "engine/ops/promote.h"

namespace glassgrad::GG_HOST {

namespace {

constexpr const char* kExpected = "Expected out tensor to have dtype {e}, but got {g} instead";
constexpr const char* kFound = "Found dtype {G} but expected {E}";
constexpr const char* kMatch =
    "Expected the dtype for input and out to match, but got {E} for input's dtype and {G} for out's dtype.";
constexpr const char* kDrawn = "normal(): glassgrad draws into out= of dtype {e} alone, and this one is {g}";
constexpr const char* kGiven = "dtype {E} does not match dtype of out parameter ({G})";

struct ListedRule {
  OutRule rule;
  std::vector<std::string_view> signatures;  // how they begin; the first match counts
};
const std::vector<ListedRule>& listed_rules() {
  using R = OutRule;
  static const auto* const rules = new std::vector<ListedRule>{
      {{R::Same, kExpected},
       {"isin(",
        "sort(",
        "msort(",
        "topk(",
        "max(Tensor input, int",
        "min(Tensor input, int",
        "argmax(",
        "argmin(",
        "tril(",
        "triu(",
        "diag(",
        "gather(",
        "scatter_reduce(",
        "index_reduce(",
        "take_along_dim(",
        "mm(",
        "bmm(",
        "mv(",
        "matmul(",
        "addmm(",
        "addmv(",
        "baddbmm(",
        "softmax(",
        "log_softmax(",
        "norm(Tensor input",
        "vector_norm("}},
      {{R::Same, kFound},
       {"abs(", "absolute(", "ceil(", "fix(", "floor(", "frac(", "neg(", "negative(", "round(", "sgn(",
        "sign(", "trunc(", "bitwise_not(", "clamp(Tensor input, Scalar", "clip(Tensor input, Scalar",
        "clamp_min(", "clamp_max(", "lerp(Tensor input, Tensor end, Tensor"}},
      {{R::Same, kMatch}, {"amax(", "amin("}},
      {{R::Same, "heaviside is not yet implemented for tensors with different dtypes."}, {"heaviside("}},
      {{R::Same, "signbit does not support non-boolean outputs."}, {"signbit("}},
      {{R::Same, "isposinf does not support non-boolean outputs."}, {"isposinf("}},
      {{R::Same, "isneginf does not support non-boolean outputs."}, {"isneginf("}},
      {{R::Same, "quantile() out tensor must be same dtype as the input tensor"}, {"quantile("}},
      {{R::Same,
        "torch.histogram: input tensor and hist tensor should have the same dtype, but got input {e} and hist {g}"},
       {"histc("}},
      {{R::Same, "all only supports bool tensor for result, got: {G}"}, {"all("}},
      {{R::Same, "any only supports bool tensor for result, got: {G}"}, {"any("}},
      {{R::Same, "result dtype {G} does not match input dtype {E}"}, {"dot(", "vdot("}},
      {{R::Same,
        "the output given to float_power has dtype {G} but the operation's result requires dtype {E}"},
       {"float_power("}},
      {{R::Same, "linalg.norm expected out tensor dtype {E} but got: {G}"}, {"norm(Tensor A"}},
      {{R::Same, "nan_to_num: dtype of out: {G} should be same as input: {E}"}, {"nan_to_num("}},
      {{R::Same, "nonzero: Expected out tensor to have scalar type {E} but got scalar type{G}"},
       {"nonzero("}},
      {{R::Same, "self and mat2 must have the same dtype, but got {G} and {E}", R::Silent}, {"addbmm("}},
      {{R::Same,
        "tensordot: Expected the output tensor to have dtype {E}, but got an output tensor with dtype {G}"},
       {"inner("}},
      {{R::Same, "index_select(): self and result must have the same scalar type"}, {"index_select("}},
      {{R::Same, "masked_select(): self and result must have the same scalar type"}, {"masked_select("}},
      {{R::Same, "multinomial expects Long tensor out, got: {G}", R::Silent}, {"multinomial("}},
      {{R::Same,
        "take(): self and out expected to have the same dtype, but got self.dtype = {E} and out.dtype = {G}"},
       {"take("}},
      {{R::Same, "Expected out type to be {E} but got {G}"}, {"where("}},
      {{R::Same, "output values must be of same type as input", R::Warns, false, nullptr,
        "output indices must be of scalar type {E}"},
       {"kthvalue("}},
      {{R::Same,
        "Expected tensor for 'values' to have the same type as tensor for argument #2 'self'; but type "
        "torch.{G}Tensor does not equal torch.{E}Tensor (while checking arguments for median)",
        R::Warns, false, nullptr,
        "Expected tensor for argument #1 'indices' to have scalar type {E}; but got torch.{G}Tensor instead (while "
        "checking arguments for median)"},
       {"median("}},
      {{R::Same, "expected scalar_type {E} but found {G}", R::Warns, false, nullptr,
        "expected scalar_type {E} but found {G}"},
       {"cummax(", "cummin(", "logcumsumexp("}},
      {{R::Same, "expected scalar type '{E}' but got '{G}' for values output", R::Warns, false, nullptr,
        "expected scalar type '{E}' but got '{G}' for indices output"},
       {"mode("}},
      {{R::Castable, "torch.cat(): input types can't be cast to the desired output type {G}"},
       {"cat(", "concat(", "concatenate(", "stack(", "hstack(", "vstack(", "dstack(", "row_stack(",
        "column_stack("}},
      {{R::Castable,
        "Expected canCast( typeMetaToScalarType(self.dtype()), typeMetaToScalarType(out.dtype())) to be true, but got "
        "false.  (Could this error message be improved?  If so, please report an enhancement request to PyTorch.)"},
       {"max(Tensor input, *", "min(Tensor input, *"}},
      {{R::Any, nullptr},
       {"logical_", "eq(", "ne(", "lt(", "le(", "gt(", "ge(", "greater(", "greater_equal(", "less(",
        "less_equal(", "not_equal("}},
      {{R::Any, nullptr, R::Silent}, {"bernoulli("}},
      {{R::Any, nullptr, R::Warns, true}, {"sum(", "prod("}},
      {{R::Any, nullptr, R::Warns, true, "\"cumsum_out_cpu\" not implemented for 'Bool'"}, {"cumsum("}},
      {{R::Any, nullptr, R::Warns, true, "\"cumprod_out_cpu\" not implemented for 'Bool'"}, {"cumprod("}},
      {{R::Castable, "\"nansum_cpu\" not implemented for '{G}'", R::Warns, true}, {"nansum(", "nanmean("}},
      {{R::Castable, "mean.dtype_out(): input types can't be cast to the desired output type {G}", R::Warns,
        true},
       {"mean(Tensor input, *"}},
      {{R::Castable, OutRule().text, R::Warns, true}, {"mean(", "std(", "var("}},
      {{R::Castable, "logsumexp(): Expected floating point type for result tensor, but got: {G}", R::Warns,
        true},
       {"logsumexp("}},
      {{R::Same, kDrawn, R::Keep}, {"normal(Tensor mean, float"}},
      {{R::Same, kDrawn}, {"normal(Tensor mean, Tensor", "normal(float mean, Tensor"}},
      {{R::Any, nullptr, R::Counted, true, "\"arange_cpu\" not implemented for 'Bool'"}, {"arange("}},
      {{R::Any, nullptr, R::Silent, true, "\"linspace_cpu\" not implemented for 'Bool'"}, {"linspace("}},
      {{R::Any, nullptr, R::Silent, true, "\"logspace_cpu\" not implemented for 'Bool'"}, {"logspace("}},
      {{R::Any, nullptr, R::Silent, true, "\"randperm\" not implemented for 'Bool'"}, {"randperm("}},
      {{R::Any, nullptr, R::Silent, true},
       {"normal(", "empty(", "zeros(", "ones(", "full(", "eye(", "rand(", "randn(", "randint("}},
  };
  return *rules;
}

bool fits(OutRule::Fit fit, DType from, DType to) {
  const auto category = [](DType t) { return is_floating(t) ? 2 : t == boolean ? 0 : 1; };
  return fit == OutRule::Any || from == to || (fit == OutRule::Castable && category(from) <= category(to));
}
void check_fits(const OutRule& rule, DType result, DType out) {
  check(out != boolean || !rule.not_bool, "{}", rule.not_bool);
  if (fits(rule.fit, result, out)) return;
  throw Error(fmt::format(fmt::runtime(rule.text), fmt::arg("E", scalar_type_name(result)),
                          fmt::arg("G", scalar_type_name(out)), fmt::arg("e", cpp_type_name(result)),
                          fmt::arg("g", cpp_type_name(out))));
}

void fit_size(OutRule::Size size, const Tensor& to, const Dims& shape) {
  if (to.shape() == shape) return;
  if (to.numel() != 0 && size == OutRule::Warns)
    warn(fmt::format(
        "An output with one or more elements was resized since it had shape {}, which does not match the required output "
        "shape {}. This behavior is deprecated, and in a future PyTorch release outputs will not be resized unless they "
        "have zero elements. You can explicitly reuse an out tensor t by resizing it, inplace, to zero elements with "
        "t.resize_(0).",
        to.shape(), shape));
  if (to.numel() != 0 && size == OutRule::Counted)
    warn(fmt::format(
        "The number of elements in the out tensor of shape {} is {} which does not match the computed number of elements "
        "{}. Note that this may occur as a result of rounding error. The out tensor will be resized to a tensor of shape "
        "({},).",
        to.shape(), to.numel(), shape[0], shape[0]));
  resize_(to, shape);
}

// The name by which PyTorch's errors call a function.
std::string_view known_as(std::string_view name) {
  constexpr std::string_view others[][2] = {
      {"absolute", "abs"},
      {"clip", "clamp"},
      {"column_stack", "cat"},
      {"concat", "cat"},
      {"concatenate", "cat"},
      {"hstack", "cat"},
      {"vstack", "cat"},
      {"row_stack", "cat"},
      {"divide", "div"},
      {"true_divide", "div"},
      {"fix", "trunc"},
      {"msort", "sort"},
      {"multiply", "mul"},
      {"inner", "mul"},
      {"outer", "mul"},
      {"ger", "mul"},
      {"negative", "neg"},
      {"norm", "linalg_vector_norm"},
      {"vector_norm", "linalg_vector_norm"},
      {"square", "pow"},
      {"subtract", "sub"},
      {"take_along_dim", "gather"},
  };
  for (const auto& [alias, real] : others)
    if (alias == name) return real;
  return name;
}
void check_no_graph(const Arguments& a, const Tensor& to, bool of_graph) {
  if (of_graph || needs_grad(to)) [[unlikely]]
    fail(
        "{}(): functions with out=... arguments don't support automatic differentiation, but one of the arguments "
        "requires grad.",
        known_as(a.signature->name()));
}
void write(const OutRule& rule, const Tensor& to, const Tensor& x) {
  if (rule.size == OutRule::Counted && to.numel() == x.numel()) {
    copy_(to, x.view(to.shape()));
    return;
  }
  if (rule.size != OutRule::Keep) fit_size(rule.size, to, x.shape());
  copy_(to, x);
}

}  // namespace

const OutRule& out_rule(std::string_view signature) {
  static const OutRule usual;
  for (const ListedRule& l : listed_rules())
    for (std::string_view start : l.signatures)
      if (signature.starts_with(start)) return l.rule;
  return usual;
}

const Tensor& resize_(const Tensor& x, const Dims& shape) {
  check(!x.requires_grad(), "cannot resize variables that require grad");
  if (x.shape() == shape) return x;
  const int64_t n = checked_numel(shape, x.dtype()), size = item_size(x.dtype());
  const Ref<Storage> old = x->storage;
  const int64_t left = int64_t(old->bytes) / size - x->offset;
  if (n > left) {
    check(!old->owner || !old->owner->foreign, "Trying to resize storage that is not resizable");
    const Tensor y = empty_contiguous(shape, x.dtype(), x.device());
    if (left > 0) copy_(y.as_strided({left}, {1}, 0), x.as_strided({left}, {1}, 0));
    set_data(x, y);
  }
  x->shape = shape;
  x->strides = contiguous_strides(shape);
  ++x->storage->version;  // a new version, so that its views refresh their nodes
  return x;
}

Result give_out(const Arguments& a, const Computation<Tensor>& compute) {
  const Signature& s = *a.signature;
  const Object out = a[s.out()];
  const Tensor& to = *as_tensor(out);
  const OutRule& rule = s.out_rule();
  const int dtype = s.parameter_of(Kind::DType);
  const bool makes = s.parameter_of(Kind::Layout) >= 0;  // the function makes a new tensor: zeros, arange …
  const bool asked = dtype >= 0 && a[dtype];
  Arguments b = a;
  Owned cast;  // kept until b has been read
  const auto compute_in_its_dtype = [&] {
    if (dtype >= 0) {
      b.slot[size_t(dtype)] = object_of(cast = as_owned(wrap(to.dtype())));
    } else if (const Tensor* const x = as_tensor(a[0])) {
      b.slot[0] = object_of(cast = as_owned(wrap(glassgrad::to(*x, to.dtype()))));
    }
    return compute(b);
  };
  if (makes) {
    if (asked && to_dtype(a[dtype]) != to.dtype())
      check_fits({OutRule::Same, kGiven}, to_dtype(a[dtype]), to.dtype());
    check_no_graph(a, to, false);
    check_fits(rule, to.dtype(), to.dtype());
    const Tensor x = compute_in_its_dtype();
    if (s.name() == "empty")
      fit_size(rule.size, to, x.shape());
    else
      write(rule, to, x.detach());
    if (x.requires_grad()) to.requires_grad_();
    return as_result(out);
  }
  Tensor x = compute(a);
  check_no_graph(a, to, x.requires_grad());
  check_fits(asked && rule.fit != OutRule::Same ? OutRule{OutRule::Same, kExpected} : rule, x.dtype(),
             to.dtype());
  if (rule.in_its_dtype && x.dtype() != to.dtype()) x = compute_in_its_dtype();
  write(rule, to, x);
  return as_result(out);
}

Result give_out(const Arguments& a, const Computation<NamedTuple>& compute) {
  const int slot = a.signature->out();
  const Object pair = a[slot];
  check<TypeError>(size(pair) == 2, "expected tuple of 2 elements but got {}", size(pair));
  for (int k = 0; k < 2; ++k)
    check<TypeError>(is_tensor(item(pair, k)), "expected Tensor as element {} in argument {}, but got {}", k,
                     slot, type_name(item(pair, k)));
  const OutRule& rule = a.signature->out_rule();
  const NamedTuple x = compute(a);
  const Tensor &values = *as_tensor(item(pair, 0)), &indices = *as_tensor(item(pair, 1));
  check_no_graph(a, values, x.values.requires_grad());
  check_no_graph(a, indices, false);
  check_fits(rule, x.values.dtype(), values.dtype());
  check_fits(rule.indices ? OutRule{rule.fit, rule.indices} : rule, x.indices.dtype(), indices.dtype());
  write(rule, values, x.values);
  write(rule, indices, x.indices);
  return wrap(NamedTuple{x.name, values, indices, true});
}

}  // namespace glassgrad::GG_HOST
