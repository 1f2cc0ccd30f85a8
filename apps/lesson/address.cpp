#include "apps/lesson/address.h"
#include "engine/core/joined.h"

#include <fmt/core.h>

#include <algorithm>

#include "apps/cli/arguments.h"
#include "apps/lesson/selection.h"
#include "engine/core/utf8.h"

namespace glassgrad::learn {
namespace {

// Strips the # of "#STEP:TENSOR[i,j]", the form in which a page's URL ends.
std::string_view without_sign(std::string_view text) { return text.substr(text.starts_with('#')); }

constexpr const char* kForm = "STEP:TENSOR[i,j], such as masked-scores:masked[1,2]";

const Entry& find_entry(const Step& step, std::string_view name) {
  std::vector<std::string> names;
  for (const Entry& e : step.entries) {
    if (!e.value) continue;
    if (e.name == name) return e;
    names.push_back(e.name);
  }
  check<UsageError>(!names.empty(), "step {} shows no tensor", step.id);
  fail<UsageError>("step {} has no tensor '{}': did you mean {}? It has {}", step.id, name,
                   nearest(name, names), joined(names, ", "));
}

// Reads "1,2" or "1, 2"; a negative index counts from the end.
Dims parse_cell(std::string_view list, const Entry& entry) {
  const Dims& shape = entry.value->shape();
  check<UsageError>(shape.numel() > 0, "{} has no cells: its shape is {}", entry.name, to_string(shape));
  const std::string_view whole = list;
  Dims cell;
  while (!list.empty()) {
    const size_t end = std::min(list.find(','), list.size());
    const std::string_view part = trimmed(list.substr(0, end));
    const auto index = parse_number<int64_t>(part);
    check<UsageError>(index.has_value(), "'{}' in [{}] is not an index", part, whole);
    check<UsageError>(cell.n < shape.n, "{} has {} dimensions, but [{}] has more indices", entry.name,
                      shape.n, whole);
    const int64_t size = shape[cell.n], i = *index < 0 ? *index + size : *index;
    check<UsageError>(i >= 0 && i < size,
                      "{} has no cell [{}]: its shape is {}, so index {} goes from 0 to {}", entry.name,
                      whole, to_string(shape), cell.n + 1, size - 1);
    cell.push(i);
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  check<UsageError>(cell.n == shape.n, "{} has shape {}: a cell of it needs {} indices, not {}", entry.name,
                    to_string(shape), shape.n, cell.n);
  return cell;
}

}  // namespace

Address find_tensor(const Recording& recording, std::string_view text) {
  text = without_sign(text);
  const size_t colon = text.find(':');
  check<UsageError>(colon != text.npos && colon > 0 && colon + 1 < text.size(),
                    "'{}' names no tensor: write STEP:TENSOR", text);
  check_not_moved(recording, text);
  const Step& given = recording.given;
  if (text.substr(0, colon) == given.id) return {&given, &find_entry(given, text.substr(colon + 1)), {}};
  const Steps steps = find_steps(recording, text.substr(0, colon));
  check<UsageError>(steps.size() == 1, "'{}' is a section of several steps: name one of them",
                    text.substr(0, colon));
  return {&steps.front(), &find_entry(steps.front(), text.substr(colon + 1)), {}};
}

namespace {

bool shows_tensor(const Step& s, std::string_view name) {
  return std::any_of(s.entries.begin(), s.entries.end(),
                     [&](const Entry& e) { return e.value && e.name == name; });
}

// Returns where the name of a tensor ends: at the last opening bracket, unless the whole text, like
// `losses[2]`, is the name of a single number.
size_t end_of_name(const Step& s, std::string_view text) {
  return shows_tensor(s, text) ? text.size() : std::min(text.rfind('['), text.size());
}

// Returns the step with this id, `given` included; null if there is none.
const Step* step_of_address(const Recording& recording, std::string_view step) {
  if (step == recording.given.id) return &recording.given;
  for (const Step& s : recording.steps)
    if (s.id == step) return &s;
  return nullptr;
}

// Finds the step for an address that has only a tensor.
const Step& step_of_tensor(const Recording& recording, std::string_view text, const Step* here) {
  const auto shows = [&](const Step& s) { return shows_tensor(s, text.substr(0, end_of_name(s, text))); };
  if (here && shows(*here)) return *here;
  const auto first = std::find_if(recording.steps.begin(), recording.steps.end(), shows);
  if (first != recording.steps.end()) return *first;
  if (shows(recording.given)) return recording.given;
  std::vector<std::string> names;
  const auto add_names = [&](const Step& s) {
    for (const Entry& e : s.entries)
      if (e.value) names.push_back(e.name);
  };
  for (const Step& s : recording.steps) add_names(s);
  add_names(recording.given);
  const std::string_view name = text.substr(0, text.find('['));
  fail<UsageError>("no step of {} has a tensor '{}': did you mean {}? A cell is {}", recording.lesson->id,
                   name, nearest(name, names), kForm);
}

}  // namespace

Address find_cell(const Recording& recording, std::string_view text, const Step* here) {
  text = without_sign(text);
  if (text.find(':') != text.npos) return find_cell(recording, text);
  const Step& step = step_of_tensor(recording, text, here);
  return find_cell(recording, fmt::format("{}:{}", step.id, text));
}

Address find_cell(const Recording& recording, std::string_view text) {
  const size_t colon = std::min(text.find(':'), text.size());
  const Step* const step = step_of_address(recording, text.substr(0, colon));
  const bool is_name = step && colon < text.size() && shows_tensor(*step, text.substr(colon + 1));
  const size_t open = is_name ? text.npos : text.rfind('[');
  const bool has_cell = open != text.npos && text.ends_with(']');
  check<UsageError>(has_cell || is_name || (open == text.npos && text.find(']') == text.npos),
                    "'{}' is not {}", text, kForm);
  check_not_moved(recording, text);
  Address address = find_tensor(recording, text.substr(0, open));
  address.cell = parse_cell(has_cell ? text.substr(open + 1, text.size() - open - 2) : "", *address.entry);
  return address;
}

std::string to_text(const Address& address) {
  return fmt::format("{}:{}{}", address.step->id, address.entry->name, cell_text(address.cell));
}

}  // namespace glassgrad::learn
