#include "table.h"

#include <deque>
#include <map>
#include <mutex>

#include "engine/graph.h"

namespace glassgrad::GG_HOST {

Row named_row(unsigned places, std::string_view signature) {
  return {places,
          signature,
          {[](const Arguments& a, AnyFunction) -> Result {
             for (size_t i = 0; i < a.signature->parameters().size(); ++i)
               if (const Kind k = a.signature->parameters()[i].kind; k == Kind::Name || k == Kind::Names) {
                 const Tensor* const x = as_tensor(a.slot[0]);
                 if (!x || !a.slot[i]) break;
                 std::string none;
                 for (int64_t d = 0; d < x->dim(); ++d) none += d ? ", None" : "None";
                 const Object name = is_text(a.slot[i]) ? a.slot[i] : item(a.slot[i], 0);
                 fail("Name '{}' not found in Tensor[{}].", to_text(name), none);
               }
             fail("glassgrad's dimensions have no names");
           },
           nullptr},
          0,
          0};
}

namespace {

Facts& facts_of(Row& r) {
  static auto& all = *new std::deque<Facts>;
  return *(r.facts = r.facts ? r.facts : &all.emplace_back());
}

}  // namespace

const Facts& Row::said() const {
  static const Facts nothing;
  return facts ? *facts : nothing;
}
Row& Row::help(std::string_view what_it_computes) {
  facts_of(*this).help = what_it_computes;
  return *this;
}
Row& Row::autocast(Cast cast) { return autocast_on_cpu(cast).autocast_on_gpu(cast); }
Row& Row::autocast_on_cpu(Cast cast) {
  facts_of(*this).casts[int(DeviceType::CPU)] = cast;
  return *this;
}
Row& Row::autocast_on_gpu(Cast cast) {
  facts_of(*this).casts[int(DeviceType::CUDA)] = cast;
  return *this;
}
Row& Row::in_place(unsigned places_of_form) {
  facts_of(*this).in_place = places_of_form;
  return *this;
}
Row& Row::out(const OutRule& rule, const char* known_as) {
  std::optional<OutRule>& own = facts_of(*this).out;
  own = rule;
  own->known_as = known_as;
  return *this;
}

Tensor rename_node(const char* node, const Tensor& y) {
  if (!y || !y->fn) return y;
  static auto& ops = *new std::map<std::pair<const Op*, std::string_view>, Op>;  // nodes point into it
  static std::mutex one_at_a_time;
  const Op& op = *y->fn->op;
  const std::scoped_lock lock(one_at_a_time);
  const auto found = ops.try_emplace({&op, node}, Op{op.name, node, op.formula, op.why}).first;
  y->fn->op = &found->second;
  return y;
}

}  // namespace glassgrad::GG_HOST
