#include "apps/ask/diff/side.h"

#include <fmt/core.h>

namespace glassgrad::diff {
namespace {

struct Synonyms {
  const char* meaning;
  const char* names;  // separated and enclosed by spaces
};
constexpr Synonyms kSynonyms[] = {
    {"inputs", " inputs x X embeddings "},
    {"query weights", " W_query W_query.weight query.weight W_q "},
    {"key weights", " W_key W_key.weight W_keys.weight key.weight W_k "},
    {"value weights", " W_value W_value.weight value.weight W_v "},
    {"query bias", " W_query.bias query.bias "},
    {"key bias", " W_key.bias W_keys.bias key.bias "},
    {"value bias", " W_value.bias value.bias "},
    {"output weights", " out_proj.weight fc_out.weight "},
    {"output bias", " out_proj.bias fc_out.bias "},
    {"queries", " queries query Q "},
    {"keys", " keys key K "},
    {"values", " values value V "},
    {"scores", " attn_scores attention_scores att_scores scores product unscaled "},
    {"masked scores", " masked masked_scores "},
    {"scaled scores", " scaled_scores scaled "},
    {"weights", " attn_weights attention_weights weights causal_weights "},
    {"dropped weights", " dropped dropped_weights "},
    {"mask", " mask_bool mask causal_mask "},
    {"context",
     " context_vec context_vecs context attention_output contextualised_embeddings all_context_vecs "
     "causal_context attn_output "},
    {"output", " out output "},
};

// In a step whose id ends like this, a tensor called weights or scores has this meaning instead.
constexpr Synonyms kSteps[] = {
    {"masked scores", "masked-scores"},
    {"masked scores", "-mask"},
    {"scaled scores", "scaled-scores"},
    {"scores", "scores"},
};

}  // namespace

std::string meaning_of(std::string_view name, std::string_view step) {
  const std::string word = fmt::format(" {} ", name);
  for (const auto& [meaning, names] : kSynonyms) {
    if (std::string_view(names).find(word) == std::string_view::npos) continue;
    const bool early = std::string_view(meaning) == "weights" || std::string_view(meaning) == "scores";
    if (early)
      for (const auto& [other, ending] : kSteps)
        if (step.ends_with(ending)) return other;
    return meaning;
  }
  return std::string(name);
}

}  // namespace glassgrad::diff
