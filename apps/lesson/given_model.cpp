#include "apps/lesson/given_model.h"

#include "apps/script/interpreter.h"
#include "apps/script/types.h"

namespace glassgrad::learn {
namespace {

script::Value list_of(const std::vector<std::string>& texts) {
  std::vector<script::Value> all;
  for (const std::string& text : texts) all.push_back(script::str(text));
  return script::list(std::move(all));
}

script::Value object(const char* name,
                     std::initializer_list<std::pair<const char*, script::Value>> attributes) {
  auto* const made = script::make<script::Namespace>(name);
  const script::Value kept(made);
  for (const auto& [attribute, value] : attributes)
    static_cast<script::Dict*>(made->attributes.object())->set(attribute, value);
  return kept;
}

}  // namespace

script::Value tokenizer_of(const GivenModel& model) {
  const auto encode = [&model](script::Interpreter&, const script::Arguments& a) {
    check<TypeError>(a.positional.size() == 1 && a.named.empty(), "encode() takes one text");
    std::vector<script::Value> ids;
    for (const int64_t id : model.encode(script::text_of(a.positional[0], "encode() takes a text")))
      ids.push_back(script::Value::of(id));
    return script::list(std::move(ids));
  };
  return object("tokenizer", {{"kind", script::str(model.tokenizer)},
                              {"vocabulary", list_of(model.vocabulary)},
                              {"text", script::str(model.text)},
                              {"encode", script::Value(script::make<script::Builtin>("encode", encode))}});
}

script::Value checkpoint_of(const GivenModel* model) {
  return model ? object("checkpoint", {{"steps", script::Value::of(model->steps)}}) : script::Value::none();
}

}  // namespace glassgrad::learn
