#include "apps/page/plain.h"
#include "engine/core/joined.h"

#include <fmt/core.h>

#include "apps/lesson/axes.h"
#include "apps/lesson/lesson.h"
#include "apps/page/document.h"
#include "apps/page/tensor_data.h"
#include "apps/show/render.h"
#include "apps/show/tensor_table.h"
#include "apps/text/mathml.h"

namespace glassgrad::explorer {
namespace {

using learn::Entry, learn::Recording, learn::Step, learn::TensorTable;

std::string element(std::string_view tag, std::string_view text) {
  return fmt::format("<{0}>{1}</{0}>", tag, escaped(text));
}

std::string head_of(const TensorTable& table) {
  std::string head = "<thead><tr><td class=\"corner\"></td>";
  for (int64_t c = 0; c < table.column_count(); ++c) {
    const auto& labels = table.columns().labels;
    head += fmt::format("<th scope=\"col\">{}</th>", labels.empty() ? "" : escaped(labels[size_t(c)]));
  }
  return head + (table.has_row_sums() ? "<th scope=\"col\">row sum</th>" : "") + "</tr></thead>\n";
}

std::string body_of(const TensorTable& table, TensorTable::Slice slice) {
  std::string body = "<tbody>";
  for (int64_t r = 0; r < table.row_count(); ++r) {
    const auto& labels = table.rows().labels;
    body += fmt::format("<tr><th scope=\"row\">{}</th>", labels.empty() ? "" : escaped(labels[size_t(r)]));
    for (int64_t c = 0; c < table.column_count(); ++c) body += element("td", table.text(slice, r, c));
    if (table.has_row_sums()) body += fmt::format("<td class=\"sum\">{}</td>", table.row_sum(slice, r));
    body += "</tr>\n";
  }
  return body + "</tbody>";
}

std::string caption_of(const Entry& entry, const std::string& where) {
  return fmt::format("<caption><span class=\"name\">{}</span> <span class=\"shape\">{}</span></caption>",
                     escaped(entry.name + where), escaped(learn::shape_text(entry)));
}

std::string tables_of(const Recording& recording, const Entry& entry) {
  const TensorTable table(recording, entry);
  std::string text;
  each_table(table, [&](TensorTable::Slice slice, const std::string& where) {
    text += fmt::format("<div class=\"scroll\"><table class=\"matrix\">{}{}{}</table></div>\n",
                        caption_of(entry, where.empty() ? "" : ", " + where), head_of(table),
                        body_of(table, slice));
  });
  return text;
}

std::string figure_of(const Recording& recording, const Entry& entry) {
  std::string inside;
  if (!entry.value)
    inside = fmt::format("<pre class=\"printed\">{}</pre>", escaped(entry.print_text()));
  else if (const int64_t cells = entry.value->shape().numel(); cells == 0 || cells > kMostCells)
    inside =
        fmt::format("<pre class=\"repr\">{}\n{}</pre>", escaped(entry.name), escaped(entry.value->repr()));
  else
    inside = tables_of(recording, entry);
  return fmt::format("<figure class=\"tensor\">{}</figure>\n", inside);
}

std::string step_of(const Recording& recording, const Step& step) {
  std::string place = fmt::format("Step {} of {}", step.place(), recording.main_step_count());
  if (!step.section.empty()) place += " · section " + step.section;
  std::string text = fmt::format("<article class=\"step\"><header><p class=\"place\">{}</p>{}</header>\n",
                                 escaped(place), element("h2", step.title));
  text +=
      fmt::format("<p class=\"prose\">{}</p>\n", escaped(joined(learn::plain_words(step.sentences), " ")));
  for (const learn::Formula& f : step.formulas)
    text += fmt::format("<p class=\"formula\">{}</p>\n", mathml_or_text(f.latex, f.text));
  if (!step.code.empty())
    text += fmt::format("<pre class=\"code\">{}</pre>\n", escaped(joined(step.code, "\n")));
  for (const Entry& entry : step.entries) text += figure_of(recording, entry);
  return text + "</article>\n";
}

}  // namespace

std::string plain_lesson(const Recording& recording) {
  const std::string command = learn::command_of(recording);
  return fmt::format(
      "<main class=\"plain\">{}\n<p>{}</p>\n{}"
      "<noscript><p class=\"note\">This page goes on with scripts, which this browser does not run. In a terminal "
      "<code>{}</code> shows all {} steps.</p></noscript>\n</main>\n",
      element("h1", recording.lesson->source), escaped(recording.lesson->understand),
      step_of(recording, recording.steps.front()), escaped(command), recording.steps.size());
}

}  // namespace glassgrad::explorer
