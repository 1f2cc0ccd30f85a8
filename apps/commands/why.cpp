// The command `why`: how one number of a lesson, or of a trained model that reads a text, was computed.
#include "apps/commands/commands.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "apps/ask/backward.h"
#include "apps/ask/lesson_flags.h"
#include "apps/ask/why/explanation.h"
#include "apps/ask/why/gradient.h"
#include "apps/cli/arguments.h"
#include "apps/cli/device.h"
#include "apps/cli/json_number.h"
#include "apps/cli/text_width.h"
#include "apps/commands/elsewhere.h"
#include "apps/lesson/axes.h"
#include "apps/lesson/lesson_files.h"
#include "apps/lesson/selection.h"
#include "apps/model/model_run.h"

namespace glassgrad::why {
namespace {

using learn::Entry, learn::Recording, learn::Step, learn::Steps;

constexpr int64_t kDeepest = 1000;

// Lists the tensors like "step:tensor  (T=6 queries, T=6 keys)", one per line.
std::string openable(const Steps& steps) {
  size_t widest = 0;
  const auto address = [](const Step& step, const Entry& e) { return fmt::format("{}:{}", step.id, e.name); };
  for (const Step& step : steps)
    for (const Entry& e : step.entries)
      if (e.value) widest = std::max(widest, columns_of(address(step, e)));
  std::string text;
  for (const Step& step : steps)
    for (const Entry& e : step.entries)
      if (e.value) text += fmt::format("{:<{}}  {}\n", address(step, e), widest, learn::shape_text(e));
  return text;
}

// Lists how an address can go on: with the tensors of the lesson or of a step, or with a tensor's cells.
void list(const Recording& recording, const std::string& address, Output& out) {
  const Step& given = recording.given;
  if (address.empty()) return out.write(openable(recording.steps) + openable(Steps(&given, 1)));
  if (address == given.id) return out.write(openable(Steps(&given, 1)));
  if (address.find(':') == address.npos) return out.write(openable(learn::find_steps(recording, address)));
  const std::string tensor = address.substr(0, address.find('['));
  const Entry& entry = *learn::find_tensor(recording, tensor).entry;
  out.write(fmt::format("{}  {}\n{}\n", tensor, learn::shape_text(entry), entry.value->repr()));
}

// Returns whether the address has brackets or names a tensor that is a single number.
bool names_cell(const Recording& recording, const std::string& address) {
  if (address.find_first_of("[]") != address.npos) return true;
  return address.find(':') != address.npos &&
         learn::find_tensor(recording, address).entry->value->shape().n == 0;
}

std::string line(const nlohmann::ordered_json& json) { return json_text(json) + "\n"; }

// Explains the gradient of a number of the run, or the number itself if it belongs to a backward step.
std::string gradient(GradientQuery asked, const std::string& address, const ExplainOptions& how, bool json) {
  constexpr std::string_view kStep = "backward-";  // then a digit: a lesson may have a step backward-rule
  if (address.starts_with(kStep) && address.find_first_of("0123456789") == kStep.size()) {
    const learn::Address cell = learn::find_cell(asked.backward, address);
    return json ? line(cell_json(asked.backward, cell, how.depth))
                : text_of(explain(asked.backward, cell, how));
  }
  asked.address = learn::find_cell(asked.forward, address, nullptr);
  return json ? line(gradient_json(asked, how.depth)) : text_of(explain_gradient(asked, how));
}

bool is_lesson(const std::string& name) { return learn::is_lesson_file(name) || learn::lesson_called(name); }

class Command : public Subcommand {
 public:
  explicit Command(CLI::App& program);
  void prepare(const std::vector<std::string>& words) override { flags_->prepare(words); }
  // Throws UsageError without such a lesson, step, tensor or cell; Error from the lesson or the checkpoint.
  void run(Output& out) const override;

 private:
  std::string flags() const;  // for Recording::flags
  // Returns the runner of a lesson with its flags, or of a model with its text.
  learn::Runner runner() const;

  CLI::Option *lesson_, *address_, *depth_, *format_, *text_, *device_;
  bool exact_ = false, list_ = false, backward_ = false;
  std::optional<learn::LessonFlags> flags_;  // created last: the help lists them last
};

}  // namespace

Command::Command(CLI::App& program)
    : Subcommand(program, CommandGroup::Learn, "why", "Open one number: the arithmetic it came from",
                 "glassgrad why journey masked-softmax:attn_weights[2,1]") {
  lesson_ = add_value("LESSON", "",
                      "A lesson or its file, or a model: a file that `train` has saved, or its folder");
  address_ = add_words("ADDRESS", "The number: STEP:TENSOR[i,j]; without it, all tensors there are");
  depth_ = add_value("--depth", "N", "Also open what it was computed from: N calls in all (1)");
  add_flag("--exact", exact_, "All digits");
  add_flag("--backward", backward_, "Its gradient instead, with a central difference beside it");
  format_ = add_value("--format", "FORMAT", "text, or json: the arithmetic as a tree (text)");
  add_flag("--list", list_, "The tensors that can be opened");
  text_ = add_value("--text", "TEXT", "What a model reads");
  device_ = add_value("--device", "NAME", kDevices);
  flags_.emplace(*app_, text_);
}

std::string Command::flags() const {
  const std::string name = given(lesson_).value_or("");
  return is_lesson(name) ? flags_->as_typed() : learn::as_typed("why", name) + learn::as_typed(text_);
}

learn::Runner Command::runner() const {
  const auto name = given(lesson_);
  check<UsageError>(name.has_value(), "which lesson? glassgrad why LESSON STEP:TENSOR[i,j]");
  std::error_code unknown;
  const bool model = !is_lesson(*name) && (given(text_) || std::filesystem::exists(*name, unknown));
  if (!model) {
    check<UsageError>(name->find(':') == name->npos, "which lesson? glassgrad why LESSON {}", *name);
    const learn::Lesson& lesson = lesson_or_elsewhere(*name);
    check<UsageError>(!given(text_) || given(flags_->model()),
                      "--text is for a trained model; {} is a lesson", *name);
    return flags_->runner(lesson);
  }
  const std::string changes = flags_->as_typed();
  check<UsageError>(changes.empty(), "{} is a model, with sizes and weights of its own: leave{} out", *name,
                    changes);
  const auto trained = std::make_shared<learn::TrainedModel>(*name);
  return inspect::runner(trained, inspect::tokens_of(trained->checkpoint(), given(text_).value_or("")));
}

void Command::run(Output& out) const {
  const std::string format = given(format_).value_or("text");
  const bool json = format == "json";
  check<UsageError>(json || format == "text", "--format is text or json, not '{}'", format);
  const int64_t depth = given_integer(depth_, 1, kDeepest).value_or(1);
  const std::vector<std::string> addresses = all_given(address_);
  const DefaultDevice device = use_device(device_);
  const learn::Runner runner = this->runner();
  const Recording recording =
      learn::record(runner, flags(), backward_ ? learn::Keep::Backward : learn::Keep::Calls);
  if (addresses.empty()) return list(recording, "", out);
  std::optional<Recording> backward;  // computed for the first address that asks for a gradient
  for (const std::string& typed : addresses) {
    if (&typed != &addresses.front() && !json) out.write("\n");
    const std::string address = typed.substr(typed.starts_with('#'));  // a page's address ends in #ADDRESS
    const ExplainOptions how{.writing = {.exact = exact_}, .depth = depth};
    if (backward_ && !list_ && address.find_first_of(":[") != address.npos) {
      if (!backward) backward = learn::backward_steps(recording);
      out.write(gradient({runner, recording, *backward, {}}, address, how, json));
    } else if (list_ || !names_cell(recording, address)) {
      list(recording, address, out);
    } else {
      const learn::Address cell = learn::find_cell(recording, address, nullptr);
      out.write(json ? line(cell_json(recording, cell, depth)) : text_of(explain(recording, cell, how)));
    }
  }
}

std::unique_ptr<Subcommand> command(CLI::App& program) { return std::make_unique<Command>(program); }

}  // namespace glassgrad::why
