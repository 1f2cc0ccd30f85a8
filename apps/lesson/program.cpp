#include "apps/lesson/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "apps/lesson/teller.h"

namespace glassgrad::learn {
namespace {

Group group_of(const std::string& name) {
  return name == "walkthrough" ? Group::Walkthrough
         : name == "autograd"  ? Group::Autograd
         : name == "attention" ? Group::Attention
         : name == "sources"   ? Group::Sources
                               : Group::Own;
}

}  // namespace

ProgramLesson::ProgramLesson(Document document) : document_(std::move(document)) {
  const auto kept = [&](const std::string& text) { return texts_.emplace_back(text).c_str(); };
  for (const DocumentSetting& s : document_.settings) {
    Parameter p{.flag = kept(s.flag),
                .kind = Parameter::Kind::Seed,
                .default_text = kept(s.default_text),
                .what = kept(s.what)};
    if (s.real)
      p.kind = Parameter::Kind::Fraction;
    else if (s.low || s.high)
      p.kind = Parameter::Kind::Count,
      p.most = s.high ? static_cast<int64_t>(*s.high) : std::numeric_limits<int64_t>::max();
    parameters_.push_back(p);
  }
  for (const std::string& token : document_.tokens) tokens_.push_back(kept(token));
  lesson_ = {.id = document_.id.c_str(),
             .group = group_of(document_.group),
             .source = document_.title.c_str(),
             .understand = document_.understand.c_str(),
             .minutes = document_.minutes,
             .parameters = parameters_,
             .axes = {},
             .tokens = tokens_,
             .inputs = nullptr,
             .plan = nullptr,
             .tell = [this](Narrator& narrator, const Settings& settings) {
               learn::tell(narrator, settings, *this);
             },
             .document = &document_};
  if (document_.has_inputs)
    lesson_.inputs = [this](const Settings& settings) { return default_inputs(document_, values(settings)); };
}

std::map<std::string, std::string> ProgramLesson::values(const Settings& settings) const {
  std::map<std::string, std::string> values;
  for (const DocumentSetting& s : document_.settings) values[s.name] = settings.text(s.flag);
  return values;
}

std::vector<std::string> ProgramLesson::problems() const {
  std::vector<std::string> broken;
  const Settings settings(lesson_, {});
  Lesson checked = lesson_;
  checked.tell = [&](Narrator& narrator, const Settings& now) { learn::tell(narrator, now, *this, &broken); };
  record(checked, settings);
  return broken;
}

size_t ProgramLesson::claims() const {
  size_t n = 0;
  for (const DocumentStep& step : document_.steps)
    for (const Item& item : step.items)
      if (const auto* c = std::get_if<Condition>(&item)) n += c->claim;
  return n;
}

Tensor default_inputs(const Document& document, const std::map<std::string, std::string>& values) {
  Tensor found;
  record(Lesson{.id = document.id.c_str()}, {},
         [&](Narrator& n) { found = Teller(n, document, values, true).inputs(); });
  return found;
}

void tell(Narrator& narrator, const Settings& settings, const ProgramLesson& lesson,
          std::vector<std::string>* broken) {
  Teller teller(narrator, lesson.document(), lesson.values(settings));
  if (settings.inputs) teller.use_inputs(settings.inputs, settings.own_inputs);
  teller.use_tokens(settings.tokens);
  teller.note_broken_claims(broken);
  teller.tell();
}

}  // namespace glassgrad::learn
