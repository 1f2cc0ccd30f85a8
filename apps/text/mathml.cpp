#include "mathml.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "engine/core/error.h"
#include "engine/core/for_scope.h"

namespace glassgrad {
namespace {

// Says how an atom stands to its neighbours: a name like log keeps apart from letters, a minus after an
// opening bracket or a relation is a sign.
enum class Kind : uint8_t { None, Letter, Name, Large, Between, Open, Close, Group };

constexpr int kDeepest = 100;

struct Symbol {
  std::string_view command, sign;
  Kind kind;
};
constexpr std::array kSymbols = std::to_array<Symbol>({
    {"Phi", "Φ", Kind::Letter},     {"alpha", "α", Kind::Letter},      {"angle", "∠", Kind::Letter},
    {"cdot", "⋅", Kind::Between},   {"cdots", "⋯", Kind::Letter},      {"cos", "cos", Kind::Name},
    {"epsilon", "ϵ", Kind::Letter}, {"infty", "∞", Kind::Letter},      {"ldots", "…", Kind::Letter},
    {"le", "≤", Kind::Between},     {"leftarrow", "←", Kind::Between}, {"ln", "ln", Kind::Name},
    {"log", "log", Kind::Name},     {"max", "max", Kind::Name},        {"mu", "μ", Kind::Letter},
    {"ne", "≠", Kind::Between},     {"odot", "⊙", Kind::Between},      {"omega", "ω", Kind::Letter},
    {"partial", "∂", Kind::Letter}, {"pi", "π", Kind::Letter},         {"prod", "∏", Kind::Large},
    {"sigma", "σ", Kind::Letter},   {"sim", "∼", Kind::Between},       {"sin", "sin", Kind::Name},
    {"sum", "∑", Kind::Large},      {"tanh", "tanh", Kind::Name},      {"theta", "θ", Kind::Letter},
    {"top", "⊤", Kind::Letter},     {"vdots", "⋮", Kind::Letter},
});
constexpr std::array kSpaces = std::to_array<std::pair<std::string_view, std::string_view>>(
    {{"!", "-0.167em"}, {",", "0.167em"}, {";", "0.278em"}, {"quad", "1em"}, {"qquad", "2em"}});

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : text)
    safe += c == '&'   ? "&amp;"
            : c == '<' ? "&lt;"
            : c == '>' ? "&gt;"
            : c == '"' ? "&quot;"
                       : std::string(1, c);
  return safe;
}

std::string element(std::string_view tag, std::string_view inside, std::string_view attributes = "") {
  return fmt::format("<{0}{2}>{1}</{0}>", tag, inside, attributes);
}
std::string space(std::string_view width) { return fmt::format("<mspace width=\"{}\"/>", width); }
std::string bracket(std::string_view sign) { return element("mo", escaped(sign)); }
// A single letter is slanted, unless it is told not to be.
std::string upright(std::string_view name) {
  return element("mi", escaped(name), name.size() == 1 ? " mathvariant=\"normal\"" : "");
}

struct Atom {
  std::string markup;
  Kind kind;
};

class Formula {
 public:
  explicit Formula(std::string_view latex) : whole_(latex), rest_(latex) {}

  std::string parts() {
    std::string all;
    do {
      all += part();
    } while (!rest_.empty() && !ends());
    check(rest_.empty(), "the formula {} has {} where nothing opens it", whole_, rest_);
    return all;
  }

 private:
  struct Row {
    std::string markup;
    int atoms = 0;
  };

  // Reads until a wide space. Each piece that may stand on a line of its own is a row.
  std::string part() {
    std::string pieces, wide;
    Kind last = Kind::None;
    do {
      const bool goes_on = last != Kind::None;
      std::string piece = row(last, true).markup;
      if (goes_on && piece.starts_with("<mo>")) piece.insert(3, " form=\"infix\"");
      for (const std::string_view command : {"\\quad", "\\qquad"})
        if (takes(command)) piece += wide = space(width(command.substr(1)));
      pieces += element("mrow", piece);
    } while (wide.empty() && !ends());
    return element("mrow", pieces);
  }

  void skip_spaces() {
    while (!rest_.empty() && std::isspace(uint8_t(rest_.front()))) rest_.remove_prefix(1);
  }
  // Returns whether the formula goes on with the sign or the whole command.
  bool sees(std::string_view token) {
    skip_spaces();
    if (!rest_.starts_with(token)) return false;
    const bool is_word = token.size() > 1 && std::isalpha(uint8_t(token[1]));
    return !is_word || rest_.size() == token.size() || !std::isalpha(uint8_t(rest_[token.size()]));
  }
  bool takes(std::string_view token) {
    if (!sees(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  void expect(std::string_view token) {
    check(takes(token), "the formula {} has no {} where one must be", whole_, token);
  }
  bool ends() {
    return rest_.empty() || sees("}") || sees("&") || sees("\\\\") || sees("\\end") || sees("\\right");
  }

  static std::string_view width(std::string_view command) {
    const auto* const found =
        std::find_if(kSpaces.begin(), kSpaces.end(), [&](const auto& one) { return one.first == command; });
    return found == kSpaces.end() ? std::string_view() : found->second;
  }

  Row row() {
    Kind last = Kind::None;
    return row(last, false);
  }
  // Reads until something ends that was opened before, or until a wide space; a part ends also where a line
  // may end. last: the kind of the atom before.
  Row row(Kind& last, bool is_piece) {
    Row made;
    while (!ends() && !sees("\\quad") && !sees("\\qquad")) {
      if (is_piece && made.atoms && (sees("=") || sees("+") || sees("\\leftarrow"))) break;
      Atom atom = with_scripts(last);
      const bool is_near =
          last == Kind::Letter || last == Kind::Name || last == Kind::Close || last == Kind::Group;
      if ((atom.kind == Kind::Name && is_near) || (last == Kind::Name && atom.kind == Kind::Letter))
        made.markup += space(width(","));
      made.markup += atom.markup;
      if (atom.kind != Kind::None) last = atom.kind;
      ++made.atoms;
    }
    return made;
  }
  static std::string one(const Row& row) { return row.atoms == 1 ? row.markup : element("mrow", row.markup); }

  Atom with_scripts(Kind last) {
    const bool is_brace = sees("\\underbrace");
    Atom atom = nucleus(last);
    // A prime is raised as it is: as a script it would be hard to see.
    if (takes("'")) atom.markup = element("mrow", atom.markup + element("mo", "′"));
    std::string below, above;
    for (;;) {
      if (below.empty() && takes("_"))
        below = argument();
      else if (above.empty() && takes("^"))
        above = argument();
      else
        break;
    }
    check(!sees("_") && !sees("^"), "the formula {} has two scripts at one place: {}", whole_, rest_);
    if (below.empty() && above.empty()) return atom;
    const bool stacked = is_brace || atom.kind == Kind::Large;
    const std::string_view tag = above.empty()   ? (stacked ? "munder" : "msub")
                                 : below.empty() ? (stacked ? "mover" : "msup")
                                                 : (stacked ? "munderover" : "msubsup");
    return {element(tag, atom.markup + below + above), atom.kind};
  }

  // The argument of a command or a script: a group, or one sign.
  std::string argument() {
    if (takes("{")) {
      Row inside = row();
      expect("}");
      return one(inside);
    }
    check(!ends(), "the formula {} has no argument where one must be", whole_);
    if (std::isdigit(uint8_t(rest_.front()))) return element("mn", next(1));
    return nucleus(Kind::None).markup;
  }

  std::string_view next(size_t count) {
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(taken.size());
    return taken;
  }

  // The text in braces, which is not mathematics: \_ is a _.
  std::string braced() {
    expect("{");
    std::string text(next(rest_.find('}')));
    expect("}");
    for (size_t at = 0; (at = text.find("\\_", at)) != text.npos; ++at) text.erase(at, 1);
    check(text.find('\\') == text.npos, "the formula {} has a command in the text '{}'", whole_, text);
    return text;
  }

  Atom nucleus(Kind last) {
    const ForScope<int> deeper(depth_, depth_ + 1);
    check(depth_ <= kDeepest, "a formula has brackets in brackets, more than {} deep", kDeepest);
    skip_spaces();
    check(!rest_.empty(), "the formula {} ends where something must be", whole_);
    const char c = rest_.front();
    if (c == '\\') return command();
    if (c == '{') return {argument(), Kind::Group};
    if (std::isdigit(uint8_t(c))) {
      size_t end = 1;
      while (end < rest_.size() && (std::isdigit(uint8_t(rest_[end])) || rest_[end] == '.')) ++end;
      return {element("mn", next(end)), Kind::Letter};
    }
    const std::string sign = escaped(next(1));
    if (std::isalpha(uint8_t(c))) return {element("mi", sign), Kind::Letter};
    switch (c) {
      case '(':
      case '[':
        return {element("mo", sign, " stretchy=\"false\""), Kind::Open};
      case ')':
      case ']':
        return {element("mo", sign, " stretchy=\"false\""), Kind::Close};
      case '|':
      case '/':
        return {upright(sign), Kind::Group};
      case '-':
      case '+': {
        const bool is_sign = last == Kind::None || last == Kind::Open || last == Kind::Between;
        return {element("mo", c == '-' ? "−" : "+", is_sign ? " form=\"prefix\"" : ""), Kind::Between};
      }
      case '=':
      case '>':
      case '<':
      case ',':
      case ';':
        return {element("mo", sign), Kind::Between};
    }
    fail("the formula {} has '{}', which a page cannot show", whole_, c);
  }

  Atom command() {
    size_t end = 1;
    while (end < rest_.size() && std::isalpha(uint8_t(rest_[end]))) ++end;
    const std::string_view name = next(std::max<size_t>(end, 2)).substr(1);
    const auto* const symbol = std::find_if(kSymbols.begin(), kSymbols.end(),
                                            [&](const Symbol& one) { return one.command == name; });
    if (symbol != kSymbols.end()) {
      const bool is_operator = symbol->kind == Kind::Between || symbol->kind == Kind::Large;
      const bool is_capital = std::isupper(uint8_t(name.front()));
      return {element(is_operator ? "mo" : "mi", symbol->sign, is_capital ? " mathvariant=\"normal\"" : ""),
              symbol->kind};
    }
    if (const std::string_view wide = width(name); !wide.empty()) return {space(wide), Kind::None};
    if (name == "mathrm") return {upright(braced()), Kind::Letter};
    if (name == "text") return {words(braced()), Kind::Group};
    if (name == "frac" || name == "tfrac") {
      const std::string above = argument(), below = argument();
      return {element("mfrac", above + below, name == "tfrac" ? " displaystyle=\"false\"" : ""), Kind::Group};
    }
    if (name == "sqrt") return {element("msqrt", argument()), Kind::Group};
    if (name == "hat")
      return {element("mover", argument() + "<mo stretchy=\"false\">^</mo>", " accent=\"true\""),
              Kind::Letter};
    if (name == "underbrace") return {element("munder", argument() + bracket("⏟")), Kind::Group};
    if (name == "left") return {between_brackets(), Kind::Group};
    if (name == "begin") return {table(), Kind::Group};
    fail("the formula {} has \\{}, which a page cannot show", whole_, name);
  }

  // A space at an edge of a text would vanish.
  static std::string words(std::string text) {
    const std::string_view kept = "\u00a0";
    if (text.ends_with(' ')) text.replace(text.size() - 1, 1, kept);
    if (text.starts_with(' ')) text.replace(0, 1, kept);
    return element("mtext", escaped(text));
  }

  std::string between_brackets() {
    expect("(");
    const std::string inside = row().markup;
    expect("\\right");
    expect(")");
    return element("mrow", bracket("(") + inside + bracket(")"));
  }

  std::string table() {
    const std::string name = braced();
    const bool is_cases = name == "cases";
    check(is_cases || name == "bmatrix" || name == "pmatrix",
          "the formula {} has \\begin{{{}}}, which a page cannot show", whole_, name);
    std::string rows, cells;
    for (;;) {
      cells += element("mtd", row().markup);
      if (takes("&")) continue;
      rows += element("mtr", std::exchange(cells, {}));
      if (!takes("\\\\")) break;
    }
    expect("\\end");
    check(braced() == name, "the formula {} does not end what it begins: {}", whole_, name);
    const std::string body = element("mtable", rows, is_cases ? " columnalign=\"left\"" : "");
    if (is_cases) return element("mrow", bracket("{") + body);
    const bool is_round = name == "pmatrix";
    return element("mrow", bracket(is_round ? "(" : "[") + body + bracket(is_round ? ")" : "]"));
  }

  std::string_view whole_, rest_;
  int depth_ = 0;
};

}  // namespace

namespace {

std::string labelled(std::string_view inside, std::string_view text) {
  return element("math", inside, fmt::format(" display=\"block\" aria-label=\"{}\"", escaped(text)));
}

}  // namespace

std::string mathml(std::string_view latex, std::string_view text) {
  return labelled(Formula(latex).parts(), text);
}

std::string mathml_or_text(std::string_view latex, std::string_view text) {
  try {
    return mathml(latex, text);
  } catch (const Error&) {
    return labelled(element("mtext", escaped(text)), text);
  }
}

}  // namespace glassgrad
