#include <algorithm>

#include "apps/ask/diff/render.h"
#include "apps/cli/json_number.h"

namespace glassgrad::diff {
namespace {

std::vector<int64_t> list(const Dims& dims) { return {dims.begin(), dims.end()}; }

const char* word_of(Difference::Kind kind) {
  switch (kind) {
    case Difference::Kind::None:
      return "equal";
    case Difference::Kind::Rounding:
      return "rounding";
    case Difference::Kind::Cells:
      return "different";
    case Difference::Kind::Shapes:
      break;
  }
  return "shapes";
}

Json json_of(const Difference& d, const Value& left, const Value& right) {
  Json json{{"left", left.address()}, {"right", right.address()}, {"found", word_of(d.kind)}};
  if (d.kind == Difference::Kind::Shapes) {
    json["shapes"] = {list(left.x.shape()), list(right.x.shape())};
    return json;
  }
  json["largest"] = json_number(d.largest);
  if (d.kind != Difference::Kind::Cells) return json;
  json["cells"] = {list(d.left_cell), list(d.right_cell)};
  json["values"] = {json_number(d.left), json_number(d.right)};
  return json;
}

// Returns the addresses of the values that are in no pair.
Json alone(const Side& side, const std::vector<ComparedPair>& compared, size_t Pair::*place) {
  Json names = Json::array();
  for (size_t i = 0; i < side.values.size(); ++i)
    if (std::none_of(compared.begin(), compared.end(),
                     [&](const ComparedPair& c) { return c.pair.*place == i; }))
      names.push_back(side.values[i].address());
  return names;
}

}  // namespace

void render_json(const Sides& sides, const std::vector<ComparedPair>& compared, Output& out) {
  Json pairs = Json::array(), place = nullptr;
  const ComparedPair* first = first_difference(compared);
  for (const ComparedPair& c : compared) {
    if (&c == first) place = pairs.size();
    pairs.push_back(json_of(c.difference, sides.left.values[c.pair.left], sides.right.values[c.pair.right]));
  }
  const Json all{{"left", sides.left.title},
                 {"right", sides.right.title},
                 {"notes", sides.notes},
                 {"pairs", pairs},
                 {"first_difference", place},
                 {"alone",
                  {{"left", alone(sides.left, compared, &Pair::left)},
                   {"right", alone(sides.right, compared, &Pair::right)}}}};
  out.write(json_text(all, 2) + "\n");
}

}  // namespace glassgrad::diff
