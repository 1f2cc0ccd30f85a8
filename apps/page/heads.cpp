#include "apps/page/heads.h"

#include <fmt/core.h>

#include <cmath>

namespace glassgrad::explorer {

std::string weight_text(double weight) { return fmt::format("{:.4f}", weight); }

Json rows_of_weights(std::span<const double> weights) {
  const auto size = static_cast<size_t>(std::lround(std::sqrt(double(weights.size()))));
  Json rows = Json::array();
  for (size_t query = 0; query < size; ++query) {
    const auto row = weights.subspan(query * size, size);
    size_t last = size;
    while (last > 0 && row[last - 1] == 0) --last;
    std::string text;
    for (size_t key = 0; key < last; ++key) text += (key ? " " : "") + weight_text(row[key]);
    rows.push_back(std::move(text));
  }
  return rows;
}

Json likely_token(const std::string& token, double probability) {
  return {{"token", token},
          {"text", weight_text(probability)},
          {"share", fmt::format("{:.2f}%", 100 * probability)}};
}

}  // namespace glassgrad::explorer
