// The page of an inspected run: `glassgrad inspect CHECKPOINT --text TEXT --html FILE`.
#pragma once
#include <optional>
#include <string>

#include "apps/model/inspection_report.h"

namespace glassgrad::explorer {

struct Inspected {
  const learn::Recording& recording;
  const nn::GPT& model;
  const Tokenizer& tokenizer;
  const inspect::ReportView& view;
  std::string text;  // what the model has read
  bool of_corpus;    // it was trained on the generated corpus
  bool is_changed;   // the run had other numbers than the model's own
};

// Returns a page with the weights of every head, or of those that the view names, the view's likeliest next
// tokens, and what changed without a head; the page needs no network. A small model is carried with the
// engine, so that it reads what the reader types, unless the view leaves heads out or the run is changed.
// in_site: a part of the site's first page. Throws Error if the weights alone are too large for a page, with
// advice on what to leave out.
std::string inspect_page(const Inspected& run, bool in_site = false);

}  // namespace glassgrad::explorer
