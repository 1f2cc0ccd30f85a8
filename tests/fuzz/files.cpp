// The readers of untrusted files: each returns the file's contents or throws an error meant for people.
#include <cmath>
#include <cstdlib>
#include <memory>

#include "apps/ask/predict/answers_file.h"
#include "apps/ask/predict/attempt.h"
#include "apps/lesson/lesson.h"
#include "apps/model/huggingface_config.h"
#include "apps/page/training_page.h"
#include "apps/text/token_sequence.h"
#include "apps/text/tokenizer.h"
#include "apps/train/watch_file.h"
#include "engine/io/csv.h"
#include "engine/io/npy.h"
#include "engine/io/safetensors.h"
#include "targets.h"

using namespace glassgrad;

namespace fuzzing {
namespace {

void npy(std::string_view bytes) {
  const FileOf file(bytes);
  with_kind_errors([&] {
    const Tensor x = load_npy(file.path());
    require(x.numel() <= static_cast<int64_t>(bytes.size()), "no more elements than bytes");
    require(static_cast<int64_t>(x.to_vector<double>().size()) == x.numel(), "every element can be read");
  });
}

void safetensors(std::string_view bytes) {
  const FileOf file(bytes);
  with_kind_errors([&] {
    size_t elements = 0;
    for (const NamedTensor& t : load_safetensors(file.path()).tensors)
      elements += t.tensor.to_vector<double>().size();
    require(elements <= bytes.size(), "no more elements than bytes");
  });
}

void csv(std::string_view bytes) {
  const FileOf file(bytes);
  with_kind_errors([&] {
    const Tensor x = load_csv(file.path());
    require(x.dim() == 2 && x.numel() >= 1, "a table of numbers");
  });
}

void token_file(std::string_view bytes) {
  constexpr int64_t kVocabulary = 300;
  const FileOf file(bytes);
  with_kind_errors([&] {
    const auto tokens = token_sequence_of_bin(file.path(), kVocabulary);
    std::vector<int64_t> all(static_cast<size_t>(tokens->size()));
    tokens->read(0, all);
    for (const int64_t token : all) require(token >= 0 && token < kVocabulary, "tokens of the vocabulary");
  });
}

// A training after its first step, with its settings and corpus.
struct Training {
  train::Settings settings = [] {
    train::Settings s;
    s.model = {.vocab_size = 1, .context_length = 4, .width = 4, .layers = 1, .heads = 2, .dropout = 0};
    s.batch = 1;
    s.watch_every = 1;
    s.steps = 10;
    return s;
  }();
  train::Corpus corpus{settings, nullptr};
  std::unique_ptr<train::Trainer> trainer;

  Training() {
    settings.model.vocab_size = corpus.tokenizer->size();
    trainer = std::make_unique<train::Trainer>(settings, corpus);
    trainer->step();
  }
  static const Training& instance() {
    static const Training training;
    return training;
  }
};

// Replaces the three descriptions in a checkpoint's header; its tensors stay valid.
void checkpoint(std::string_view bytes) {
  static const Safetensors whole = [] {
    const std::string path = "/dev/shm/glassgrad-fuzz-" + std::to_string(std::rand()) + ".safetensors";
    save_checkpoint(path, Training::instance().trainer->checkpoint({}));
    Safetensors file = load_safetensors(path);
    std::remove(path.c_str());
    return file;
  }();
  Safetensors file = whole;
  const auto given = parts(bytes, 3);
  const char* const keys[] = {"model", "tokenizer", "training"};
  for (size_t i = 0; i < given.size(); ++i)
    if (given[i] != "*") file.metadata[keys[i]] = std::string(given[i]);
  with_kind_errors([&] { model_of(train::checkpoint_of(file, "file"), "file"); });
}

void huggingface_config(std::string_view bytes) {
  const FileOf file(bytes);
  for (const convert::Layout* layout : {&convert::kGpt2Layout, &convert::kLlamaLayout})
    with_kind_errors([&] { convert::read_huggingface_config(file.path(), *layout); });
}

void gpt2_tokenizer(std::string_view bytes) {
  const auto given = parts(bytes, 3);
  const FileOf vocab(given[0]), merges(given[1]);
  with_kind_errors([&] {
    const auto tokenizer = load_gpt2_tokenizer(vocab.path(), merges.path());
    require(tokenizer->decode(tokenizer->encode(given[2])) == given[2], "decode(encode(text)) == text");
  });
}

void tokenizer_description(std::string_view bytes) {
  const auto given = parts(bytes, 2);
  with_kind_errors([&] {
    const auto tokenizer = tokenizer_from_json(given[0], "the tokenizer");
    require(tokenizer->decode(tokenizer->encode(given[1])) == given[1], "decode(encode(text)) == text");
    const std::string again = tokenizer->to_json();
    require(tokenizer_from_json(again, "the tokenizer")->to_json() == again, "what is written can be read");
  });
}

void watch(std::string_view bytes) {
  const Training& training = Training::instance();
  const FileOf file(bytes);
  with_kind_errors([&] { train::WatchFile(file.path(), training.settings, *training.trainer); });
}

// Makes a page from the same file.
void watch_page(std::string_view bytes) {
  with_kind_errors([&] {
    const std::string page =
        explorer::training_page("run", Training::instance().settings, {}, std::string(bytes));
    require(page.find("</html>") == page.size() - 8, "a page with one end");
  });
}

void log(std::string_view bytes) {
  const FileOf file(bytes);
  with_kind_errors([&] {
    const auto history = train::read_log(file.path(), 100);
    for (const auto& m : history) require(std::isfinite(m.loss), "losses are numbers");
    train::loss_curve(history);
  });
}

void answers(std::string_view bytes) {
  static const learn::Recording recording =
      learn::record(learn::find_lesson("autograd.order"), {learn::find_lesson("autograd.order"), {}});
  const FileOf file(bytes);
  with_kind_errors([&] {
    for (const auto& given : learn::load_answers(recording, file.path()))
      learn::judge(recording, given.asked, given.answer);
  });
}

}  // namespace

std::string empty_watch_file() {
  const Training& training = Training::instance();
  return train::WatchFile("/nowhere", training.settings, *training.trainer).text();
}

std::vector<Target> file_targets() {
  return {{"npy", npy},
          {"safetensors", safetensors},
          {"csv", csv},
          {"tokens", token_file},
          {"checkpoint", checkpoint},
          {"huggingface-config", huggingface_config},
          {"gpt2-tokenizer", gpt2_tokenizer},
          {"tokenizer-json", tokenizer_description},
          {"watch", watch},
          {"watch-page", watch_page},
          {"log", log},
          {"answers", answers}};
}

}  // namespace fuzzing
