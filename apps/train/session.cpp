#include "apps/train/session.h"

#include <algorithm>
#include <chrono>

#include "apps/cli/as_typed.h"
#include "apps/terminal/signals.h"
#include "apps/text/text_file.h"
#include "apps/text/visible.h"

namespace glassgrad::train {
namespace {

constexpr int64_t kSampleTokens = 16;
constexpr auto kBetweenPages = std::chrono::seconds(2);

}  // namespace

Session::Session(const Settings& settings, Trainer& trainer, const RunFolder& folder, Report& report,
                 std::optional<double> best, std::vector<Measured> history)
    : settings_(settings),
      trainer_(trainer),
      folder_(folder),
      report_(report),
      best_(best),
      history_(std::move(history)),
      log_(folder.log(), history_) {
  if (settings.watch_every > 0) watch_.emplace(folder.watch(), settings, trainer);
  if (trainer.done() > 0) saved_ = trainer.done();
  for (const Measured& m : history_)
    if (m.validation_loss) validation_loss_ = m.validation_loss;
}

void Session::run(const StopFlag& stop) {
  try {
    make_steps(stop);
    if (const std::string& why_not = trainer_.graph().why_not_captured(); !why_not.empty())
      report_.warn("the GPU was told each kernel of each step, which takes longer: " + why_not);
    for (const std::string& line : profile_ ? profile_->lines() : std::vector<std::string>())
      report_.line(line);
    report_.line("");
    if (best_) report_.line(fmt::format("best validation loss {:.4f}, kept in {}", *best_, folder_.best()));
    if (page_) report_.line("page: " + page_->path);
  } catch (const NotFinite& e) {
    const std::string kept = saved_ ? fmt::format("{} is still that of step {}", folder_.last(), *saved_)
                                    : fmt::format("there is no {} yet", folder_.last());
    fail<NotFinite>("{}; {}; begin anew with a smaller --lr than {}", e.what(), kept, settings_.lr);
  }
}

void Session::make_steps(const StopFlag& stop) {
  using Clock = std::chrono::steady_clock;
  const double tokens = double(settings_.batch * settings_.model.context_length);
  if (watch_ && trainer_.done() == 0) watch({});
  while (trainer_.done() < settings_.steps) {
    const auto began = Clock::now();
    Measured measured = step();
    const double seconds = std::chrono::duration<double>(Clock::now() - began).count();
    measured.tokens_per_second = seconds > 0 ? tokens / seconds : 0;  // the clock may not have advanced
    const auto is_time = [&](int64_t every) {
      return measured.step % every == 0 || measured.step == settings_.steps;
    };
    if (is_time(settings_.eval_every)) evaluate(measured);
    history_.push_back(measured);
    attempt("log", [&] { log_.add(measured); });
    show(measured);
    if (measured.validation_loss)
      attempt("curve", [&] { write_text(folder_.curve(), loss_curve(history_)); });
    // Record before the checkpoint: a kill in between would lose this recording for good.
    if (watch_ && watch_->is_due(measured.step)) {
      watch(measured);
      if (page_ && Clock::now() >= page_->next) attempt("page", [&] { write_page(); });
    }
    if (stop.signal()) stop_with(stop.signal());
    if (measured.step == settings_.steps)
      save_last();
    else if (is_time(settings_.checkpoint_every))
      attempt("checkpoint", [&] { save_last(); });
  }
  if (page_) write_page();
}

Measured Session::step() {
  if (!profile_) return trainer_.step();
  profile_->begin_step();
  const Watch watch(&*profile_);
  const Measured measured = trainer_.step();
  profile_->end_step();
  return measured;
}

void Session::evaluate(Measured& measured) {
  const double loss = trainer_.validation_loss();
  measured.validation_loss = validation_loss_ = loss;
  report_.line(fmt::format(
      "step {:>{}}/{}  loss {:.4f}  validation {:.4f}  lr {:.2e}  gradient norm {:.2f}  {:.0f} tokens/s",
      measured.step, fmt::formatted_size("{}", settings_.steps), settings_.steps, measured.loss, loss,
      measured.lr, measured.gradient_norm, measured.tokens_per_second));
  const auto [prompt, continuation] = trainer_.sample(kSampleTokens);
  report_.line(fmt::format("  {} → {}", visible(prompt), visible(continuation)));
  if (best_ && !(loss < *best_)) return;
  attempt("best checkpoint", [&] {
    save_checkpoint(folder_.best(), trainer_.checkpoint(loss));
    best_ = loss;
  });
}

void Session::watch(const std::optional<Measured>& last) {
  trainer_.check_finite();
  attempt("recording", [&] { watch_->record(last); });
}

void Session::keep_page(std::string path, MakePage make) {
  page_ = {std::move(path), std::move(make), {}};
  write_page();
}

void Session::write_page() {
  write_text(page_->path, page_->make(history_, watch_ ? watch_->text() : ""));
  page_->next = std::chrono::steady_clock::now() + kBetweenPages;
}

void Session::save_last() {
  trainer_.check_finite();
  save_checkpoint(folder_.last(), trainer_.checkpoint(best_));
  saved_ = trainer_.done();
}

void Session::stop_with(int signal) {
  save_last();
  if (page_) attempt("page", [&] { write_page(); });
  const std::string text =
      settings_.text.empty() ? "" : as_typed(settings_.token_file ? "--tokens" : "--text", settings_.text);
  report_.line(fmt::format("stopped after step {} of {}; to go on: glassgrad train{} --resume{}",
                           trainer_.done(), settings_.steps, as_typed("--out", folder_.path()), text));
  throw Interrupted{signal};
}

void Session::show(const Measured& m) {
  // Average over about ten steps, because a single step's speed jumps.
  tokens_per_second_ =
      tokens_per_second_ == 0 ? m.tokens_per_second : 0.9 * tokens_per_second_ + 0.1 * m.tokens_per_second;
  const double left = double((settings_.steps - m.step) * settings_.batch * settings_.model.context_length);
  report_.progress({.step = m.step,
                    .steps = settings_.steps,
                    .loss = m.loss,
                    .validation_loss = validation_loss_,
                    .lr = m.lr,
                    .gradient_norm = m.gradient_norm,
                    .tokens_per_second = tokens_per_second_,
                    .seconds_left = tokens_per_second_ > 0 ? left / tokens_per_second_ : 0});
}

void Session::attempt(const char* what, const std::function<void()>& save) {
  const auto known = std::find(in_trouble_.begin(), in_trouble_.end(), what);
  try {
    save();
    if (known != in_trouble_.end()) in_trouble_.erase(known);
  } catch (const NotFinite&) {
    throw;
  } catch (const Error& e) {
    if (known == in_trouble_.end()) {
      in_trouble_.push_back(what);
      report_.warn(
          fmt::format("step {}: the {} is not saved: {}; training goes on", trainer_.done(), what, e.what()));
    }
  }
}

}  // namespace glassgrad::train
