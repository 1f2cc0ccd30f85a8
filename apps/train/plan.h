// What a training is about to take, said before it takes it; and what its losses mean.
#pragma once
#include "apps/train/report.h"
#include "apps/train/run_folder.h"
#include "apps/train/trainer.h"

namespace glassgrad::train {

// "1.5 GiB": three digits and the largest unit that fits.
std::string bytes_text(double bytes);

// Error: more memory than is available, with both numbers. To be asked before a model is built.
void require_memory(const Settings& settings);

// The lines about text, model, memory and work.
void tell_plan(const Settings& settings, const Corpus& corpus, const RunFolder& folder, Report& report);
// The line about time, measured on a few steps.
void tell_time(const Settings& settings, Trainer& trainer, Report& report);

// The line about a model that has learned nothing yet: its loss, beside that of knowing nothing; none of a
// model so large that it would take long.
void tell_untrained(const Settings& settings, const Trainer& trainer, Report& report);
// What the last validation loss means: of the generated sentences what of it nobody can know, and how often
// the last word is right; of another text between how many tokens the model wavers.
void tell_meaning(const Settings& settings, const Trainer& trainer, double validation_loss, Report& report);

}  // namespace glassgrad::train
