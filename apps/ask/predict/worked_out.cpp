#include "apps/ask/predict/worked_out.h"

#include <fmt/core.h>

#include <algorithm>

#include "apps/ask/why/opened_cell.h"
#include "apps/lesson/phrases.h"

namespace glassgrad::learn {
namespace {

constexpr size_t kMostInALine = 16;

// The precedence of the text written last: a sum needs brackets in a product.
enum class Precedence : uint8_t { Sum, Product, Whole };

class Writer {
 public:
  Writer(const Recording& recording, const CellNames& names, const Step& here)
      : recording_(recording), names_(names), here_(here) {}

  struct Written {
    std::string text;
    Precedence precedence = Precedence::Whole;
    bool is_zero = false;  // a constant that a sum began with
  };
  // Returns none if the number cannot be written this way.
  std::optional<Written> computed(const SnapshotElement& cell) {
    const auto found = computed_at(*recording_.trace, cell);
    if (!found) return {};
    return term(found->tree, recording_.trace->calls()[found->cell.call]);
  }
  std::vector<std::string> numbers;  // for WorkedOut::numbers

 private:
  std::optional<Written> leaf(const SnapshotElement& place) {
    const double value = to_double(element(place.x.tensor(), place.index));
    const CellName name = names_.name(place, &here_);
    if (!name.step && !name.is_given && !name.is_value && recording_.trace->writer(place.x, place.index))
      if (auto inside = computed(place)) return inside;
    if (++count_ > kMostInALine) return {};
    if (name.step || name.is_given) {
      const std::string text =
          fmt::format("{} = {}", name.step == &here_ ? name.brief() : name.full(), digits(value));
      if (std::find(numbers.begin(), numbers.end(), text) == numbers.end()) numbers.push_back(text);
    }
    const bool is_constant = !name.step && !name.is_given;
    return Written{digits(value), value < 0 ? Precedence::Sum : Precedence::Whole, is_constant && value == 0};
  }

  std::optional<Written> term(const Expr& tree, const RecordedCall& call) {
    const std::string_view op = tree->op;
    if (!tree->label.empty()) return {};  // it has its own line where its cell is opened
    if (op == "cell") return leaf({call.in[size_t(tree->input)], tree->index});
    if (op == "number")
      return Written{digits(to_double(tree.value())), Precedence::Whole, to_double(tree.value()) == 0};
    if (op == "cast" || op == "pick") return term(tree->inputs[0], call);
    if (op == "sum" || op == "dot" || op == "add") return joined(tree, call, " + ", Precedence::Sum);
    if (op == "sub") return joined(tree, call, " - ", Precedence::Sum);
    if (op == "mul") return joined(tree, call, "·", Precedence::Product);
    if (op == "div") return joined(tree, call, " / ", Precedence::Product);
    if (op != "exp") return {};
    const auto inside = term(tree->inputs[0], call);
    if (!inside) return {};
    return Written{fmt::format("exp({})", inside->text), Precedence::Whole};
  }

  std::optional<Written> joined(const Expr& tree, const RecordedCall& call, const char* sign,
                                Precedence precedence) {
    const bool is_sum = std::string_view(sign) == " + ";
    std::vector<Written> parts;
    for (const Expr& input : tree->inputs) {
      auto part = term(input, call);
      if (!part) return {};
      if (!is_sum || !part->is_zero) parts.push_back(std::move(*part));
    }
    if (parts.empty()) return Written{digits(0), Precedence::Whole, true};
    if (parts.size() == 1) return parts[0];
    std::string text;
    for (size_t i = 0; i < parts.size(); ++i) {
      const bool brackets =
          parts[i].precedence < precedence || (i > 0 && !is_sum && parts[i].precedence == precedence);
      if (i > 0) text += sign;
      text += brackets ? fmt::format("({})", parts[i].text) : parts[i].text;
    }
    return Written{std::move(text), precedence};
  }

  const Recording& recording_;
  const CellNames& names_;
  const Step& here_;
  size_t count_ = 0;
};

}  // namespace

std::optional<WorkedOut> worked_out(const Recording& recording, const CellNames& names,
                                    const SnapshotElement& cell, const Step& here) {
  Writer writer(recording, names, here);
  auto written = writer.computed(cell);
  if (!written || writer.numbers.empty()) return {};
  return WorkedOut{std::move(written->text), std::move(writer.numbers)};
}

}  // namespace glassgrad::learn
