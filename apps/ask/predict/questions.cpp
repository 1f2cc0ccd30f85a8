#include "apps/ask/predict/questions.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <unordered_map>

#include "apps/ask/predict/choices.h"
#include "apps/ask/predict/provenance.h"
#include "apps/lesson/phrases.h"

namespace glassgrad::learn {
namespace {

constexpr size_t kMostNumbers = 40;  // the most numbers from which an answer may be computed
constexpr size_t kMostByHand = 16;   // the most numbers from which a single cell may be computed
constexpr size_t kMostTerms = kMostNumbers * kMostNumbers;
constexpr int64_t kMostTries = 24;  // the most cells of a tensor to try

bool is_whole_on_page(const Entry& entry) {
  return entry.value->shape().numel() <= print_options().threshold;
}

// Returns the indices of a dimension in the order in which they are worth asking about. Index 0 is last: the
// first token has no past, and the first head looks like all heads.
std::vector<int64_t> worth_asking(int64_t size) {
  std::vector<int64_t> order;
  for (int64_t i = 1; i < size; ++i) order.push_back(i);
  if (size > 0) order.push_back(0);
  return order;
}

// Returns the cells of a tensor with rows in that order, each row from its beginning.
std::vector<Dims> candidates(const Entry& entry) {
  const Dims& shape = entry.value->shape();
  if (shape.n == 0) return {{}};
  if (shape.numel() == 0) return {};
  Dims at;
  for (int d = 0; d + 2 < shape.n; ++d)
    at.push(!entry.axes.empty() && entry.axes[size_t(d)] == "head" ? std::min<int64_t>(1, shape[d] - 1) : 0);
  std::vector<Dims> cells;
  if (shape.n == 1)
    for (const int64_t i : worth_asking(shape[0])) cells.emplace_back(i);
  else
    for (const int64_t row : worth_asking(shape[shape.n - 2]))
      for (int64_t column = 0; column < shape[shape.n - 1]; ++column) {
        Dims cell = at;
        cell.push(row), cell.push(column);
        cells.push_back(cell);
      }
  if (std::ssize(cells) > kMostTries) cells.resize(kMostTries);
  return cells;
}

std::string bytes_of(const Entry& entry) {
  const std::vector<double> values = entry.value->tensor().to_vector<double>();
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double)};
}

// Returns a row as it is printed. If a later row prints the same, its largest number is already known,
// whichever call computed it.
std::string row_text(const Entry& entry, Dims cell) {
  std::string text;
  for (int64_t& k = cell[cell.n - 1] = 0; k < entry.value->shape()[cell.n - 1]; ++k)
    text += digits(to_double(element(entry.value->tensor(), cell))) + " ";
  return text;
}

// Returns each cell once: softmax names the cells of its row many times. Returns nothing for a large tree.
std::vector<const ExprNode*> distinct_cells(const Expr& tree) {
  std::vector<const ExprNode*> cells = cells_of(tree, kMostTerms);
  if (cells.size() > kMostTerms) return {};
  const auto order = [](const ExprNode* a, const ExprNode* b) {
    if (a->input != b->input) return a->input < b->input;
    return std::lexicographical_compare(a->index.begin(), a->index.end(), b->index.begin(), b->index.end());
  };
  const auto same = [](const ExprNode* a, const ExprNode* b) {
    return a->input == b->input && a->index == b->index;
  };
  std::stable_sort(cells.begin(), cells.end(), order);
  cells.erase(std::unique(cells.begin(), cells.end(), same), cells.end());
  return cells;
}

// Keeps at most `most` questions; questions about cells that the source prints come first.
std::vector<Question> foremost(std::vector<Question> all, size_t most) {
  if (all.size() <= most) return all;
  std::vector<size_t> order(all.size());
  std::iota(order.begin(), order.end(), size_t{0});
  // Prefer questions about more than one cell, and cells that the source prints.
  const auto comes_first = [&](size_t i) {
    const Quantity& asked = all[i].asked;
    return asked.kind != Quantity::Kind::Cell || asked.address.entry->printed;
  };
  std::stable_partition(order.begin(), order.end(), comes_first);
  std::sort(order.begin(), order.begin() + ptrdiff_t(most));
  std::vector<Question> chosen;
  for (size_t i = 0; i < most; ++i) chosen.push_back(std::move(all[order[i]]));
  return chosen;
}

// Leaves out cells that an earlier question of the same step shows.
void drop_what_is_shown(std::vector<Question>& of_step) {
  const auto shows = [](const Question& before, const Quantity& asked) {
    return std::any_of(before.given.begin(), before.given.end(), [&](const AnswerOperand& g) {
      return g.step == asked.address.step && g.entry == asked.address.entry;
    });
  };
  const auto shows_numbers = [](const Question& q) {
    return q.asked.kind != Quantity::Kind::Size && q.asked.kind != Quantity::Kind::Shape;
  };
  std::vector<Question> kept;
  for (Question& q : of_step)
    if (q.asked.kind != Quantity::Kind::Cell ||
        std::none_of(kept.begin(), kept.end(),
                     [&](const Question& before) { return shows_numbers(before) && shows(before, q.asked); }))
      kept.push_back(std::move(q));
  of_step = std::move(kept);
}

// Goes through a recording from its first step to its last and remembers what was shown.
class Asker {
 public:
  explicit Asker(const Recording& recording) : recording_(recording), trace_(*recording.trace) {}

  std::vector<std::vector<Question>> ask_all() {  // by step
    std::vector<std::vector<Question>> all;
    for (const Step& step : recording_.steps) {
      std::vector<Question> shapes, choices, numbers;
      for (int k = 0; k < std::ssize(step.asks); ++k)
        shapes.push_back(
            {.asked = {.kind = Quantity::Kind::Written, .address = {&step, nullptr, {}}, .dim = k},
             .given = {}});
      for (const Entry& entry : step.entries)
        if (entry.value) {
          ask(step, entry, shapes, choices, numbers);
          shown_[entry.value->buffer.get()].push_back({&step, &entry});
        }
      for (auto* of_kind : {&choices, &numbers})
        std::move(of_kind->begin(), of_kind->end(), std::back_inserter(shapes));
      all.push_back(std::move(shapes));
    }
    return all;
  }

 private:
  void ask(const Step& step, const Entry& entry, std::vector<Question>& shapes,
           std::vector<Question>& choices, std::vector<Question>& numbers) {
    if (entry.value->is_parameter || entry.value->dtype() == boolean) return;
    ask_size(step, entry, shapes);
    if (!is_whole_on_page(entry) || !texts_.insert(bytes_of(entry)).second) return;
    ask_choices(step, entry, choices);
    ask_cells(step, entry, numbers);
    if (entry.row_sums) ask_row_sum(step, entry, numbers);
  }

  // Asks once per softmax which element gets the largest weight. Asks once per lesson in which row the mask
  // leaves a single score, and what a row's sum would be if the mask came after softmax.
  void ask_choices(const Step& step, const Entry& entry, std::vector<Question>& questions) {
    using Kind = Quantity::Kind;
    for (const Dims& cell : candidates(entry)) {
      if (cell.n == 0 || cell[cell.n - 1] != 0) continue;
      const auto computed = computed_at(trace_, {*entry.value, cell});
      if (!computed || trace_.calls()[computed->cell.call].op->name != std::string_view("softmax")) return;
      for (const Kind kind : {Kind::Largest, Kind::Fixed, Kind::LateMask}) {
        Dims from = cell;
        if (kind == Kind::Fixed && cell.n > 1) from[cell.n - 2] = 0;
        Question question{.asked = {.kind = kind, .address = {&step, &entry, from}}, .given = {}};
        const bool known = kind == Kind::Largest ? knows_largest(entry, cell, computed->cell.call)
                                                 : about_masks_.contains(kind);
        size_t numbers = 0;
        if (known || !choices_of(recording_, question.asked) ||
            !find_given(*computed, question.given, numbers))
          continue;
        questions.push_back(std::move(question));
        if (kind == Kind::Largest)
          largest_of_.insert(computed->cell.call), rows_.insert(row_text(entry, cell));
        else
          about_masks_.insert(kind);
      }
    }
  }

  // True if the largest number of this softmax, or of a row that prints the same, was already asked for.
  bool knows_largest(const Entry& entry, const Dims& cell, size_t softmax) {
    if (rows_.contains(row_text(entry, cell))) largest_of_.insert(softmax);
    return largest_of_.contains(softmax);
  }

  // Asks for one number that is neither 0 nor ±1 and, once for each op that masks, for a number that the mask
  // made.
  void ask_cells(const Step& step, const Entry& entry, std::vector<Question>& questions) {
    bool has_number = false, has_masked = false;
    const Tensor x = entry.value->tensor();
    for (const Dims& cell : candidates(entry)) {
      const double value = to_double(element(x, cell));
      const bool masked = value == 0 || value == -INFINITY;
      if ((masked && (has_masked || !has_number)) || (!masked && has_number)) continue;
      if (!masked && (!std::isfinite(value) || std::abs(value) == 1)) continue;
      const auto writer = trace_.writer(*entry.value, cell);
      if (!writer || unfit_.contains(writer->call)) continue;
      const auto computed = computed_at(trace_, {*entry.value, cell});
      if (!computed || unfit_.contains(computed->cell.call) ||
          (!masked && calls_.contains(computed->cell.call)))
        continue;
      const std::string_view op = trace_.calls()[computed->cell.call].op->name;
      if (masked ? masked_by_.contains(op) : is_copy(computed->tree)) continue;
      Question question{.asked = {.address = {&step, &entry, cell}}, .given = {}};
      size_t numbers = 0;
      if (!find_given(*computed, question.given, numbers) || numbers > kMostByHand) {
        unfit_.insert({writer->call, computed->cell.call});
        continue;
      }
      questions.push_back(std::move(question));
      if (masked) masked_by_.insert(op);
      calls_.insert(computed->cell.call);
      (masked ? has_masked : has_number) = true;
    }
  }

  // True if the tree only copies a number: an x that the mask kept, x · 1, x + 0.
  static bool is_copy(const Expr& tree) {
    const std::vector<const ExprNode*> cells = cells_of(tree, kMostTerms);
    return std::any_of(cells.begin(), cells.end(),
                       [&](const ExprNode* leaf) { return same_bits(leaf->value, tree.value()); });
  }

  // True if every number that the cell needs was shown before. Bools and single numbers need not be shown,
  // because formula and code state them.
  bool find_given(const Computed& computed, std::vector<AnswerOperand>& given, size_t& numbers) const {
    const auto& [cell, tree] = computed;
    if (tree->op == "number") return cell.index.n == 0;
    const std::vector<const ExprNode*> cells = distinct_cells(tree);
    for (const ExprNode* leaf : cells) {
      const Snapshot& x = trace_.calls()[cell.call].in[size_t(leaf->input)];
      if (x.dtype() == boolean || x.is_number()) continue;
      if (++numbers > kMostNumbers) return false;
      if (const AnswerOperand* shown = shown_at(x, leaf->index)) {
        const auto same = [&](const AnswerOperand& g) { return g.entry == shown->entry; };
        if (std::none_of(given.begin(), given.end(), same)) given.push_back(*shown);
        continue;
      }
      const auto before = trace_.writer(x, leaf->index);
      if (!before || !find_given({*before, trace_.open(*before).expression}, given, numbers)) return false;
    }
    return !cells.empty();
  }

  // Returns the tensor, among those shown, that last showed exactly this number.
  const AnswerOperand* shown_at(const Snapshot& x, const Dims& index) const {
    const auto found = shown_.find(x.buffer.get());
    if (found == shown_.end()) return nullptr;
    for (auto given = found->second.rbegin(); given != found->second.rend(); ++given) {
      const Snapshot& y = *given->entry->value;
      if (is_whole_on_page(*given->entry) &&
          index_of_offset(y.shape(), y.strides(), x.place(index) - y.offset))
        return &*given;
    }
    return nullptr;
  }

  // Asks for the sum of a row; for a sum of 1 only once.
  void ask_row_sum(const Step& step, const Entry& entry, std::vector<Question>& questions) {
    const Dims& shape = entry.value->shape();
    if (shape.numel() == 0) return;
    Dims cell;
    for (int d = 0; d < shape.n; ++d) cell.push(d == shape.n - 2 ? std::min<int64_t>(1, shape[d] - 1) : 0);
    const Quantity asked{.kind = Quantity::Kind::RowSum, .address = {&step, &entry, cell}};
    const double sum = asked.value();
    if (!std::isfinite(sum)) return;
    const bool is_one = std::abs(sum - 1) < 1e-3;
    if (is_one && asked_for_one_) return;
    asked_for_one_ = asked_for_one_ || is_one;
    questions.push_back({asked, {{&step, &entry}}});
  }

  // Asks how wide a head, a concatenation or the result of a large layer is, given the shape that went in.
  void ask_size(const Step& step, const Entry& entry, std::vector<Question>& questions) {
    const Dims& shape = entry.value->shape();
    if (shape.n < 2 || entry.axes.empty()) return;
    if (ask_product(step, entry, questions)) return;
    const bool split = shape.n == 4 && entry.axes[1] == "head" && !asked_for_heads_;
    Question question{
        .asked = {.kind = Quantity::Kind::Size, .address = {&step, &entry, {}}, .dim = shape.n - 1},
        .given = {}};
    if (const AnswerOperand* whole = split ? unsplit(entry) : nullptr) {
      question.given.push_back(*whole);
      asked_for_heads_ = true;
    } else if (const auto writer = trace_.writer(*entry.value);
               writer && worth_its_size(entry, trace_.calls()[writer->call])) {
      if (!sizes_.insert(trace_.calls()[writer->call].op->name).second) return;
      for (const Snapshot& in : trace_.calls()[writer->call].in)
        if (const auto found = shown_.find(in.buffer.get()); in && found != shown_.end())
          question.given.push_back(found->second.back());
    }
    if (!question.given.empty()) questions.push_back(std::move(question));
  }

  // Asks for the shape of a product of two matrices that were shown, once for each pair of shapes.
  bool ask_product(const Step& step, const Entry& entry, std::vector<Question>& questions) {
    const auto writer = trace_.writer(*entry.value);
    if (!writer) return false;
    const RecordedCall& call = trace_.calls()[writer->call];
    const std::string_view op = call.op->name;
    if ((op != "mm" && op != "bmm") || call.out[0].shape() != entry.value->shape()) return false;
    Question question{.asked = {.kind = Quantity::Kind::Shape, .address = {&step, &entry, {}}}, .given = {}};
    for (const Snapshot& in : call.in)
      if (const auto found = shown_.find(in.buffer.get()); found != shown_.end()) {
        const auto whole =
            std::find_if(found->second.rbegin(), found->second.rend(),
                         [&](const AnswerOperand& g) { return g.entry->value->shape() == in.shape(); });
        if (whole != found->second.rend()) question.given.push_back(*whole);
      }
    if (question.given.size() < 2) return false;
    if (question.given[0].entry == question.given[1].entry) question.given.pop_back();
    if (!products_.insert(to_string(call.in[0].shape()) + to_string(call.in[1].shape())).second) return false;
    questions.push_back(std::move(question));
    return true;
  }

  static bool worth_its_size(const Entry& entry, const RecordedCall& call) {
    return call.op->name == std::string_view("cat") || !is_whole_on_page(entry);
  }
  // Returns the shown tensor with the same numbers before they were cut into heads.
  const AnswerOperand* unsplit(const Entry& entry) const {
    const auto found = shown_.find(entry.value->buffer.get());
    if (found == shown_.end()) return nullptr;
    const auto whole = std::find_if(found->second.begin(), found->second.end(),
                                    [](const AnswerOperand& g) { return g.entry->value->shape().n == 3; });
    return whole == found->second.end() ? nullptr : &*whole;
  }

  const Recording& recording_;
  const Recorder& trace_;
  std::unordered_map<const Buffer*, std::vector<AnswerOperand>> shown_;
  std::set<std::string> texts_;  // values of tensors that were shown
  std::set<size_t> calls_;       // calls whose results were asked for
  std::set<size_t> unfit_;       // calls whose results cannot be computed by hand from shown numbers
  std::set<std::string_view> sizes_, masked_by_;  // ops
  std::set<std::string> products_;                // shapes
  std::set<size_t> largest_of_;                   // calls
  std::set<std::string> rows_;                    // rows whose largest number was asked for, as printed
  std::set<Quantity::Kind> about_masks_;
  bool asked_for_one_ = false, asked_for_heads_ = false;
};

}  // namespace

std::vector<Question> questions(const Recording& recording, Steps steps, QuizMode mode) {
  constexpr size_t kMostOfAStep = 5;
  std::vector<Question> chosen;
  const std::vector<std::vector<Question>> all = Asker(recording).ask_all();
  for (const Step& step : steps) {
    std::vector<Question> of_step =
        foremost(all[size_t(&step - recording.steps.data())], mode == QuizMode::First ? 1 : kMostOfAStep);
    drop_what_is_shown(of_step);
    std::move(of_step.begin(), of_step.end(), std::back_inserter(chosen));
  }
  if (mode != QuizMode::Exam || chosen.size() <= kExamQuestions) return chosen;
  std::vector<Question> exam;
  for (size_t i = 0; i < kExamQuestions; ++i) exam.push_back(chosen[i * chosen.size() / kExamQuestions]);
  return exam;
}

}  // namespace glassgrad::learn
