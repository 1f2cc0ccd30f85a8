// Reports what a training will need before it starts, and what its losses mean.
#pragma once
#include "apps/train/report.h"
#include "apps/train/run_folder.h"
#include "apps/train/trainer.h"

namespace glassgrad::train {

// "1.5 GiB": three digits and the largest unit that fits.
std::string bytes_text(double bytes);

// Throws Error, with both numbers, if the training needs more memory than is available. Call it before
// building the model.
void require_memory(const Settings& settings);

// Reports text, model, memory and work.
void report_plan(const Settings& settings, const Corpus& corpus, const RunFolder& folder, Report& report);
// Reports the time needed, measured on a few steps.
void report_time(const Settings& settings, Trainer& trainer, Report& report);

// Reports the loss of the untrained model, beside the loss of a model that knows nothing. Skipped for a model
// so large that it would take long.
void report_untrained(const Settings& settings, const Trainer& trainer, Report& report);
// Reports what the last validation loss means. Generated sentences: the part that no model can know, and how
// often the last word is right. A different text: between how many tokens the model is unsure.
void report_meaning(const Settings& settings, const Trainer& trainer, double validation_loss, Report& report);

}  // namespace glassgrad::train
