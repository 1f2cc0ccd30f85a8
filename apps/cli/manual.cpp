#include "apps/cli/manual.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "engine/core/utf8.h"

namespace glassgrad {
namespace {

// Escapes a text so that roff prints it as it is.
std::string roff(std::string_view text) {
  std::string safe;
  bool line_begins = true;
  while (!text.empty()) {
    char32_t code = 0;
    const size_t length = std::max<size_t>(utf8_length(text, code), 1);
    const char c = text[0];
    if (line_begins && (c == '.' || c == '\'')) safe += "\\&";
    line_begins = c == '\n';
    if (length > 1)
      safe += fmt::format("\\[u{:04X}]", uint32_t(code));
    else
      safe += c == '\\'   ? "\\e"
              : c == '-'  ? "\\-"
              : c == '\'' ? "\\(aq"
              : c == '"'  ? "\\(dq"
                          : std::string(1, c);
    text.remove_prefix(length);
  }
  return safe;
}

std::string item(std::string_view name, std::string_view what) {
  return fmt::format(".TP\n.B {}\n{}\n", roff(name), roff(what));
}

std::string options_of(const CLI::App& app) {
  std::string text;
  for (const std::string& group : app.get_groups()) {
    std::string items;
    for (const CLI::Option* o :
         app.get_options([&](const CLI::Option* x) { return x->get_group() == group; })) {
      if (group == kHidden || o->get_positional()) continue;
      const std::string value = o->get_option_text();
      items += item(o->get_name(false, true) + (value.empty() ? "" : " " + value), o->get_description());
    }
    if (!items.empty() && group != kOptions) text += fmt::format(".PP\n{}:\n", roff(group));
    text += items;
  }
  return text;
}

// Returns the positional arguments as the help's usage line shows them.
std::string words_of(const CLI::App& app) {
  std::string words;
  for (const CLI::Option* o : app.get_options([](const CLI::Option* x) { return x->get_positional(); }))
    words += fmt::format(" [{}]", o->get_name(true));
  return words;
}

std::string command_section(const CLI::App& app) {
  std::string text = fmt::format(".SS glassgrad {}{}\n{}\n", roff(app.get_name()), roff(words_of(app)),
                                 roff(app.get_description()));
  text += ".PP\n.nf\n" + roff(app.get_footer()) + "\n.fi\n";
  return text + options_of(app);
}

}  // namespace

std::string man_page(const CLI::App& program, const std::string& version,
                     const std::vector<Section>& sections) {
  std::string what = program.get_description();
  std::replace(what.begin(), what.end(), '\n', ' ');
  std::string page = fmt::format(
      ".\\\" Made by `glassgrad help --format man`.\n.TH GLASSGRAD 1 \"\" \"glassgrad {}\" \"User Commands\"\n"
      ".SH NAME\nglassgrad \\- attention and GPT, every number of which can be opened\n"
      ".SH SYNOPSIS\n.B glassgrad\n[\\fICOMMAND\\fR] [\\fIOPTIONS\\fR]\n.SH DESCRIPTION\n{}\n.PP\n{}\n"
      ".SH OPTIONS\n{}.SH COMMANDS\n",
      roff(version), roff(what), roff(program.get_footer()), options_of(program));
  for (const CLI::App* command :
       program.get_subcommands([](const CLI::App* c) { return c->get_group() != kHidden; }))
    page += command_section(*command);
  for (const Section& section : sections) {
    page += fmt::format(".SH {}\n", roff(section.title));
    if (!section.text.empty()) page += roff(section.text) + "\n";
    for (const auto& [name, meaning] : section.entries) page += item(name, meaning);
  }
  return page;
}

}  // namespace glassgrad
