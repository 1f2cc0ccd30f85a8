#include "apps/lesson/program.h"

#include <fmt/core.h>

#include <algorithm>

#include "apps/cli/arguments.h"
#include "apps/lesson/lesson_runner.h"
#include "engine/print.h"

namespace glassgrad::learn {

DocumentLesson::DocumentLesson(Document document, bool own) : document_(std::move(document)) {
  const auto kept = [&](const std::string& text) { return texts_.emplace_back(text).c_str(); };
  for (const DocumentSetting& s : document_.settings) {
    SettingSpec p{.flag = kept(s.flag),
                  .kind = s.real            ? SettingSpec::Kind::Real
                          : s.low || s.high ? SettingSpec::Kind::Integer
                                            : SettingSpec::Kind::Seed,
                  .default_text = kept(s.default_text),
                  .what = kept(s.what),
                  .low = s.low,
                  .high = s.high};
    check(number_of(p, s.default_text).has_value(), "{}:{}: {} takes {}, and its default is {}",
          document_.file, s.line, s.flag, range_of(p), s.default_text);
    setting_specs_.push_back(p);
  }
  for (const std::string& token : document_.tokens) tokens_.push_back(kept(token));
  lesson_ = {
      .id = document_.id.c_str(),
      .group = own ? Group::Own : document_.group,
      .sources = document_.sources,
      .source = document_.title.c_str(),
      .understand = document_.understand.c_str(),
      .minutes = document_.minutes,
      .setting_specs = setting_specs_,
      .axes = {},
      .tokens = tokens_,
      .inputs = nullptr,
      .tell = [](StepBuilder& builder,
                 const Settings& settings) { learn::tell(builder, settings, *builder.document()); },
      .has_chapter = !own && document_.literals.empty(),  // with a trained model, the chapter would not match
      .document = &document_,
      .own_file = own ? document_.file.c_str() : nullptr};
  if (document_.has_inputs)
    lesson_.inputs = [this](const Settings& settings) {
      return default_inputs(document_, values_of(document_, settings));
    };
}

std::map<std::string, std::string> values_of(const Document& document, const Settings& settings) {
  std::map<std::string, std::string> values = document.literals;
  for (const DocumentSetting& s : document.settings)
    values[s.name] = settings.was_given(s.flag) ? settings.text(s.flag) : s.default_text;
  return values;
}

Tensor default_inputs(const Document& document, const std::map<std::string, std::string>& values) {
  Tensor found;
  record(Lesson{.id = document.id.c_str()}, {},
         [&](StepBuilder& n) { found = LessonRunner(n, document, values, true).inputs(); });
  return found;
}

namespace {

// Throws UsageError if a flag asks for a different size than the reader's inputs have.
void check_sizes(const Document& document, const Settings& settings) {
  const auto values = values_of(document, settings);
  for (const DocumentSetting& s : document.settings) {
    if (s.real || (!s.low && !s.high) || !settings.was_given(s.flag)) continue;
    auto more = values;
    more[s.name] = std::to_string(settings.count(s.flag) + 1);
    const Dims asked = default_inputs(document, values).shape(),
               other = default_inputs(document, more).shape();
    for (int d = 0; d < asked.n; ++d)
      check<UsageError>(asked[d] == other[d] || asked[d] == settings.inputs.size(d),
                        "{} {} and --inputs do not go together: the file's shape is {}; leave {} away",
                        s.flag, settings.text(s.flag), to_string(settings.inputs.shape()), s.flag);
  }
}

}  // namespace

void tell(StepBuilder& builder, const Settings& settings, const Document& document,
          LessonFindings* findings) {
  if (settings.own_inputs) check_sizes(document, settings);
  LessonRunner runner(builder, document, values_of(document, settings));
  if (settings.inputs) runner.use_inputs(settings.inputs, settings.own_inputs);
  runner.use_tokens(settings.tokens);
  if (settings.model) runner.use_model(*settings.model);
  runner.collect_findings_in(findings);
  runner.tell();
}

void collect_findings(const Lesson& lesson, const Settings& settings, LessonFindings& findings) {
  Lesson observed = lesson;
  observed.tell = [&](StepBuilder& builder, const Settings& now) {
    tell(builder, now, *lesson.document, &findings);
  };
  record(observed, settings);
}

}  // namespace glassgrad::learn
