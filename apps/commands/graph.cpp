// The command `graph`: shows the autograd graph of a tensor of a lesson, or of a model.
#include "apps/commands/commands.h"

#include <fmt/core.h>

#include <filesystem>
#include <string>

#include "apps/ask/graph/graph.h"
#include "apps/ask/graph/lesson_graph.h"
#include "apps/ask/graph/model_graph.h"
#include "apps/ask/graph/render.h"
#include "apps/ask/lesson_flags.h"
#include "apps/cli/arguments.h"
#include "apps/cli/device.h"
#include "apps/lesson/lesson_files.h"

namespace glassgrad::graph {
namespace {

using learn::Address, learn::Recording;

Address last_with_graph(const Recording& recording) {
  const std::optional<Address> last = last_tensor(recording);
  check<UsageError>(last.has_value(), "nothing in the lesson {} requires a gradient, so there is no graph",
                    recording.lesson->id);
  return *last;
}

Address tensor_called(const Recording& recording, const std::string& text) {
  const Address address = learn::find_tensor(recording, text);
  if (address.entry->value->node) return address;
  const Address other = last_with_graph(recording);
  fail<UsageError>("{} has no graph: {}. {} has one", learn::to_text(address),
                   address.entry->value->requires_grad ? "it is a leaf, which nothing was computed for"
                                                       : "nothing that it was made from requires a gradient",
                   learn::to_text(other));
}

class Command : public Subcommand {
 public:
  explicit Command(CLI::App& program);
  void prepare(const std::vector<std::string>& words) override { changes_.prepare(words); }
  // Throws UsageError without such a lesson, file or tensor, or a graph of it; Error for a broken checkpoint.
  void run(Output& out) const override;

 private:
  Graph graph_of_lesson(const learn::Lesson& lesson) const;

  CLI::Option *of_, *tensor_, *format_, *text_, *device_;
  bool expand_ = false;
  learn::LessonFlags changes_;
};

}  // namespace

Command::Command(CLI::App& program)
    : Subcommand(program, CommandGroup::Learn, "graph",
                 "Show the autograd graph of a lesson's tensor or a model",
                 "glassgrad graph journey causal-attention:context_vecs"),
      of_(add_value("LESSON|CHECKPOINT", "", "A lesson, or a file that `train` has saved, or its folder")),
      tensor_(add_value("TENSOR", "", "STEP:TENSOR; without it, the last that has a graph")),
      format_(add_value("--format", "FORMAT", "drawing, text (a list), dot (for Graphviz) or svg (drawing)")),
      text_(add_value("--text", "TEXT", "What a model reads (the first tokens of its vocabulary)")),
      device_(add_value("--device", "NAME", kDevices)),
      changes_(*app_, text_) {
  add_flag("--expand", expand_, "Every node; without it a module may be one box");
}

Graph Command::graph_of_lesson(const learn::Lesson& lesson) const {
  check<UsageError>(!given(text_) || given(changes_.model()), "--text is for models: {} is a lesson",
                    lesson.id);
  const Recording recording = changes_.open(lesson, learn::Keep::Calls);
  const auto name = given(tensor_);
  const Address address = name ? tensor_called(recording, *name) : last_with_graph(recording);
  Graph graph = graph_of(*recording.trace, *address.entry->value->node, names_of(recording), expand_);
  graph.title = fmt::format("{} {}{}", lesson.id, learn::to_text(address), recording.flags);
  return graph;
}

void Command::run(Output& out) const {
  const auto of = given(of_);
  check<UsageError>(of.has_value(), "which graph? glassgrad graph LESSON, or glassgrad graph CHECKPOINT");
  const std::string format = given(format_).value_or("drawing");
  check<UsageError>(format == "drawing" || format == "text" || format == "dot" || format == "svg",
                    "--format is drawing, text, dot or svg, not '{}'", format);
  const learn::Lesson* lesson = learn::lesson_or_file(*of);
  std::error_code ignored;
  if (!lesson && !std::filesystem::exists(*of, ignored)) {
    std::vector<std::string> ids;
    for (const learn::Lesson* l : learn::lessons()) ids.emplace_back(l->id);
    fail<UsageError>("there is no lesson and no file '{}': did you mean {}?", *of, nearest(*of, ids));
  }
  const std::string changes = changes_.as_typed();
  check<UsageError>(lesson || (!given(tensor_) && changes.empty()),
                    "a model's graph is that of its loss: '{}' is for lessons",
                    given(tensor_).value_or(changes));
  const DefaultDevice device = use_device(device_);
  const Graph graph = lesson ? graph_of_lesson(*lesson) : graph_of_model(*of, given(text_), expand_);
  if (format == "dot")
    render_dot(graph, out);
  else if (format == "svg")
    render_svg(graph, out);
  else if (format == "text")
    render_text(graph, out);
  else
    render_drawing(graph, out);
}

std::unique_ptr<Subcommand> command(CLI::App& program) { return std::make_unique<Command>(program); }

}  // namespace glassgrad::graph
