// The command `generate`: lets a trained model continue a text.
#include "apps/commands/commands.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <new>
#include <string>
#include <vector>

#include "apps/cli/arguments.h"
#include "apps/cli/complain.h"
#include "apps/cli/device.h"
#include "apps/cli/memory.h"
#include "apps/lesson/phrases.h"
#include "apps/text/sentence_end.h"
#include "apps/text/unknown.h"
#include "apps/train/checkpoint.h"
#include "apps/train/plan.h"
#include "apps/train/run_folder.h"
#include "engine/autograd.h"
#include "engine/io/file.h"
#include "nn/sampling.h"

namespace glassgrad::generate {
namespace {

constexpr int64_t kMaxTokens = 1'000'000, kDefaultTokens = 64, kDefaultSeed = 1;
constexpr size_t kLongestPrompt = 1 << 24;

std::string read_stdin() {
  if (::isatty(STDIN_FILENO) == 1) std::fputs("The prompt, then Ctrl-D:\n", stderr);
  std::string text;
  char block[1 << 14];
  for (;;) {
    const ssize_t n = ::read(STDIN_FILENO, block, sizeof block);
    if (n < 0 && errno == EINTR) continue;
    check_system(n >= 0, "the prompt cannot be read from stdin: {}");
    if (n == 0) break;
    text.append(block, static_cast<size_t>(n));
    check(text.size() <= kLongestPrompt, "the prompt on stdin has more than {} bytes", kLongestPrompt);
  }
  if (text.ends_with('\n')) text.pop_back();  // `echo` adds it
  return text;
}

// Computes the logits of the next token of a sequence that grows at its end.
class Reader {
 public:
  Reader(const nn::GPT& model, std::vector<int64_t> tokens, bool use_cache)
      : model_(model), tokens_(std::move(tokens)), use_cache_(use_cache) {}

  Tensor logits() {
    const int64_t context = model_.config().context_length;
    if (use_cache_) {
      const std::vector<int64_t> fresh(tokens_.begin() + read_, tokens_.end());
      read_ = std::ssize(tokens_);
      return model_.step(from_values(fresh, {1, std::ssize(fresh)}), cache_);
    }
    const NoGrad no_grad;
    const std::vector<int64_t> seen(tokens_.end() - std::min(context, std::ssize(tokens_)), tokens_.end());
    return model_(from_values(seen, {1, std::ssize(seen)}))[0].select(0, -1);
  }
  void add(int64_t token) { tokens_.push_back(token); }

 private:
  const nn::GPT& model_;
  std::vector<int64_t> tokens_;
  nn::KvCache cache_;
  int64_t read_ = 0;  // number of tokens in the cache
  bool use_cache_;
};

// Measures the time that the prompt took, and the tokens after it.
class Speed {
 public:
  void token() {
    const auto now = Clock::now();
    (tokens_++ == 0 ? prompt_ : rest_) += now - since_;
    since_ = now;
  }
  // "the prompt of 4 tokens took 0.8 ms, the next 63 tokens 12 ms: 5250 tokens/s".
  std::string text(size_t prompt) const {
    const auto ms = [](Clock::duration time) {
      return std::chrono::duration<double, std::milli>(time).count();
    };
    std::string said =
        fmt::format("the prompt of {} took {:.3g} ms", learn::counted(int64_t(prompt), "token"), ms(prompt_));
    if (tokens_ > 1)
      said += fmt::format(", the next {} {:.3g} ms: {:.0f} tokens/s", learn::counted(tokens_ - 1, "token"),
                          ms(rest_), 1000 * double(tokens_ - 1) / std::max(ms(rest_), 1e-6));
    return said;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point since_ = Clock::now();
  Clock::duration prompt_{}, rest_{};
  int64_t tokens_ = 0;
};

// Says how much memory the cache takes, and what happens to it past the context.
std::string cache_text(const nn::GPTConfig& c, bool use_cache) {
  if (!use_cache) return "cache    none: each token reads the last ones anew";
  return fmt::format(
      "cache    {}: keys and values of {} in {} of {}; {}", train::bytes_text(c.cache_bytes()),
      learn::counted(c.cache_rows(), "token"), learn::counted(c.layers, "layer"),
      learn::counted(c.key_heads(), "head"),
      c.slides() ? fmt::format("it slides on with the window of {}", c.window)
                 : fmt::format("past the context of {} it is made anew for each token", c.context_length));
}

class Command : public Subcommand {
 public:
  explicit Command(CLI::App& program);
  // Throws UsageError; Error if there is no such checkpoint or it is broken.
  void run(Output& out) const override;

 private:
  nn::Sampling sampling() const;
  std::string prompt() const;

  CLI::Option *checkpoint_, *prompt_, *max_tokens_, *temperature_, *top_k_, *top_p_, *seed_, *threads_,
      *device_;
  bool go_on_ = false, greedy_ = false, no_cache_ = false, profile_ = false;
};

}  // namespace

Command::Command(CLI::App& program)
    : Subcommand(program, CommandGroup::Model, "generate", "Let a trained model continue a text",
                 "glassgrad generate runs/1 --prompt \"cats climb trees during\"") {
  checkpoint_ = add_value("CHECKPOINT", "", "A file that `train` has saved, or its folder (the newest run)");
  prompt_ = add_value("--prompt", "TEXT", "The beginning (stdin)");
  max_tokens_ = add_value("--max-tokens", "N", "How many tokens to add at most (64)");
  add_flag("--go-on", go_on_, "Past the end of the sentence, up to --max-tokens");
  add_flag("--greedy", greedy_, "Always the likeliest token");
  temperature_ =
      add_value("--temperature", "X", "Below 1 favours likely tokens, above 1 gives more variety (1)");
  top_k_ = add_value("--top-k", "N", "Only the N likeliest tokens");
  top_p_ = add_value("--top-p", "P", "Only the likeliest tokens whose probabilities add up to P");
  seed_ = add_value("--seed", "N", "Seed of the random choices (1)");
  add_flag("--no-cache", no_cache_, "Compute all keys and values anew for each token");
  add_flag("--profile", profile_,
           "Tell at the end what the cache takes, and tokens/s (on a terminal always)");
  threads_ = add_value("--threads", "N", kThreads);
  device_ = add_value("--device", "NAME", kDevices);
}

nn::Sampling Command::sampling() const {
  nn::Sampling s;
  if (const auto t = given_number(temperature_, 0, 1e6)) s.temperature = *t;
  if (const auto k = given_integer(top_k_, 1, int64_t{1} << 40)) s.top_k = *k;
  if (const auto p = given_number(top_p_, 0, 1)) s.top_p = *p;
  check<UsageError>(s.top_p > 0, "--top-p must be above 0: nothing would be left to draw");
  check<UsageError>(!greedy_ || !(given(temperature_) || given(top_k_) || given(top_p_)),
                    "--greedy draws nothing: leave --temperature, --top-k and --top-p out");
  if (greedy_) s.temperature = 0;
  return s;
}

std::string Command::prompt() const {
  std::string text = given(prompt_) ? *given(prompt_) : read_stdin();
  check<UsageError>(!text.empty(), "the prompt is empty: a model goes on from one token at least");
  return text;
}

void Command::run(Output& out) const try {
  use_threads(threads_);
  const nn::Sampling how = sampling();
  const int64_t most = given_integer(max_tokens_, 0, kMaxTokens).value_or(kDefaultTokens);
  Generator generator(given_seed(seed_).value_or(kDefaultSeed));
  const DefaultDevice device = use_device(device_);
  const std::string file = train::checkpoint_file(
      train::run_or_newest(given(checkpoint_), "glassgrad generate CHECKPOINT --prompt TEXT"));
  const train::Checkpoint checkpoint = train::load_checkpoint(file);
  const auto model = train::model_of(checkpoint, file);
  model->eval();

  const std::string text = prompt();
  const Tokenizer& tokenizer = *checkpoint.tokenizer;
  const std::vector<int64_t> tokens = tokenizer.encode(text);
  if (const std::string unknown = told_unknown(tokenizer, text); !unknown.empty()) complain(unknown);
  if (const int64_t context = model->config().context_length; std::ssize(tokens) > context)
    complain(fmt::format("the prompt has {} tokens, the model sees the last {}", tokens.size(), context));
  if (const double there = available_memory(); !no_cache_ && default_device == kCpu)
    check(model->config().cache_bytes() < there,
          "the cache takes about {}, but there are {}: give --no-cache",
          train::bytes_text(model->config().cache_bytes()), train::bytes_text(there));
  out.write(text);
  out.flush();
  Speed speed;
  Reader reader(*model, tokens, !no_cache_);
  // The generated training text has one sentence per line.
  SentenceEnd end(checkpoint.settings.text.empty() || !has_full_stop(tokenizer));
  for (int64_t i = 0; i < most; ++i) {
    const int64_t token = nn::sample(reader.logits(), how, generator);
    speed.token();
    const std::string& written = tokenizer.token(token);
    if (!go_on_ && end.comes_before(written)) break;
    out.write(written);
    out.flush();
    end.add(written);
    reader.add(token);
  }
  out.write("\n");
  if (!profile_ && ::isatty(STDERR_FILENO) != 1) return;
  out.flush();
  const std::string report =
      fmt::format("{}\nspeed    {}\n", cache_text(model->config(), !no_cache_), speed.text(tokens.size()));
  std::fputs(report.c_str(), stderr);
} catch (const std::bad_alloc&) {
  fail("out of memory: the model and its cache do not fit");
}

std::unique_ptr<Subcommand> command(CLI::App& program) { return std::make_unique<Command>(program); }

}  // namespace glassgrad::generate
