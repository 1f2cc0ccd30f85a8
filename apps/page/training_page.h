// The page of a training: `glassgrad train --html FILE`.
#pragma once
#include <string>
#include <vector>

#include "apps/train/history.h"
#include "apps/train/settings.h"

namespace glassgrad::explorer {

// A page with the loss curve and, of each recording of `watched` (watch.json as watch_file.h describes it,
// empty where there is none), the loss, the sample, the likeliest next tokens and every head's weights. Of
// more recordings than fit into a page those are kept that lie evenly, the first and the last among them; the
// page says how many. It needs no network.
std::string training_page(const std::string& folder, const train::Settings& settings,
                          const std::vector<train::Measured>& history, const std::string& watched);

}  // namespace glassgrad::explorer
