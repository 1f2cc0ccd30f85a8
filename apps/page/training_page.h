// The page of a training: `glassgrad train --html FILE`.
#pragma once
#include <string>
#include <vector>

#include "apps/train/history.h"
#include "apps/train/settings.h"

namespace glassgrad::explorer {

// Returns a page with the loss curve and, for each recording of `watched` (watch.json as watch_file.h
// describes it, or empty), the loss, the sample, the likeliest next tokens and every head's weights. If not
// all recordings fit into a page, it has evenly spaced ones, including the first and the last, and says how
// many. It needs no network.
std::string training_page(const std::string& folder, const train::Settings& settings,
                          const std::vector<train::Measured>& history, const std::string& watched);

}  // namespace glassgrad::explorer
