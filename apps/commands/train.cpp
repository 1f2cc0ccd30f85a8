// The command `train`: trains a model, or resumes a training.
#include "apps/commands/commands.h"
#include "engine/core/joined.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <new>
#include <vector>

#include "apps/cli/arguments.h"
#include "apps/cli/as_typed.h"
#include "apps/cli/complain.h"
#include "apps/cli/device.h"
#include "apps/cli/text_width.h"
#include "apps/page/training_page.h"
#include "apps/prove/bench/machine.h"
#include "apps/show/curve.h"
#include "apps/text/corpus.h"
#include "apps/text/text_file.h"
#include "apps/train/checkpoint.h"
#include "apps/train/plan.h"
#include "apps/train/run_folder.h"
#include "apps/train/session.h"
#include "engine/io/file.h"
#include "engine/matmul_precision.h"

namespace glassgrad::train {
namespace {

// The number of recordings that a reader may want to look through, if --watch is not given.
constexpr int64_t kRecordingsForPage = 100;
constexpr int64_t kMaxSize = int64_t{1} << 20, kMaxBatch = int64_t{1} << 20;

template <class T>
void change(T& value, const std::optional<T>& given) {
  if (given) value = *given;
}

template <class Part>
void change_part(Part& part, const CLI::Option* option) {
  const auto name = given(option);
  if (!name) return;
  const auto found = nn::part_called<Part>(*name);
  check<UsageError>(found.has_value(), "{} takes {}, not '{}'", name_of(option),
                    joined(nn::names_of(part), " or "), *name);
  part = *found;
}

// Returns the absolute path: a run may be resumed from a different folder.
std::string lasting(const std::string& path) {
  std::error_code unknown;
  const std::filesystem::path whole = std::filesystem::absolute(path, unknown);
  return unknown ? path : whole.lexically_normal().string();
}

// Extra work during a training.
struct Extras {
  bool profile = false, curve = false;
  std::optional<std::string> page;
};

void tell_curve(const std::vector<Measured>& history, Report& report) {
  std::vector<double> losses;
  for (const Measured& measured : history) losses.push_back(measured.loss);
  for (const std::string& line : curve(losses, {})) report.line(line);
}

void train_on(const Settings& settings, const Corpus& corpus, Trainer& trainer, const RunFolder& folder,
              Report& report, const Extras& extras, std::optional<double> best,
              std::vector<Measured> history) {
  const StopFlag stop;
  report_plan(settings, corpus, folder, report);
  if (trainer.done() == 0) report_untrained(settings, trainer, report);
  report_time(settings, trainer, report);
  Session session(settings, trainer, folder, report, best, std::move(history));
  if (extras.profile) session.profile();
  const auto page = [&](const std::vector<Measured>& measured, const std::string& watched) {
    return explorer::training_page(folder.path(), settings, measured, watched);
  };
  if (extras.page) session.keep_page(*extras.page, page);
  session.run(stop);
  if (extras.curve) tell_curve(session.history(), report);
  if (const auto& last = session.history().back(); last.validation_loss)
    report_meaning(settings, trainer, *last.validation_loss, report);
  const char* prompt = settings.text.empty() ? kCorpusPrompt : "…";
  report.line(fmt::format("To let it write: glassgrad generate {} --prompt \"{}\"", folder.path(), prompt));
  report.line(
      settings.model.is_gpt2()
          ? fmt::format("To look inside:  glassgrad learn gpt --model {}", folder.path())
          : fmt::format("To look inside:  glassgrad inspect {} --text \"{}\"", folder.path(), prompt));
  report.finish();
}

class Command : public Subcommand {
 public:
  explicit Command(CLI::App& program);
  // Throws UsageError, Error, Interrupted (checkpoint saved).
  void run(Output& out) const override;

 private:
  Settings new_settings() const;
  void change_source(Settings& settings) const;
  void change_tokenizer(Settings& settings) const;
  void change_rhythm(Settings& settings) const;
  // Returns the checkpoint's settings with the changes that a resumed run may make.
  Settings resumed_settings(const Checkpoint& checkpoint, const std::string& path) const;
  void begin(Output& out) const;
  void resume(Output& out) const;
  // Adds recordings for the page if one is requested. The checkpoint must not contain this setting.
  Settings with_page(Settings settings) const;
  // Writes the page of a finished run.
  void write_page(const RunFolder& folder, const Checkpoint& checkpoint, Output& out) const;

  CLI::Option *text_, *tokens_, *tokenizer_, *vocabulary_, *merges_, *validation_;
  CLI::Option *preset_, *layers_, *heads_, *width_, *context_, *dropout_;
  CLI::Option *norm_, *positions_, *kv_heads_, *mlp_, *window_;
  CLI::Option *batch_, *steps_, *lr_, *weight_decay_, *seed_;
  CLI::Option *eval_every_, *checkpoint_every_, *watch_, *threads_, *device_, *matmul_, *out_, *html_;
  std::vector<CLI::Option*> fixed_;  // the checkpoint decides these
  bool resume_ = false, weights_only_ = false, force_ = false, detect_anomaly_ = false, profile_ = false;
};

// Refuses a folder of nanoGPT's for characters: its numbers are no tokens of a vocabulary that is known here.
void refuse_numbers_of_characters(const std::filesystem::path& tokens) {
  std::error_code unknown;
  const std::filesystem::path folder =
      std::filesystem::is_directory(tokens, unknown) ? tokens : tokens.parent_path();
  if (!std::filesystem::exists(folder / "meta.pkl", unknown)) return;
  fail<UsageError>(
      "the numbers of --tokens stand for characters, which {} lists: give the text itself, as in --text {}",
      (folder / "meta.pkl").string(), (folder / "input.txt").string());
}

}  // namespace

Command::Command(CLI::App& program)
    : Subcommand(program, CommandGroup::Model, "train",
                 "Train a small GPT on a text, or on sentences made here",
                 "glassgrad train --text book.txt --tokenizer char --steps 1000") {
  const auto value = [&](const char* name, const char* shown, const char* what, const char* group,
                         bool changeable = false) {
    CLI::Option* option = add_value(name, shown, what, group);
    if (!changeable) fixed_.push_back(option);
    return option;
  };
  const char* text = "The text";
  text_ = value("--text", "FILE", "What to learn from; without it, generated sentences", text, true);
  tokens_ = value("--tokens", "PATH", "Instead, tokens of 16 bits: a .bin of nanoGPT, or the folder of two",
                  text, true);
  tokenizer_ = value("--tokenizer", "KIND", "char, word, byte or bpe (word; with --text char)", text);
  vocabulary_ =
      value("--vocab", "N|FILE", "Size of bpe's vocabulary (1024); with --merges, a vocab.json", text);
  merges_ = value("--merges", "FILE", "GPT-2's merges.txt: split the text as these two files say", text);
  validation_ = value("--validation", "SHARE", "Share of the text kept for validation (0.1)", text);

  const char* model = "The model";
  preset_ = value("--preset", "NAME", "tiny, small or gpt2-124m (tiny)", model);
  layers_ = value("--layers", "N", "Transformer blocks (tiny 2)", model);
  heads_ = value("--heads", "N", "Heads of each block (tiny 4)", model);
  width_ = value("--width", "N", "Numbers per token (tiny 64)", model);
  context_ = value("--context", "N", "Tokens that the model can look back on (tiny 32)", model);
  dropout_ = value("--dropout", "P", "Share of values set to 0 in training (tiny 0)", model);

  norm_ = value("--norm", "KIND", "layer or rms (layer)", model);
  positions_ = value("--positions", "KIND", "learned, rope or sinusoid (learned)", model);
  kv_heads_ = value("--kv-heads", "N", "Heads of keys and values, shared by the others (as many)", model);
  mlp_ = value("--mlp", "KIND", "gelu or swiglu (gelu)", model);
  window_ = value("--window", "N", "Tokens that a token sees, itself among them (the context)", model);

  const char* steps = "The training";
  batch_ = value("--batch", "N", "Pieces of text per step (tiny 16)", steps);
  steps_ = value("--steps", "N", "How many steps (800)", steps, true);
  lr_ = value("--lr", "X", "Highest learning rate (tiny 0.003)", steps);
  weight_decay_ = value("--weight-decay", "X", "AdamW's weight decay, for matrices (tiny 0.01)", steps);
  seed_ = value("--seed", "N", "Seed of all random numbers (1)", steps);
  eval_every_ = value("--eval-every", "N", "Steps from one validation to the next (100)", steps, true);
  checkpoint_every_ =
      value("--checkpoint-every", "N", "Steps from one checkpoint to the next (100)", steps, true);
  watch_ = value("--watch", "N", "Steps from one recording of the attention to the next (none)", steps, true);
  add_flag("--profile", profile_, "Tell at the end how much time each op took", steps);
  threads_ = value("--threads", "N", kThreads, steps, true);
  device_ = value("--device", "NAME", kDevices, steps, true);
  matmul_ = value("--matmul", "PRECISION", kMatmul, steps, true);

  const char* folder = "The folder";
  out_ = value("--out", "DIR", "Where to save (runs/1, or the next free number)", folder, true);
  add_flag("--detect-anomaly", detect_anomaly_,
           "Look at each value: end where the first nan is made (slower)", steps);
  add_flag("--resume", resume_, "Go on with the run in DIR (the newest in runs/)", folder);
  add_flag("--weights-only", weights_only_, "With --resume: the optimizer begins anew, on any text", folder);
  add_flag("--force", force_, "Replace the run in DIR", folder);
  html_ = value("--html", "FILE",
                "A page of the curve, samples and attention; of a finished run with --resume", folder, true);
}

void Command::change_source(Settings& s) const {
  check<UsageError>(!(given(text_) && given(tokens_)),
                    "--text and --tokens exclude each other: give one of them");
  for (const CLI::Option* source : {text_, tokens_})
    if (const auto path = given(source)) {
      check<UsageError>(!path->empty(), "{} takes a path, not ''", name_of(source));
      s.text = lasting(*path);
      s.token_file = source == tokens_;
    }
}

void Command::change_tokenizer(Settings& s) const {
  if (given(tokens_)) refuse_numbers_of_characters(s.text);
  if (given(text_)) s.tokenizer = "char";
  if (given(merges_)) s.tokenizer = "bpe";
  change(s.tokenizer, given(tokenizer_));
  check<UsageError>(s.tokenizer == "bpe" || !(given(vocabulary_) || given(merges_)),
                    "--vocab and --merges are for --tokenizer bpe, not for {}", s.tokenizer);
  check<UsageError>(given(vocabulary_) || !given(merges_),
                    "--merges goes with --vocab: merges.txt and vocab.json");
  check<UsageError>(
      !s.token_file || given(merges_) || s.tokenizer == "byte",
      "--tokens holds numbers: say what they stand for, with the --vocab vocab.json and --merges "
      "merges.txt that made them, or --tokenizer byte");
  if (given(merges_)) return;
  check<UsageError>(
      !given(vocabulary_) || parse_number<int64_t>(*given(vocabulary_)),
      "--vocab takes a number of tokens, or GPT-2's vocab.json together with --merges, not '{}'",
      given(vocabulary_).value_or(""));
  change(s.vocabulary, given_integer(vocabulary_, 256, int64_t{1} << 20));
}

Settings Command::new_settings() const {
  Settings s = Settings::preset(given(preset_).value_or("tiny"));
  change_source(s);
  change_tokenizer(s);
  change(s.validation, given_number(validation_, 0.001, 0.9));
  change(s.model.layers, given_integer(layers_, 1, 1024));
  change(s.model.heads, given_integer(heads_, 1, kMaxSize));
  change(s.model.width, given_integer(width_, 1, kMaxSize));
  change(s.model.context_length, given_integer(context_, 1, kMaxSize));
  change(s.model.dropout, given_number(dropout_, 0, 1));
  change_part(s.model.norm, norm_);
  change_part(s.model.positions, positions_);
  change_part(s.model.mlp, mlp_);
  const auto kv_heads = given_integer(kv_heads_, 1, kMaxSize), window = given_integer(window_, 1, kMaxSize);
  if (kv_heads != s.model.heads) change(s.model.kv_heads, kv_heads);
  if (window != s.model.context_length) change(s.model.window, window);
  change(s.batch, given_integer(batch_, 1, kMaxBatch));
  change(s.lr, given_number(lr_, 0, 1e30));
  change(s.weight_decay, given_number(weight_decay_, 0, 1e30));
  change(s.seed, given_seed(seed_));
  change_rhythm(s);
  s.model.check();
  return s;
}

void Command::change_rhythm(Settings& s) const {
  change(s.steps, given_integer(steps_, 1, kMany));
  change(s.eval_every, given_integer(eval_every_, 1, kMany));
  change(s.checkpoint_every, given_integer(checkpoint_every_, 1, kMany));
  change(s.watch_every, given_integer(watch_, 1, kMany));
}

Settings Command::with_page(Settings s) const {
  if (given(html_) && s.watch_every == 0)
    s.watch_every = std::max(s.eval_every, (s.steps - 1) / kRecordingsForPage + 1);
  return s;
}

Settings Command::resumed_settings(const Checkpoint& checkpoint, const std::string& path) const {
  Settings s = checkpoint.settings;
  change_source(s);
  change_rhythm(s);
  check(checkpoint.step < kMany, "{}: has made {} steps, and a training has at most {}", path,
        checkpoint.step, kMany);
  check(checkpoint.step < s.steps || given(html_), "{}: has made all its {} steps; give more: --steps {}",
        path, checkpoint.step, std::min(2 * checkpoint.step, kMany));
  return s;
}

void Command::begin(Output& out) const {
  Settings settings;
  try {
    settings = new_settings();
  } catch (const ValueError& e) {
    fail<UsageError>("{}", e.what());
  }
  const Corpus corpus(settings,
                      given(merges_) ? load_gpt2_tokenizer(*given(vocabulary_), *given(merges_)) : nullptr);
  settings.model.vocab_size = corpus.tokenizer->size();
  require_memory(settings);
  const Settings watched = with_page(settings);
  require_room(watched, corpus);
  const RunFolder folder(given(out_).value_or(""), force_ ? RunFolder::Mode::Force : RunFolder::Mode::Fresh);
  Trainer trainer(settings, corpus);
  if (detect_anomaly_) trainer.detect_anomaly();
  folder.remove_run();
  Report report(out);
  train_on(watched, corpus, trainer, folder, report, {profile_, out.is_terminal(), given(html_)}, {}, {});
}

void Command::resume(Output& out) const {
  for (const CLI::Option* option : fixed_)
    check<UsageError>(!given(option), "{} stays as it was with --resume; leave it out", name_of(option));
  const RunFolder folder(given(out_).value_or(""), RunFolder::Mode::Resume);
  const Checkpoint checkpoint = load_checkpoint(folder.last());
  const Settings settings = resumed_settings(checkpoint, folder.last());
  if (checkpoint.step >= settings.steps) return write_page(folder, checkpoint, out);
  // The checkpoint is not trusted: it may name any file.
  check<UsageError>(settings.text.empty() || given(text_) || given(tokens_),
                    "{}: learns from a file, which only you name: give {} (it was {})", folder.path(),
                    settings.token_file ? "--tokens PATH" : "--text FILE", settings.text);
  const Corpus corpus(settings, checkpoint.tokenizer);
  check(weights_only_ || corpus.fingerprint == checkpoint.text,
        "{}: is not the text that the run in {} learns from: that one had {} tokens, this one has {}{}; "
        "--weights-only goes on with another text; the optimizer then begins anew",
        settings.text.empty() ? "the generated text" : settings.text, folder.path(), checkpoint.text.tokens,
        corpus.fingerprint.tokens, corpus.fingerprint.tokens == checkpoint.text.tokens ? ", other ones" : "");
  require_memory(settings);
  Trainer trainer(settings, corpus, checkpoint, folder.last(),
                  weights_only_ ? Trainer::Restore::Weights : Trainer::Restore::All);
  if (detect_anomaly_) trainer.detect_anomaly();
  Report report(out);
  report.line(fmt::format("resumed  {} after step {}", folder.last(), checkpoint.step));
  train_on(with_page(settings), corpus, trainer, folder, report, {profile_, out.is_terminal(), given(html_)},
           checkpoint.best_validation_loss, read_log(folder.log(), checkpoint.step));
}

void Command::write_page(const RunFolder& folder, const Checkpoint& checkpoint, Output& out) const {
  std::error_code unknown;
  const std::string watched =
      std::filesystem::exists(folder.watch(), unknown) ? read_file(folder.watch(), kMaxWatchFile) : "";
  const std::string path = given(html_).value_or("");
  write_text(path, explorer::training_page(folder.path(), checkpoint.settings,
                                           read_log(folder.log(), checkpoint.step), watched));
  out.write(fmt::format("{} has made all its {} steps; page: {}\n", printable(folder.path()), checkpoint.step,
                        printable(path)));
}

void Command::run(Output& out) const {
  check<UsageError>(!(resume_ && force_), "--resume and --force exclude each other: give one of them");
  check<UsageError>(resume_ || !weights_only_, "--weights-only goes with --resume");
  use_threads(threads_);
  const auto path = given(out_);
  check<UsageError>(!path || !path->empty(), "--out takes the path of a folder, not ''");
  check<UsageError>(given(html_) != "", "--html takes the path of a file, not ''");
  const DefaultDevice device = use_device(device_);
  use_matmul(matmul_);
  if (const double gain = default_device == kCpu && bf16_matmul() ? bench::gain_of_bf16() : 1; gain < 1)
    complain(fmt::format("--matmul bf16: does not pay here: a product takes {:.1f} times as long as in fp32",
                         1 / gain));
  if (given(html_)) OutputFile{*given(html_)};  // throws before the training if it cannot be written
  try {
    resume_ ? resume(out) : begin(out);
  } catch (const std::bad_alloc&) {
    fail("out of memory: give a smaller --batch, --context or model");
  }
}

std::unique_ptr<Subcommand> command(CLI::App& program) { return std::make_unique<Command>(program); }

}  // namespace glassgrad::train
