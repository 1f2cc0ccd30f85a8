#include "einsum.h"

#include <algorithm>
#include <array>

namespace glassgrad::GG_HOST {

namespace {

constexpr char kEllipsis = '.';  // stands for all dimensions that have no letter

struct Equation {
  std::vector<std::string> operands;
  std::string result;
  bool has_result = false;
};

// "a ... b" as letters, with one '.' for the three dots.
std::string letters_of(std::string_view text, std::string_view where) {
  std::string letters;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ' ') continue;
    if (c == '.') {
      check(text.substr(i, 3) == "..." && letters.find(kEllipsis) == std::string::npos,
            "einsum(): found \'.\' for {} that is not part of any ellipsis", where);
      i += 2;
    } else {
      check(
          (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'),
          "einsum(): invalid subscript given at index {} in the equation string, subscripts must be in [a-zA-Z]",
          i);
    }
    letters += c;
  }
  return letters;
}

Equation parsed(std::string_view text, size_t n_operands) {
  Equation e;
  const size_t arrow = text.find("->");
  std::string_view left = text.substr(0, arrow);
  for (;;) {
    const size_t comma = left.find(',');
    e.operands.push_back(letters_of(left.substr(0, comma), "operand " + std::to_string(e.operands.size())));
    if (comma == std::string_view::npos) break;
    left.remove_prefix(comma + 1);
  }
  check(e.operands.size() >= n_operands,
        "einsum(): more operands were provided than specified in the equation");
  check(e.operands.size() <= n_operands,
        "einsum(): fewer operands were provided than specified in the equation");
  e.has_result = arrow != std::string_view::npos;
  if (e.has_result) e.result = letters_of(text.substr(arrow + 2), "the output");
  return e;
}

// The place of each letter among the dimensions that all operands are permuted to.
struct Layout {
  std::array<int, 128> place;  // −1: nowhere
  int ellipsis = 0, n_ellipsis = 0, n_result = 0, n = 0;
};

Layout laid_out(const Equation& e, const std::vector<Tensor>& operands) {
  Layout l;
  l.place.fill(-1);
  std::array<int, 128> count{};
  bool any_ellipsis = false;
  for (size_t k = 0; k < operands.size(); ++k) {
    const std::string& letters = e.operands[k];
    const bool dots = letters.find(kEllipsis) != std::string::npos;
    const auto named = int64_t(letters.size()) - dots;
    check(
        dots ? named <= operands[k].dim() : named == operands[k].dim(),
        "einsum(): the number of subscripts in the equation ({}) {} the number of dimensions ({}) for operand {}{}",
        named, dots ? "is more than" : "does not match", operands[k].dim(), k,
        dots ? "" : " and no ellipsis was given");
    if (dots) l.n_ellipsis = std::max(l.n_ellipsis, int(operands[k].dim() - named));
    any_ellipsis = any_ellipsis || dots;
    for (char c : letters) ++count[size_t(c)];
  }
  std::string result = e.result;
  if (!e.has_result) {
    if (any_ellipsis) result = kEllipsis;
    for (int c = 'A'; c <= 'z'; ++c)
      if (count[size_t(c)] == 1) result += char(c);
  }
  bool dots = false;
  for (char c : result) {
    if (c == kEllipsis) {
      l.ellipsis = l.n, l.n += l.n_ellipsis, dots = true;
      continue;
    }
    check(l.place[size_t(c)] < 0, "einsum(): output subscript {} appears more than once in the output", c);
    check(count[size_t(c)] > 0,
          "einsum(): output subscript {} does not appear in the equation for any input operand", c);
    l.place[size_t(c)] = l.n++;
  }
  l.n_result = l.n;
  if (!dots) l.ellipsis = l.n, l.n += l.n_ellipsis;
  for (int c = 'A'; c <= 'z'; ++c)
    if (count[size_t(c)] && l.place[size_t(c)] < 0) l.place[size_t(c)] = l.n++;
  return l;
}

// Permutes x to the layout; dimensions that x lacks get size 1. A repeated letter takes the diagonal.
Tensor placed(Tensor x, std::string letters, const Layout& l) {
  for (size_t i = 0; i < letters.size(); ++i)
    for (size_t j = i + 1; j < letters.size(); ++j) {
      if (letters[i] != letters[j]) continue;
      const size_t dots = letters.find(kEllipsis);
      const auto shift = [&](size_t at) {
        return int64_t(at) + (dots < at ? x.dim() - int64_t(letters.size()) : 0);
      };
      x = x.diagonal(0, shift(i), shift(j));  // the diagonal is the last dimension
      const char c = letters[i];
      letters.erase(j, 1), letters.erase(i, 1), letters += c;
      i = size_t(-1);
      break;
    }
  const auto named = int64_t(letters.size()) - (letters.find(kEllipsis) != std::string::npos);
  Dims order;
  for (int d = 0; d < l.n; ++d) order.push(-1);
  int64_t at = 0;
  for (char c : letters) {
    if (c != kEllipsis) {
      order[l.place[size_t(c)]] = at++;
      continue;
    }
    const int64_t here = x.dim() - named;  // an operand's dimensions are right-aligned in the ellipsis
    for (int64_t d = 0; d < here; ++d) order[l.ellipsis + l.n_ellipsis - here + d] = at++;
  }
  for (int d = 0; d < l.n; ++d)
    if (order[d] < 0) {
      order[d] = x.dim();
      x = x.unsqueeze(-1);
    }
  return x.permute(order);
}

// Σ over `dims` of a·b by a batched product of matrices; the summed dimensions stay with size 1.
Tensor product_sum(const Tensor& a, const Tensor& b, const Dims& dims) {
  bool summed[kMaxDims] = {};
  for (int64_t d : dims) summed[d] = true;
  Dims batch, left, right, sum, shape;
  int64_t n_batch = 1, n_left = 1, n_right = 1, n_sum = 1;
  for (int64_t d = 0; d < a.dim(); ++d) {
    const int64_t size_a = a.shape()[d], size_b = b.shape()[d];
    if (summed[d])
      sum.push(d), n_sum *= size_a;
    else if (size_a != 1 && size_b != 1)
      batch.push(d), n_batch *= size_a;
    else if (size_a != 1)
      left.push(d), n_left *= size_a;
    else
      right.push(d), n_right *= size_b;
  }
  const auto joined = [](std::initializer_list<const Dims*> parts) {
    Dims all;
    for (const Dims* p : parts)
      for (int64_t d : *p) all.push(d);
    return all;
  };
  const Tensor x = a.permute(joined({&batch, &left, &sum, &right})).reshape({n_batch, n_left, n_sum});
  const Tensor y = b.permute(joined({&batch, &sum, &right, &left})).reshape({n_batch, n_sum, n_right});
  const Dims order = joined({&batch, &left, &sum, &right});
  Dims back = order;
  for (int i = 0; i < order.n; ++i) {
    const int64_t d = order[i];
    shape.push(summed[d] ? 1 : std::max(a.shape()[d], b.shape()[d]));
    back[d] = i;
  }
  return bmm(x, y).view(shape).permute(back);
}

// Throws unless all operands have the same size along each dimension, or size 1.
void check_sizes(const std::vector<Tensor>& operands, const Layout& l) {
  for (int d = 0; d < l.n; ++d) {
    std::string letter = "from the ellipsis";
    for (int c = 'A'; c <= 'z'; ++c)
      if (l.place[size_t(c)] == d) letter = char(c);
    int64_t size = 1;
    for (size_t k = 0; k < operands.size(); ++k) {
      const int64_t here = operands[k].shape()[d];
      check(here == 1 || size == 1 || here == size,
            "einsum(): subscript {} has size {} for operand {} which does not broadcast with previously seen "
            "size {}",
            letter, here, k, size);
      if (here != 1) size = here;
    }
  }
}

}  // namespace

Tensor einsum(std::string_view equation, std::vector<Tensor> operands) {
  check(!operands.empty(),
        "einsum(): must specify the equation string and at least one operand, or at least one "
        "operand and its subscripts list");
  const Equation e = parsed(equation, operands.size());
  const Layout l = laid_out(e, operands);
  for (size_t k = 0; k < operands.size(); ++k) operands[k] = placed(operands[k], e.operands[k], l);
  check_sizes(operands, l);
  Tensor a = operands[0];
  for (size_t k = 1; k < operands.size(); ++k) {
    const Tensor b = operands[k];
    Dims both, alone_a, alone_b;
    for (int64_t d = l.n_result; d < l.n; ++d) {
      bool later = false;
      for (size_t j = k + 1; j < operands.size(); ++j) later = later || operands[j].shape()[d] != 1;
      if (later) continue;
      const bool in_a = a.shape()[d] != 1, in_b = b.shape()[d] != 1;
      if (in_a && in_b) both.push(d);
      if (in_a && !in_b) alone_a.push(d);
      if (in_b && !in_a) alone_b.push(d);
    }
    if (alone_a.n) a = sum(a, alone_a, true);
    const Tensor other = alone_b.n ? sum(b, alone_b, true) : b;
    a = both.n ? product_sum(a, other, both) : mul(a, other);
  }
  if (l.n == l.n_result) return a;
  if (operands.size() == 1) {
    Dims rest;
    for (int64_t d = l.n_result; d < l.n; ++d) rest.push(d);
    return sum(a, rest);
  }
  Dims shape;
  for (int d = 0; d < l.n_result; ++d) shape.push(a.shape()[d]);
  return a.view(shape);
}

}  // namespace glassgrad::GG_HOST
