#include "apps/train/plan.h"

#include <array>
#include <cmath>

#include "apps/cli/memory.h"
#include "engine/autocast.h"
#include "engine/gpus.h"

namespace glassgrad::train {
namespace {

// "1.5 GiB", "0.8 M": three digits and the largest unit that fits.
std::string short_number(double value, double base, const std::array<const char*, 5>& units) {
  size_t unit = 0;
  while (value >= base && unit + 1 < units.size()) value /= base, ++unit;
  return unit == 0 ? fmt::format("{:.0f}{}", value, units[0]) : fmt::format("{:.3g}{}", value, units[unit]);
}
std::string count(double value) {
  return short_number(value, 1000, {"", " thousand", " million", " billion", " trillion"});
}

// "; the last word is right in 17 of 18 held-out sentences"; empty if this was not counted.
std::string last_words_text(const Trainer& trainer) {
  const LastWordAccuracy accuracy = trainer.last_word_accuracy();
  if (accuracy.all == 0) return {};
  return fmt::format("; the last word is right in {} of {} held-out sentences", accuracy.right, accuracy.all);
}

nn::GPTMemory memory_of(const Settings& s) {
  const bool halves = default_device != kCpu && autocast_dtype(default_device.type) != float32;
  return nn::training_memory(s.model, s.batch, halves);
}

}  // namespace

std::string bytes_text(double bytes) {
  return short_number(bytes, 1024, {" B", " KiB", " MiB", " GiB", " TiB"});
}

void require_memory(const Settings& s) {
  const bool on_gpu = default_device.type == DeviceType::CUDA;
  const double there = on_gpu ? double(gpu_memory(default_device.index)) : available_memory();
  const double planned = memory_of(s).total();
  check(planned < there,
        "this training takes about {}, but {} {}: give a smaller --batch, --context or model",
        bytes_text(planned), on_gpu ? to_string(default_device) + " has" : "there are", bytes_text(there));
}

void report_plan(const Settings& s, const Corpus& corpus, const RunFolder& folder, Report& report) {
  const nn::GPTConfig& m = s.model;
  const int64_t training = corpus.data->size(Part::Training),
                validation = corpus.data->size(Part::Validation);
  report.line(fmt::format("text     {}: {} tokens for training, {} for validation; {} vocabulary of {}",
                          s.text.empty() ? "generated sentences" : s.text, training, validation,
                          corpus.tokenizer->kind(), corpus.tokenizer->size()));
  if (corpus.is_generated)
    report.line("held out 18 sentences: their subject and verb, such as cats climb, never meet in the text");
  if (corpus.same_parts)
    report.warn(
        "val.bin holds the tokens of train.bin: the validation loss says nothing about text that the model "
        "has not seen");
  report.line("model    " + sizes_text(m));
  const nn::GPTMemory memory = memory_of(s);
  report.line(fmt::format("memory   about {}: weights {}, gradients {}, moments {}, activations {}, cache {}",
                          bytes_text(memory.total()), bytes_text(memory.parameters),
                          bytes_text(memory.gradients), bytes_text(memory.moments),
                          bytes_text(memory.activations), bytes_text(memory.cache)));
  report.line(fmt::format("work     {} steps of {} tokens, {} FLOPs per token", s.steps,
                          s.batch * m.context_length, count(m.training_flops_per_token())));
  if (default_device.type == DeviceType::CUDA)
    report.line(fmt::format("device   {}, {}", to_string(default_device), gpu_name(default_device.index)));
  report.line(fmt::format("folder   {}", folder.path()));
}

void report_time(const Settings& s, Trainer& trainer, Report& report) {
  const double left = double(s.steps - trainer.done());
  report.line(fmt::format("time     about {} (estimated from a few steps)",
                          duration(left * trainer.seconds_per_step())));
}

void report_untrained(const Settings& s, const Trainer& trainer, Report& report) {
  constexpr double kMostFlops =
      1e11;  // a second or two; a user of a large model waits for its first step anyway
  const double tokens =
      double(s.batch) * double(s.model.context_length) * double(Trainer::kValidationBatches);
  if (s.model.training_flops_per_token() / 3 * tokens > kMostFlops) return;
  const double nothing = loss_of_knowing_nothing(trainer.corpus());
  report.line(fmt::format("before   validation loss {:.4f}; knowing nothing gives ln {} = {:.4f}{}",
                          trainer.validation_loss(), trainer.corpus().tokenizer->size(), nothing,
                          last_words_text(trainer)));
}

void report_meaning(const Settings& s, const Trainer& trainer, double loss, Report& report) {
  const bool words = s.text.empty() && trainer.corpus().tokenizer->kind() == "word";
  report.line(words
                  ? fmt::format("validation loss {:.4f}: {:.4f} of it is subject, verb and object, which are "
                                "drawn at random, so no model can know them{}",
                                loss, loss_nobody_can_lose(), last_words_text(trainer))
                  : fmt::format("validation loss {:.4f}: on average as unsure as between {:.3g} tokens, all "
                                "equally likely (e to the loss)",
                                loss, std::exp(loss)));
}

}  // namespace glassgrad::train
