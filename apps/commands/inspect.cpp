// The command `inspect`: shows the numbers of a trained model that reads a text.
#include "apps/commands/commands.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "apps/ask/what_if.h"
#include "apps/cli/arguments.h"
#include "apps/cli/complain.h"
#include "apps/cli/device.h"
#include "apps/cli/text_width.h"
#include "apps/lesson/difference.h"
#include "apps/model/inspection_report.h"
#include "apps/model/model_run.h"
#include "apps/page/document.h"
#include "apps/page/inspect_page.h"
#include "apps/show/render.h"
#include "apps/text/unknown.h"
#include "apps/train/run_folder.h"
#include "engine/io/npy.h"

namespace glassgrad::inspect {
namespace {

constexpr const char* kAll = "all";

// The parts of "STEP:TENSOR=FILE".
struct Wanted {
  std::string address, file;
};

std::vector<Wanted> wanted_files(const std::vector<std::string>& assignments) {
  std::vector<Wanted> wanted;
  for (const std::string& text : assignments) {
    const size_t equals = text.find('=');
    check<UsageError>(equals != text.npos && equals > 0 && equals + 1 < text.size(),
                      "--npy takes STEP:TENSOR=FILE, like layer-0-weights:attn_weights=a.npy, not '{}'",
                      text);
    wanted.push_back({text.substr(0, equals), text.substr(equals + 1)});
  }
  return wanted;
}

// Saves the tensors, or throws UsageError before it writes any file if an address is unknown.
void save(const std::vector<Wanted>& wanted, const learn::Recording& recording) {
  std::vector<std::string> addresses;
  std::vector<const learn::Value*> values;
  for (const learn::Step& step : recording.steps)
    for (const learn::Entry& entry : step.entries) {
      addresses.push_back(fmt::format("{}:{}", step.id, entry.name));
      values.push_back(&*entry.value);
    }
  std::vector<const learn::Value*> found;
  for (const Wanted& w : wanted) {
    const auto at = std::find(addresses.begin(), addresses.end(), w.address);
    check<UsageError>(at != addresses.end(),
                      "--npy: the run has no '{}': did you mean {}? --format json lists all", w.address,
                      nearest(w.address, addresses));
    found.push_back(values[size_t(at - addresses.begin())]);
  }
  for (size_t i = 0; i < wanted.size(); ++i) save_npy(found[i]->tensor(), wanted[i].file);
}

class Command : public Subcommand {
 public:
  explicit Command(CLI::App& program);
  // Throws UsageError; Error if there is no such checkpoint, it is broken, or a file cannot be written.
  void run(Output& out) const override;

 private:
  // Returns the head to leave out, or nothing if none is named.
  std::optional<Head> zeroed(const nn::GPTConfig& config) const;

  CLI::Option *checkpoint_, *text_, *layer_, *head_, *zero_, *set_, *top_, *npy_, *format_, *html_, *threads_,
      *device_;
  bool site_ = false;
};

}  // namespace

Command::Command(CLI::App& program)
    : Subcommand(program, CommandGroup::Model, "inspect",
                 "See what a trained model computes when it reads a text",
                 "glassgrad inspect runs/1 --text \"cats climb trees during\"") {
  checkpoint_ = add_value("CHECKPOINT", "", "A file that `train` has saved, or its folder (the newest run)");
  text_ = add_value("--text", "TEXT", "What the model reads");
  layer_ = add_value("--layer", "L", "Show the attention weights of this layer only, from 0 on");
  head_ = add_value("--head", "H", "Show the weights of this head only, from 0 on");
  zero_ = add_value("--zero", "L.H",
                    "Run again without this head, or all: each in turn (the one that moves most)");
  set_ = add_values("--set", "[STEP:]TENSOR[i,j]=V", "Run with this number in place of its own; repeatable");
  top_ = add_value("--top", "N", "How many of the likeliest next tokens (10)");
  npy_ = add_values("--npy", "STEP:TENSOR=FILE", "Save a tensor of the run; repeatable");
  format_ = add_value("--format", "FORMAT", "text, or json: every tensor of the run (text)");
  html_ = add_value("--html", "FILE",
                    "Write a page instead: all heads at a glance, one large; it reads what you type");
  add_flag("--site", site_, "With --html: a part of the first page of the site that make site writes");
  threads_ = add_value("--threads", "N", kThreads);
  device_ = add_value("--device", "NAME", kDevices);
}

std::optional<Head> Command::zeroed(const nn::GPTConfig& config) const {
  const auto text = given(zero_);
  if (!text || *text == kAll) return {};
  const size_t dot = std::min(text->find('.'), text->size());
  const auto layer = parse_number<int64_t>(text->substr(0, dot));
  const auto head = parse_number<int64_t>(text->substr(std::min(dot + 1, text->size())));
  check<UsageError>(
      layer && head && *layer >= 0 && *layer < config.layers && *head >= 0 && *head < config.heads,
      "--zero takes LAYER.HEAD from 0.0 to {}.{}, or {}, not '{}'", config.layers - 1, config.heads - 1, kAll,
      *text);
  return Head{*layer, *head};
}

void Command::run(Output& out) const try {
  constexpr const char* kUsage = "glassgrad inspect CHECKPOINT --text TEXT";
  const auto text = given(text_);
  check<UsageError>(text.has_value(), "which text? {}", kUsage);
  const std::string format = given(format_).value_or("text");
  check<UsageError>(format == "text" || format == "json", "--format is text or json, not '{}'", format);
  check<UsageError>(!given(html_) || (!given(html_)->empty() && !given(format_)),
                    "--html takes the path of a file, and no --format beside it");
  check<UsageError>(!site_ || given(html_), "--site goes with --html");
  const std::vector<std::string> changes = all_given(set_);
  check<UsageError>(changes.empty() || !given(zero_),
                    "--set and --zero exclude each other: each asks for a run of its own");
  use_threads(threads_);
  const std::vector<Wanted> files = wanted_files(all_given(npy_));
  ReportView view;
  if (const auto top = given_integer(top_, 1, int64_t{1} << 40)) view.top = *top;

  const DefaultDevice device = use_device(device_);
  const auto model =
      std::make_shared<const learn::TrainedModel>(train::run_or_newest(given(checkpoint_), kUsage));
  const Tokenizer& tokenizer = model->tokenizer();
  const nn::GPT& gpt = model->gpt();
  const nn::GPTConfig& config = gpt.config();
  view.layers = config.layers;
  view.layer = given_integer(layer_, 0, config.layers - 1);
  view.head = given_integer(head_, 0, config.heads - 1);
  const std::optional<Head> zero = view.zeroed = zeroed(config);
  const double most_flops = given(zero_) ? HUGE_VAL : kMostFlops;
  const std::vector<int64_t> tokens = tokens_of(model->checkpoint(), *text);
  if (const std::string unknown = told_unknown(tokenizer, *text); !unknown.empty()) complain(unknown);
  std::optional<learn::WhatIf> changed;
  std::optional<learn::Recording> own;
  if (changes.empty())
    own.emplace(run_recorded(gpt, tokenizer, tokens, zero, most_flops));
  else
    changed.emplace(runner(model, tokens), "", learn::Keep::Calls).set(changes);
  const learn::Recording& recording = changed ? changed->recording() : *own;
  save(files, recording);
  if (given(html_)) {
    explorer::write_page(
        *given(html_),
        explorer::inspect_page({recording, gpt, tokenizer, view, *text,
                                model->checkpoint().settings.text.empty(), changed.has_value()},
                               site_),
        out);
  } else if (format == "json")
    learn::render_json(recording, recording.steps, out);
  else {
    render_report(recording, tokenizer, view, out);
    for (const std::string& sentence : learn::differences_text(recording))
      out.write(printable(sentence) + "\n");
  }
} catch (const std::bad_alloc&) {
  fail("out of memory: the model and what it computes do not fit");
}

std::unique_ptr<Subcommand> command(CLI::App& program) { return std::make_unique<Command>(program); }

}  // namespace glassgrad::inspect
