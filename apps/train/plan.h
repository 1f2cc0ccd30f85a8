// What a training is about to take, said before it takes it.
#pragma once
#include "apps/train/report.h"
#include "apps/train/run_folder.h"
#include "apps/train/trainer.h"

namespace glassgrad::train {

// Error: more memory than is available, with both numbers. To be asked before a model is built.
void require_memory(const Settings& settings);

// The lines about text, model, memory and work.
void tell_plan(const Settings& settings, const Corpus& corpus, const RunFolder& folder, Report& report);
// The line about time, measured on a few steps.
void tell_time(const Settings& settings, Trainer& trainer, Report& report);

}  // namespace glassgrad::train
