#include <fmt/format.h>

#include <algorithm>

#include "apps/cli/json_number.h"
#include "apps/cli/text_width.h"
#include "apps/lesson/axes.h"
#include "apps/lesson/difference.h"
#include "apps/lesson/markdown.h"
#include "apps/lessons/mistakes/mistakes.h"
#include "apps/show/grid.h"
#include "apps/show/render.h"
#include "apps/show/render_json.h"

namespace glassgrad::learn {
namespace {

const Step* find_step(const Recording& recording, const std::string& id) {
  for (const Step& s : recording.steps)
    if (s.id == id) return &s;
  return nullptr;
}
const Entry* find_entry(const Step* step, const std::string& name) {
  if (step)
    for (const Entry& e : step->entries)
      if (e.name == name) return &e;
  return nullptr;
}

std::string paragraph(std::string_view text) {
  return fmt::format("{}\n", fmt::join(filled(text, 0, kWidth), "\n"));
}

std::string grid_text(const Recording& recording, const Entry& entry) {
  std::string text;
  for (const Line& line : grid(recording, entry, {.columns = kWidth, .pictures = false}).lines) {
    std::string plain = plain_text(line);
    plain.erase(plain.find_last_not_of(' ') + 1);
    text += plain + "\n";
  }
  return text;
}

// Lines of code: of both where they are one, else each side's own.
struct Code {
  std::string side;  // "", "right", "wrong"
  std::string line;
};
std::vector<Code> code_of(const MistakeRun& run, const Step& wrong) {
  const std::vector<std::string>& right = find_step(run.right, wrong.id)->code;
  std::vector<Code> lines;
  const auto is_in = [](const std::vector<std::string>& list, const std::string& line) {
    return std::find(list.begin(), list.end(), line) != list.end();
  };
  size_t next = 0;  // of wrong.code
  for (const std::string& line : right) {
    if (is_in(wrong.code, line)) {
      for (; wrong.code[next] != line; ++next) lines.push_back({"wrong", wrong.code[next]});
      ++next;
      lines.push_back({"", line});
    } else {
      lines.push_back({"right", line});
    }
  }
  for (; next < wrong.code.size(); ++next) lines.push_back({"wrong", wrong.code[next]});
  return lines;
}

std::string heading(const Entry& entry) { return fmt::format("{}  {}", entry.name, shape_text(entry)); }
std::string verdict(const Entry& entry) {
  return entry.changed ? "differs: " + difference_text(entry) : "the same";
}
std::string title(const MistakeRun& run) {
  return fmt::format("{}: {}", run.mistake->name, run.mistake->what);
}
constexpr const char* kAlike =
    "On these numbers both sides are the same to the last bit: they cannot show the mistake.";

// ---- text
void render_text(const MistakeRun& run, Output& out) {
  out.write(title(run) + "\n");
  out.write(run.mistake->needs_tokens
                ? fmt::format("On the inputs of {}; right and wrong, tensor by tensor.\n", run.lesson->id)
                : "Right and wrong, tensor by tensor.\n");
  for (const Step& step : run.wrong.steps) {
    out.write(fmt::format("\n--- {}\n", step.title));
    for (const Code& code : code_of(run, step)) out.write(fmt::format("{:>5} | {}\n", code.side, code.line));
    for (const Entry& entry : step.entries)
      out.write(fmt::format("{}: {}\n", heading(entry), verdict(entry)));
    if (&step != run.step) continue;
    const Entry& right = *find_entry(find_step(run.right, step.id), run.entry->name);
    out.write(fmt::format("\nHere they part. Right:\n\n{}\n", grid_text(run.right, right)));
    out.write(fmt::format("Wrong, ~ before what differs:\n\n{}", grid_text(run.wrong, *run.entry)));
  }
  if (!run.entry) return out.write("\n" + paragraph(kAlike));
  out.write(fmt::format("\n{}\n{}", paragraph("Why it is wrong: " + run.explanation.why),
                        paragraph("What would have shown it: " + run.explanation.reveal)));
}

// ---- Markdown
void render_markdown(const MistakeRun& run, Output& out) {
  out.write(fmt::format("# {}\n\n{}.\n\n", run.mistake->name, prose(run.mistake->what)));
  for (const Step& step : run.wrong.steps) {
    std::string code;
    for (const Code& c : code_of(run, step)) code += c.line + (c.side.empty() ? "" : "  # " + c.side) + "\n";
    out.write(fmt::format("## {}\n\n```python\n{}```\n\n", prose(step.title), code));
    for (const Entry& entry : step.entries)
      out.write(
          fmt::format("- **`{}`** {}: {}\n", entry.name, escaped(shape_text(entry)), prose(verdict(entry))));
    out.write("\n");
    if (&step != run.step) continue;
    const Entry& right = *find_entry(find_step(run.right, step.id), run.entry->name);
    out.write(fmt::format(
        "Here they part. Right:\n\n```\n{}```\n\nWrong, `~` before what differs:\n\n```\n{}```\n\n",
        grid_text(run.right, right), grid_text(run.wrong, *run.entry)));
  }
  if (!run.entry) return out.write(fmt::format("{}\n", kAlike));
  out.write(fmt::format("**Why it is wrong.** {}\n\n**What would have shown it.** {}\n",
                        prose(run.explanation.why), prose(run.explanation.reveal)));
}

// ---- JSON
void render_json(const MistakeRun& run, Output& out) {
  Json steps = Json::array();
  for (const Step& step : run.wrong.steps) {
    const Step* const other = find_step(run.right, step.id);
    Json tensors = Json::array();
    for (const Entry& entry : step.entries) {
      Json json = tensor_json(entry);
      json["right"] = tensor_json(*find_entry(other, entry.name))["data"];
      tensors.push_back(std::move(json));
    }
    steps.push_back({{"id", step.id},
                     {"title", step.title},
                     {"code", {{"right", other->code}, {"wrong", step.code}}},
                     {"tensors", tensors}});
  }
  Json json = {
      {"bug", run.mistake->name}, {"what", run.mistake->what}, {"lesson", run.lesson->id}, {"steps", steps}};
  json["first"] = run.entry ? Json(fmt::format("{}:{}", run.step->id, run.entry->name)) : Json();
  json["why"] = run.explanation.why;
  json["reveal"] = run.explanation.reveal;
  out.write(json_text(json) + "\n");
}

}  // namespace

void render_mistake(const MistakeRun& run, std::string_view format, Output& out) {
  if (format == "json") return render_json(run, out);
  if (format == "markdown") return render_markdown(run, out);
  render_text(run, out);
}

void render_mistakes(Output& out) {
  for (const Mistake& m : mistakes()) out.write(fmt::format("{:<18}{}\n", m.name, m.what));
}

}  // namespace glassgrad::learn
