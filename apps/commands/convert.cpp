// The command `convert`: turns a checkpoint into the files of Hugging Face, or back.
#include "apps/commands/commands.h"

#include <filesystem>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "apps/cli/arguments.h"
#include "apps/cli/text_width.h"
#include "apps/model/huggingface_config.h"
#include "apps/train/checkpoint.h"
#include "engine/io/file.h"

namespace glassgrad::convert {
namespace {

namespace fs = std::filesystem;

// Metadata keys of the files that we write with Hugging Face's names, to convert them back. Hugging Face's
// libraries load only files of the format "pt".
constexpr const char *kFormat = "format", *kModel = "glassgrad_model", *kTokenizer = "glassgrad_tokenizer";
constexpr const char *kWeightsFile = "model.safetensors", *kConfigFile = "config.json";

bool exists(const std::string& path) {
  std::error_code unknown;
  return fs::exists(fs::symlink_status(path, unknown));
}

std::string beside(const std::string& path, const char* name) {
  return (fs::path(path).parent_path() / name).string();
}

// Returns the file that FROM names: the one that transformers saved in this folder, or a checkpoint of ours.
std::string source_file(const std::string& path) {
  const std::string theirs = (fs::path(path) / kWeightsFile).string();
  return exists(theirs) ? theirs : train::checkpoint_file(path);
}

// Throws Error if config.json contradicts the file's own metadata: nothing says which of them is right.
void check_same(const nn::GPTConfig& written, const Layout& layout, const std::string& path,
                const std::string& beside) {
  const nlohmann::json ours = train::to_json(written),
                       theirs = train::to_json(read_huggingface_config(beside, layout, written));
  for (const auto& [key, value] : ours.items())
    check(theirs.value(key, nlohmann::json()) == value,
          "{}: says {} {}, but {} was written with {}: mend it, or take it away", beside, key,
          theirs.value(key, nlohmann::json()).dump(), path, value.dump());
}

// A new folder that is removed again if it stays empty.
class Folder {
 public:
  explicit Folder(std::string path) : path_(std::move(path)) {
    std::error_code error;
    fs::create_directory(path_, error);
    std::error_code unknown;
    check(fs::is_directory(path_, unknown), "{}: cannot be made a folder: {}", path_,
          error ? system_text(error.value()) : "a file of that name is there");
  }
  ~Folder() {
    std::error_code not_empty;
    fs::remove(path_, not_empty);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string file(const char* name) const { return (fs::path(path_) / name).string(); }

 private:
  std::string path_;
};

class Command : public Subcommand {
 public:
  explicit Command(CLI::App& program);
  // Throws UsageError; Error if FROM cannot be read or is no such model, or TO exists or cannot be written.
  void run(Output& out) const override;

 private:
  std::optional<int64_t> heads() const;
  // Both return the path that they have written.
  std::string to_huggingface(const train::Checkpoint& from, const std::string& path,
                             const std::string& to) const;
  std::string to_glassgrad(const Safetensors& from, const std::string& path, const std::string& to) const;
  nn::GPTConfig config_beside(const Safetensors& from, const Layout& layout, const std::string& path) const;
  std::shared_ptr<const Tokenizer> tokenizer_beside(const Safetensors& from, const std::string& path) const;

  CLI::Option *from_, *to_, *format_, *heads_, *vocab_, *merges_;
  bool bf16_ = false, force_ = false;
};

}  // namespace

Command::Command(CLI::App& program)
    : Subcommand(program, CommandGroup::Model, "convert",
                 "Turn a model into Hugging Face's form of a GPT-2 or a Llama, or back",
                 "glassgrad convert runs/1 my-gpt2") {
  from_ = add_value("FROM", "",
                    "A checkpoint of `train`, or a GPT-2 or Llama in .safetensors; or the folder of one");
  to_ = add_value("TO", "", "Where: for huggingface a folder, for glassgrad a file");
  format_ = add_value("--to", "FORM", "huggingface or glassgrad (the one that FROM does not have)");
  add_flag("--bf16", bf16_, "For huggingface: two bytes per number, rounded");
  heads_ = add_value("--heads", "N", "For glassgrad: heads per layer (from config.json beside FROM)");
  vocab_ = add_value("--vocab", "FILE", "For glassgrad: GPT-2's vocab.json (the one beside FROM)");
  merges_ = add_value("--merges", "FILE", "For glassgrad: GPT-2's merges.txt (the one beside FROM)");
  add_flag("--force", force_, "Replace what is at TO");
}

std::string Command::to_huggingface(const train::Checkpoint& from, const std::string& path,
                                    const std::string& to) const {
  const Layout& layout = layout_of(from.settings.model, path);
  const auto model = train::model_of(from, path);
  const Folder folder(to);
  OutputFile config(folder.file(kConfigFile));
  const std::string text = huggingface_config(from.settings.model, layout, bf16_);
  config.write(text.data(), text.size());
  const std::string file = folder.file(kWeightsFile);
  save_safetensors(file, convert::to_huggingface(*model, layout),
                   {{kFormat, "pt"},
                    {kModel, train::to_json(from.settings.model).dump()},
                    {kTokenizer, from.tokenizer->to_json()}},
                   bf16_ ? FloatFormat::BFloat16 : FloatFormat::Keep);
  config.commit();
  return file;
}

std::optional<int64_t> Command::heads() const { return given_integer(heads_, 1, int64_t{1} << 16); }

nn::GPTConfig Command::config_beside(const Safetensors& from, const Layout& layout,
                                     const std::string& path) const {
  const auto asked = heads();
  nn::GPTConfig config = kUntold;
  std::string source = beside(path, kConfigFile);
  if (const auto ours = from.metadata.find(kModel); ours != from.metadata.end()) {
    config = train::config_from_json(ours->second, path);
    if (exists(source)) check_same(config, layout, path, source);
    source = path;
  } else if (exists(source)) {
    config = read_huggingface_config(source, layout);
  } else {
    check(&layout == &kGpt2Layout,
          "{}: the weights of a Llama do not tell its heads and context: put its {} there", source,
          kConfigFile);
    check<UsageError>(
        asked.has_value(),
        "the weights do not tell how many heads they make, and there is no {}: give --heads N (12 "
        "for gpt2, 16 for gpt2-medium)",
        source);
    config.heads = *asked;
  }
  check<UsageError>(!asked || *asked == config.heads, "--heads {} is not what {} says: {}", asked.value_or(0),
                    source, config.heads);
  return config;
}

std::shared_ptr<const Tokenizer> Command::tokenizer_beside(const Safetensors& from,
                                                           const std::string& path) const {
  const auto vocab = given(vocab_), merges = given(merges_);
  check<UsageError>(vocab.has_value() == merges.has_value(),
                    "--vocab and --merges go together: vocab.json and merges.txt");
  if (vocab) return load_gpt2_tokenizer(*vocab, *merges);
  if (const auto ours = from.metadata.find(kTokenizer); ours != from.metadata.end())
    return tokenizer_from_json(ours->second, path);
  const std::string vocab_beside = beside(path, "vocab.json"), merges_beside = beside(path, "merges.txt");
  const bool has_both = exists(vocab_beside) && exists(merges_beside);
  if (const std::string both = beside(path, "tokenizer.json"); !has_both && exists(both))
    return load_tokenizer_json(both);
  check<UsageError>(
      has_both,
      "{} has no tokenizer, nor are vocab.json and merges.txt, or tokenizer.json, beside it: give "
      "--vocab vocab.json --merges merges.txt",
      path);
  return load_gpt2_tokenizer(vocab_beside, merges_beside);
}

// Cuts off the rows of the vocabulary that belong to no token. Many models pad it to a multiple of 64 or 128
// for the GPU's matrix products; glassgrad pads its products itself.
void cut_unused_rows(train::Checkpoint& c) {
  int64_t& rows = c.settings.model.vocab_size;
  const int64_t tokens = c.tokenizer->size();
  if (rows % 64 != 0 || rows <= tokens || rows - tokens >= 128) return;
  rows = tokens;
  for (NamedTensor& weight : c.weights)
    if (weight.name == "tok_emb.weight" || weight.name == "out_head.weight")
      weight.tensor = weight.tensor.narrow(0, 0, tokens).contiguous();
}

std::string Command::to_glassgrad(const Safetensors& from, const std::string& path,
                                  const std::string& to) const {
  train::Checkpoint c;
  const Layout& layout = layout_of(from.tensors);
  const std::vector<NamedTensor> theirs = bare_names(from.tensors, layout, path);
  c.settings.model = config_beside(from, layout, path);
  read_sizes(theirs, layout, c.settings.model, path);
  c.weights = from_huggingface(theirs, layout, c.settings.model, path);
  c.tokenizer = tokenizer_beside(from, path);
  cut_unused_rows(c);
  check(c.tokenizer->size() == c.settings.model.vocab_size, "{}: has {} tokens, but its tokenizer {}", path,
        c.settings.model.vocab_size, c.tokenizer->size());
  c.settings.tokenizer = c.tokenizer->kind();
  c.draws.generator = Generator(c.settings.seed).state();
  save_checkpoint(to, c);
  return to;
}

void Command::run(Output& out) const try {
  const auto from = given(from_), to = given(to_);
  check<UsageError>(from && to && !from->empty() && !to->empty(),
                    "from where to where? glassgrad convert FROM TO");
  const std::string format = given(format_).value_or("");
  check<UsageError>(format.empty() || format == "huggingface" || format == "glassgrad",
                    "--to takes huggingface or glassgrad, not '{}'", format);
  heads();
  check(force_ || !exists(*to), "{}: exists already: --force replaces it", *to);

  const std::string path = source_file(*from);
  Safetensors file = load_safetensors(path);
  widen(file.tensors);
  const bool ours = train::is_checkpoint(file);
  check<UsageError>(format != (ours ? "glassgrad" : "huggingface"), "{} is no model to convert to {}: it {}",
                    path, format, ours ? "is a checkpoint of glassgrad" : "is no checkpoint of glassgrad");
  check<UsageError>(!ours || !(given(heads_) || given(vocab_) || given(merges_)),
                    "{} knows its heads and tokens: leave --heads, --vocab and --merges out", path);
  check<UsageError>(ours || !bf16_, "--bf16 is for huggingface: a checkpoint of glassgrad has float32");
  const std::string written = ours ? to_huggingface(train::checkpoint_of(std::move(file), path), path, *to)
                                   : to_glassgrad(file, path, *to);
  out.write(fmt::format("{}\n", printable(written)));
} catch (const std::bad_alloc&) {
  fail("out of memory: the model does not fit twice");
}

std::unique_ptr<Subcommand> command(CLI::App& program) { return std::make_unique<Command>(program); }

}  // namespace glassgrad::convert
