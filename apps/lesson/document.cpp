#include "apps/lesson/document.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <set>
#include <tuple>

#include "apps/lesson/document_words.h"
#include "engine/core/error.h"

namespace glassgrad::learn {
namespace {

class Reader {
 public:
  Reader(std::string_view text, std::string file, const std::map<std::string, std::string>* model)
      : model_(model) {
    made_.file = std::move(file);
    made_.written = text;
    const size_t slash = made_.file.rfind('/');
    made_.id = made_.file.substr(slash == std::string::npos ? 0 : slash + 1);
    if (made_.id.ends_with(".md")) made_.id.resize(made_.id.size() - 3);
    check_size(text, made_.file);
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // the byte order mark of some editors
    for (size_t at = 0; at < text.size();) {
      const size_t end = std::min(text.find('\n', at), text.size());
      std::string_view line = text.substr(at, end - at);
      if (line.ends_with('\r')) line.remove_suffix(1);
      check_text(line, made_.file, lines_.size() + 1);
      lines_.push_back(line);
      at = end + 1;
    }
  }

  Document read() {
    if (lines_.empty() || !lines_[0].starts_with("# ") || trimmed(lines_[0].substr(2)).empty())
      refuse(0, "a lesson begins with its title: # Title");
    made_.title = trimmed(lines_[0].substr(2));
    for (at_ = 1; at_ < lines_.size(); ++at_) {
      const std::string_view line = lines_[at_];
      if (line.find('\t') != std::string_view::npos) refuse(at_, "there is a tab here: write spaces");
      if (line.starts_with("```"))
        block(line.substr(3));
      else if (line.starts_with("#"))
        heading(line);
      else if (line.starts_with(":::"))
        condition(trimmed(line.substr(3)));
      else if (starts_directive(line))
        directive(line);
      else if (is_of_exercise(line))
        of_exercise(line);
      else if (!trimmed(line).empty())
        paragraph();
    }
    if (condition_) refuse_line(condition_->line, "this ::: has no end");
    finish();
    return std::move(made_);
  }

 private:
  [[noreturn]] void refuse_line(int line, const std::string& text) const {
    fail("{}:{}: {}", made_.file, line, text);
  }
  [[noreturn]] void refuse(size_t at, const std::string& text) const {
    refuse_line(static_cast<int>(at) + 1, text);
  }

  DocumentStep& step(const char* what) {
    if (made_.steps.empty())
      refuse(at_, fmt::format("{} stands before the first step: ### Title {{#address}}", what));
    return made_.steps.back();
  }

  void heading(std::string_view line) {
    if (condition_) refuse_line(condition_->line, "this ::: has no end");
    replaces_ = false;
    const size_t level = line.find_first_not_of('#');
    if (level < 2 || level > 4 || line[level] != ' ')
      refuse(at_, "a heading is ## Part, ### Step {#address} or #### Step inside it {#address}");
    std::string_view text = trimmed(line.substr(level));
    const size_t open = text.rfind("{#");
    if (open == std::string_view::npos) {
      if (level > 2) refuse(at_, "a step has an address: ### Title {#address}");
      part_ = text;
      block_ = nullptr;
      return;
    }
    if (!text.ends_with('}')) refuse(at_, "nothing follows the address: ### Title {#address}");
    DocumentStep made{.id = {},
                      .title = std::string(trimmed(text.substr(0, open))),
                      .part = part_,
                      .aliases = {},
                      .inside = level == 4,
                      .items = {},
                      .hints = {},
                      .expected = {},
                      .line = int(at_) + 1};
    if (made.title.empty()) refuse(at_, "a step has a title: ### Title {#address}");
    if (made.inside && made_.steps.empty()) refuse(at_, "#### stands below the step that it is inside of");
    for (std::string& address : parts_of(text.substr(open + 1, text.size() - open - 2), " ")) {
      if (!address.starts_with('#') || !is_address(address.substr(1)))
        refuse(at_, fmt::format("{} is no address: one has a-z, 0-9, - and .", address));
      address.erase(0, 1);
      const auto [known, fresh] = addresses_.try_emplace(address, int(at_) + 1);
      if (!fresh) refuse(at_, fmt::format("#{} is taken by line {}", address, known->second));
      if (made.id.empty())
        made.id = address;
      else
        made.aliases.push_back(address);
    }
    made_.steps.push_back(std::move(made));
    block_ = nullptr;
  }

  void block(std::string_view info) {
    const size_t begin = at_;
    std::vector<std::string> body;
    for (++at_; at_ < lines_.size() && lines_[at_] != "```"; ++at_) body.emplace_back(lines_[at_]);
    if (at_ == lines_.size()) refuse(begin, "this block has no end");
    const std::string_view word = info.substr(0, info.find(' ')), rest = trimmed(info.substr(word.size()));
    if (word == "lesson") return header(begin, body);
    if (word == "math") return math(begin, std::string(rest), body);
    const bool diff = word == "diff" && !mistake_.empty();
    if (word != "python" && !diff)
      refuse(begin,
             fmt::format("a block is python, math or lesson, not {}", word.empty() ? "nothing" : word));
    if (condition_) refuse(begin, "a condition holds prose and formulas only, no blocks");
    FencedCode made;
    made.line = static_cast<int>(begin) + 2;
    const bool of_model = rest == "model" || rest.starts_with("model ");
    read_info(begin, of_model ? trimmed(rest.substr(5)) : rest, made);
    made.lines = diff ? changed_blank(begin, body) : std::move(body);
    if (of_model && !takes_place(begin)) return;
    replaces_ = of_model;
    made.mistake = std::exchange(mistake_, {});
    for (size_t k = 0; k < made.lines.size(); ++k) read_comment(made, k, begin + 1 + k);
    if (of_model && made.lines.empty()) return;
    if (!made.mistake.empty() && made_.steps.back().hints.empty()) check_shown_mistake(begin, made);
    if (made_.steps.empty()) {
      if (made.whose != FencedCode::Hidden) refuse(begin, "before the first step stand hidden blocks only");
      made_.opening.push_back(std::move(made));
      block_ = nullptr;
      return;
    }
    std::vector<Item>& items = made_.steps.back().items;
    items.emplace_back(std::move(made));
    block_ = &std::get<FencedCode>(items.back());
  }

  // Lets one or more blocks `python model` replace the block above. Returns false if no model is given.
  bool takes_place(size_t at) {
    made_.takes_model = true;
    if (!block_ || (!replaces_ && !std::holds_alternative<FencedCode>(made_.steps.back().items.back())))
      refuse(at, "python model: these lines stand for the block right above them");
    if (model_ && !replaces_) made_.steps.back().items.pop_back();
    block_ = &left_out_;
    return model_;
  }

  void read_info(size_t at, std::string_view rest, FencedCode& made) {
    const std::string_view all = rest;
    const auto take = [&](std::string_view word) {
      if (rest != word && !rest.starts_with(std::string(word) + " ")) return false;
      rest = trimmed(rest.substr(word.size()));
      return true;
    };
    if (take("ours"))
      made.whose = FencedCode::Ours;
    else if (take("hidden"))
      made.whose = FencedCode::Hidden;
    if (take("raises")) {
      made.raises = rest.substr(0, rest.find(' '));
      rest = trimmed(rest.substr(made.raises.size()));
      if (!is_name(made.raises)) refuse(at, "raises TYPE: the exception that ends the block");
    }
    if (take("inside")) {
      const size_t slash = rest.rfind(" / ");
      made.inside = trimmed(rest.substr(0, slash));
      if (slash != std::string_view::npos) made.below = trimmed(rest.substr(slash + 3));
      if (made.inside.empty()) refuse(at, "inside CALL: the call that these lines are part of");
      rest = "";
    }
    if (!rest.empty()) refuse(at, fmt::format("not understood: python {}", all));
  }

  // Returns the lines of the blank above with a diff applied.
  std::vector<std::string> changed_blank(size_t begin, const std::vector<std::string>& diff) const {
    const FencedCode& right = *made_.steps.back().right();
    const std::vector<std::string> shown = right.shown({});
    const size_t margin = shown[right.blank.front()].find_first_not_of(' ');
    std::vector<std::string> lines;
    for (size_t k = right.blank.front(); k <= right.blank.back(); ++k)
      lines.push_back(shown[k].substr(std::min(margin, shown[k].size())));
    if (!change_by_diff(lines, diff))
      refuse(begin, "lines of a diff that do not begin with + stand in the blank once, one after the other");
    return lines;
  }

  // Checks a mistake that the step shows: its lines run in place of the blank and are shown as changes to it.
  void check_shown_mistake(size_t at, const FencedCode& made) const {
    const FencedCode& right = *made_.steps.back().right();
    if (made_.steps.back().mistake().wrong) refuse(at, "a step without hints shows one mistake");
    if (!made.marks.empty()) refuse(at, "wrong lines have no settings: write their numbers");
    if (made.lines.empty() || made.lines.size() > right.blank.size())
      refuse(at, fmt::format("the blank has {}: a mistake has as many, or fewer", right.blank.size()));
  }

  // #: seed (token, d_in), or only (token, d_in)
  void read_comment(FencedCode& b, size_t k, size_t at) {
    const std::string_view line = b.lines[k];
    if (line.find('\t') != std::string_view::npos) refuse(at, "there is a tab here: write spaces");
    const size_t sign = comment_of(line);
    if (sign == std::string_view::npos) return;
    std::string_view comment = line.substr(sign + 1);
    if (comment.starts_with(":")) {
      comment = trimmed(comment.substr(1));
      const std::string name(comment.substr(0, comment.find(' ')));
      comment = trimmed(comment.substr(name.size()));
      if (name == "ours")
        b.our_prints.push_back(k);
      else if (name == "blank")
        b.blank.push_back(k);
      else if (!is_name(name))
        refuse(at, "#: NAME of a setting, inputs, ours or blank");
      else
        mark(b, k, name, line.substr(0, sign), at);
    }
    if (AxisWords axes = axes_in(comment); !axes.words.empty()) b.axes[k] = std::move(axes);
  }

  void mark(FencedCode& b, size_t k, const std::string& name, std::string_view code, size_t at) {
    LineMark made{.line = k, .setting = name};
    if (name == "inputs") {
      if (code.find('=') == std::string_view::npos)
        refuse(at, "#: inputs stands on the first line of an assignment");
      made_.has_inputs = true;
      b.marks.push_back(std::move(made));
      return;
    }
    if (replaces_) return mark_literal(b, std::move(made), code, at);
    const auto setting = std::find_if(made_.settings.begin(), made_.settings.end(),
                                      [&](const auto& s) { return s.name == name; });
    if (setting == made_.settings.end()) refuse(at, fmt::format("#: {} is no setting of the header", name));
    const auto numbers = numbers_in(code);
    if (numbers.size() != 1)
      refuse(at, fmt::format("the line must have one number, to be replaced by {}; it has {}", setting->flag,
                             numbers.size()));
    std::tie(made.begin, made.end) = numbers[0];
    const std::string number(code.substr(made.begin, made.end - made.begin));
    if (setting->default_text.empty())
      setting->default_text = number;
    else if (setting->default_text != number)
      refuse(at, fmt::format("{} is {} here and {} above: lines marked with one name have one default", name,
                             number, setting->default_text));
    b.marks.push_back(std::move(made));
  }

  // Handles the mark NAME = VALUE  #: NAME, whose value comes from the trained model.
  void mark_literal(FencedCode& b, LineMark made, std::string_view code, size_t at) {
    const size_t equals = code.find(" = ");
    if (!model_->contains(made.setting) || equals == std::string_view::npos)
      refuse(at,
             fmt::format("#: {} names no value of a model, or stands on no line NAME = VALUE", made.setting));
    made.begin = equals + 3;
    made.end = code.find_last_not_of(' ') + 1;
    b.marks.push_back(std::move(made));
  }

  void directive(std::string_view line) {
    const std::string_view word = line.substr(0, 4);
    if (!block_) refuse(at_, fmt::format("{}: belongs to a block above it in its step", word));
    if (condition_) refuse(at_, "a condition holds prose and formulas only, no directives");
    Directive made{.kind = word == "show"   ? Directive::Show
                           : word == "view" ? Directive::View
                           : word == "hide" ? Directive::Hide
                                            : Directive::Loss,
                   .name = {},
                   .expression = {},
                   .axes = {},
                   .line = int(at_) + 1};
    std::string_view rest = line.substr(6);
    if (const size_t sign = comment_of(rest); sign != std::string_view::npos)
      if (AxisWords axes = axes_in(rest.substr(sign + 1)); !axes.words.empty())
        made.axes = std::move(axes), rest = rest.substr(0, sign);
    rest = trimmed(rest);
    const size_t equals = rest.find(" = ");
    made.name = trimmed(rest.substr(0, equals));
    made.expression =
        equals == std::string_view::npos ? made.name : std::string(trimmed(rest.substr(equals + 3)));
    if (!is_value_name(made.name) || (made.kind == Directive::View && equals == std::string_view::npos))
      refuse(at_, fmt::format("{}: NAME = EXPRESSION", word));
    block_->directives.push_back(std::move(made));
  }

  // Reads hint: TEXT, mistake: TEXT with its block, or expect: NAME = EXPRESSION. A text ends at an empty
  // line.
  void of_exercise(std::string_view line) {
    if (condition_) refuse(at_, "a condition holds prose and formulas only");
    const std::string_view word = line.substr(0, line.find(':'));
    DocumentStep& here = step(word == "hint" ? "a hint" : word == "mistake" ? "a mistake" : "expect:");
    const size_t begin = at_;
    std::string text(trimmed(line.substr(word.size() + 1)));
    while (at_ + 1 < lines_.size() && !trimmed(lines_[at_ + 1]).empty() &&
           !lines_[at_ + 1].starts_with("```"))
      text.append(" ").append(trimmed(lines_[++at_]));
    if (word == "hint") {
      if (here.hints.size() == kHints) refuse(begin, "an exercise has three hints");
      here.hints.push_back({.text = std::move(text), .line = int(begin) + 1});
    } else if (word == "expect") {
      const size_t equals = text.find(" = ");
      if (equals == std::string::npos) refuse(begin, "expect: NAME = EXPRESSION");
      here.expected.emplace_back(trimmed(text.substr(0, equals)), trimmed(text.substr(equals + 3)));
    } else {
      if (!here.right()) refuse(begin, "the right lines, marked #: blank, stand in the block above");
      mistake_ = std::move(text);
      while (at_ + 1 < lines_.size() && trimmed(lines_[at_ + 1]).empty()) ++at_;
      if (at_ + 1 == lines_.size() || (lines_[at_ + 1] != "```python" && lines_[at_ + 1] != "```diff"))
        refuse(begin, "the wrong lines stand below the sentence, in a block ```python or ```diff");
    }
  }

  void condition(std::string_view rest) {
    if (rest == "ask" || rest.starts_with("ask ")) {
      if (condition_) refuse_line(condition_->line, "this ::: has no end: no question stands in it");
      AskedInFile asked = read_ask(lines_, at_, made_.file);
      step("a question").items.emplace_back(std::move(asked));
      if (block_) block_ = last_block();
    } else if (rest.starts_with("if ") || rest.starts_with("claim ")) {
      if (condition_) refuse_line(condition_->line, "this ::: has no end: conditions do not nest");
      const bool claim = rest[0] == 'c';
      condition_ = Condition{.claim = claim,
                             .expression = std::string(trimmed(rest.substr(claim ? 6 : 3))),
                             .then = {},
                             .otherwise = {},
                             .line = int(at_) + 1};
      else_ = false;
      step("a condition");
    } else if (rest == "else") {
      if (!condition_ || else_) refuse(at_, "there is no ::: if that this ::: else belongs to");
      else_ = true;
    } else if (rest.empty()) {
      if (!condition_) refuse(at_, "there is no ::: to end here");
      made_.steps.back().items.emplace_back(*std::exchange(condition_, std::nullopt));
      if (block_) block_ = last_block();
    } else {
      refuse(at_, "::: if EXPRESSION, ::: claim EXPRESSION, ::: ask QUESTION, ::: else or :::");
    }
  }
  // Looks the last block up again, because items may have moved in memory.
  FencedCode* last_block() {
    auto& items = made_.steps.back().items;
    for (auto item = items.rbegin(); item != items.rend(); ++item)
      if (auto* b = std::get_if<FencedCode>(&*item)) return b;
    return nullptr;
  }

  template <class T>
  void add(T part) {
    if (condition_) {
      (else_ ? condition_->otherwise : condition_->then).emplace_back(std::move(part));
      return;
    }
    step("text").items.emplace_back(std::move(part));
    if (block_) block_ = last_block();
    replaces_ = false;
  }

  void paragraph() {
    Paragraph made{.text = {}, .line = int(at_) + 1};
    const auto goes_on = [&](std::string_view line) {
      return !trimmed(line).empty() && !line.starts_with("```") && !line.starts_with("#") &&
             !line.starts_with(":::") && !starts_directive(line) && !is_of_exercise(line);
    };
    for (;; ++at_) {
      const std::string_view line = trimmed(lines_[at_]);
      if (!made.text.empty()) made.text += line.starts_with("- ") ? '\n' : ' ';
      made.text += line;
      if (at_ + 1 >= lines_.size() || !goes_on(lines_[at_ + 1])) break;
    }
    add(std::move(made));
  }

  void math(size_t at, std::string text, const std::vector<std::string>& body) {
    if (text.empty() || body.empty()) refuse(at, "math TEXT, and the formula in LaTeX in the lines below");
    std::string latex;
    for (const std::string& line : body) latex += (latex.empty() ? "" : "\n") + line;
    add(Math{std::move(text), std::move(latex)});
  }

  void header(size_t at, const std::vector<std::string>& body) {
    if (!made_.steps.empty() || header_) refuse(at, "the header stands once, before the first step");
    header_ = true;
    read_header(made_, body, at);
  }

  void finish() {
    if (!header_) refuse(0, "a lesson has a header: a block ```lesson");
    if (made_.steps.empty()) refuse(0, "a lesson has a step: ### Title {#address}");
    for (const DocumentSetting& s : made_.settings)
      if (s.default_text.empty()) refuse_line(s.line, fmt::format("no line is marked #: {}", s.name));
    if (!model_) return;
    made_.settings.clear();
    made_.literals = *model_;
  }

  Document made_;
  std::vector<std::string_view> lines_;
  size_t at_ = 0;
  std::string part_;
  std::map<std::string, int> addresses_;
  FencedCode* block_ = nullptr;  // the last of this step
  std::string mistake_;          // the mistake that the next block belongs to
  std::optional<Condition> condition_;
  bool else_ = false, header_ = false;
  const std::map<std::string, std::string>* model_;  // null: none is given
  bool replaces_ = false;                            // the last block was a `python model`
  FencedCode left_out_;                              // receives the directives of blocks that are left out
};

}  // namespace

const DocumentStep* Document::step(std::string_view address) const {
  for (const DocumentStep& s : steps)
    if (s.id == address || std::find(s.aliases.begin(), s.aliases.end(), address) != s.aliases.end())
      return &s;
  return nullptr;
}

const std::string* Document::moved_to(std::string_view address) const {
  for (const auto& [lesson, addresses] : moved)
    if (std::find(addresses.begin(), addresses.end(), address) != addresses.end()) return &lesson;
  return nullptr;
}

Document read_document(std::string_view text, std::string file,
                       const std::map<std::string, std::string>* model) {
  return Reader(text, std::move(file), model).read();
}

}  // namespace glassgrad::learn
