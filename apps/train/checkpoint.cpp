#include "apps/train/checkpoint.h"

#include <bit>
#include <filesystem>

#include "apps/train/json_fields.h"
#include "engine/ops.h"

namespace glassgrad::train {
namespace {

using nlohmann::json;

constexpr const char *kFormat = "glassgrad", *kVersion = "checkpoint 1";
constexpr const char *kModel = "model", *kTokenizer = "tokenizer", *kTraining = "training";
constexpr const char* kGpuWords = "gpu_words_drawn";
constexpr std::string_view kGenerator = "generator", kOptimizer = "optimizer.";
constexpr int64_t kGeneratorNumbers = Generator::kWords + 4;

Tensor tensor_of(const Generator::State& s) {
  std::vector<int64_t> numbers(std::begin(s.words), std::end(s.words));
  numbers.push_back(s.used);
  numbers.push_back(s.has_normal);
  numbers.push_back(std::bit_cast<int64_t>(s.normal));
  numbers.push_back(std::bit_cast<int64_t>(s.seed));
  return from_values(numbers, {kGeneratorNumbers});
}

Generator::State generator_of(const Tensor& x, const std::string& path) {
  check(x.shape() == Dims{kGeneratorNumbers} && x.dtype() == int64,
        "{}: the tensor {} has {} {}, but the state of a generator is {} int64", path, kGenerator, x.shape(),
        dtype_name(x.dtype()), kGeneratorNumbers);
  const std::vector<int64_t> numbers = x.to_vector<int64_t>();
  Generator::State s{};
  for (size_t i = 0; i < Generator::kWords; ++i) s.words[i] = static_cast<uint32_t>(numbers[i]);
  const int64_t* rest = numbers.data() + Generator::kWords;
  check(rest[0] >= 0 && rest[0] <= Generator::kWords, "{}: the generator has used {} of its {} numbers", path,
        rest[0], Generator::kWords);
  s.used = static_cast<int32_t>(rest[0]);
  s.has_normal = rest[1] != 0;
  s.normal = std::bit_cast<double>(rest[2]);
  s.seed = std::bit_cast<uint64_t>(rest[3]);
  return s;
}

const std::string& text_under(const char* key, const Safetensors& file, const std::string& path) {
  const auto found = file.metadata.find(key);
  check(found != file.metadata.end(), "{}: is no checkpoint of glassgrad: its metadata has no '{}'", path,
        key);
  return found->second;
}

void read_training(Checkpoint& c, std::string_view text, const std::string& where) {
  const json training = parse_object(text, where);
  const nn::GPTConfig model = c.settings.model;
  json settings;
  const auto found = training.find("settings");
  check(found != training.end() && found->is_object(), "{}: has no settings", where);
  c.settings = settings_from_json(*found, where);
  c.settings.model = model;
  read_field(training, "step", where, c.step);
  check(c.step >= 0, "{}: step cannot be {}", where, c.step);
  read_field(training, "tokens", where, c.text.tokens);
  read_field(training, "crc32", where, c.text.crc);
  if (training.contains(kGpuWords)) read_field(training, kGpuWords, where, c.draws.gpu_words);
  check(c.draws.gpu_words % 4 == 0, "{}: {} is a multiple of 4, not {}", where, kGpuWords, c.draws.gpu_words);
  if (training.contains("best_validation_loss"))
    read_field(training, "best_validation_loss", where, c.best_validation_loss.emplace());
}

json training_of(const Checkpoint& c) {
  json training{
      {"settings", to_json(c.settings)}, {"step", c.step}, {"tokens", c.text.tokens}, {"crc32", c.text.crc}};
  if (c.draws.gpu_words) training[kGpuWords] = c.draws.gpu_words;
  if (c.best_validation_loss) training["best_validation_loss"] = *c.best_validation_loss;
  return training;
}

void sort_tensors(std::vector<NamedTensor> tensors, Checkpoint& c, const std::string& path) {
  bool seeded = false;
  for (NamedTensor& t : tensors) {
    if (t.name == kGenerator)
      c.draws.generator = generator_of(t.tensor, path), seeded = true;
    else if (t.name.starts_with(kOptimizer))
      c.optimizer.push_back({t.name.substr(kOptimizer.size()), t.tensor});
    else
      c.weights.push_back(std::move(t));
  }
  check(seeded, "{}: has no tensor {}", path, kGenerator);
}

// Checks the sizes before a model of that size is built.
void check_size(const Checkpoint& c, const std::string& path) {
  int64_t numbers = 0;
  for (const NamedTensor& t : c.weights) numbers += t.tensor.numel();
  const int64_t needed = c.settings.model.parameters();
  check(numbers == needed, "{}: describes a model of {} parameters, but holds {}", path, needed, numbers);
  check(c.settings.model.vocab_size == c.tokenizer->size(),
        "{}: describes a model of {} tokens, but its tokenizer has {}", path, c.settings.model.vocab_size,
        c.tokenizer->size());
}

}  // namespace

std::string checkpoint_file(const std::string& path) {
  std::error_code unknown;
  if (!std::filesystem::is_directory(path, unknown)) return path;
  for (const char* name : {"best.safetensors", "last.safetensors"})
    if (const std::string file = path + "/" + name; std::filesystem::exists(file, unknown)) return file;
  fail("{}: holds no checkpoint; `glassgrad train --out {}` makes one", path, path);
}

bool is_checkpoint(const Safetensors& file) { return file.metadata.contains(kFormat); }

Checkpoint load_checkpoint(const std::string& path) { return checkpoint_of(load_safetensors(path), path); }

Checkpoint checkpoint_of(Safetensors file, const std::string& path) {
  widen(file.tensors);
  const std::string& version = text_under(kFormat, file, path);
  check(version == kVersion, "{}: is a '{}', but this glassgrad reads '{}'", path, version, kVersion);
  Checkpoint c;
  c.settings.model = config_from_json(text_under(kModel, file, path), path + ": the model's description");
  c.tokenizer = tokenizer_from_json(text_under(kTokenizer, file, path), path);
  read_training(c, text_under(kTraining, file, path), path + ": the training's description");
  sort_tensors(std::move(file.tensors), c, path);
  check_size(c, path);
  return c;
}

void save_checkpoint(const std::string& path, const Checkpoint& c) {
  std::vector<NamedTensor> tensors = c.weights;
  for (const NamedTensor& t : c.optimizer)
    tensors.push_back({fmt::format("{}{}", kOptimizer, t.name), t.tensor});
  tensors.push_back({std::string(kGenerator), tensor_of(c.draws.generator)});
  save_safetensors(path, tensors,
                   {{kFormat, kVersion},
                    {kModel, to_json(c.settings.model).dump()},
                    {kTokenizer, c.tokenizer->to_json()},
                    // a path may not be valid UTF-8
                    {kTraining, training_of(c).dump(-1, ' ', false, json::error_handler_t::replace)}});
}

void load_weights(nn::GPT& model, const std::vector<NamedTensor>& weights, const std::string& path) {
  try {
    model.load_state_dict(weights);
  } catch (const Error& e) {
    fail("{}: {}", path, e.what());
  }
}

std::unique_ptr<nn::GPT> model_of(const Checkpoint& checkpoint, const std::string& path) {
  auto model = std::make_unique<nn::GPT>(checkpoint.settings.model);
  load_weights(*model, checkpoint.weights, path);
  return model;
}

}  // namespace glassgrad::train
