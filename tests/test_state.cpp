// Saving and resuming: the state of a model and an optimizer, through a file and back.
#include <filesystem>

#include "engine/io/safetensors.h"
#include "nn/functional.h"
#include "nn/gpt.h"
#include "nn/schedule.h"
#include "support.h"

using namespace glassgrad;
using namespace nn::optim;
using testing::error_of, testing::numbers;

namespace {

using State = std::vector<NamedTensor>;

constexpr nn::GPTConfig kTiny{
    .vocab_size = 17, .context_length = 8, .width = 16, .layers = 2, .heads = 2, .dropout = 0.1};

template <class Optimizer>
struct Run {
  nn::GPT model{kTiny};
  Optimizer optimizer = make(model);

  static Optimizer make(const nn::GPT& m);
  void train(int64_t from, int64_t to) {
    for (int64_t step = from; step < to; ++step) {
      set_lr(optimizer, WarmupCosine{1e-2, 1e-3, 3, 15}.at(step));
      const Tensor data = randint(0, kTiny.vocab_size, {3, kTiny.context_length + 1});
      optimizer.zero_grad();
      nn::functional::cross_entropy(model(data.slice(1, {}, -1)).flatten(0, 1),
                                    data.slice(1, 1, {}).flatten())
          .backward();
      optimizer.step();
    }
  }
};
template <>
AdamW Run<AdamW>::make(const nn::GPT& m) {
  return AdamW(m.parameters());
}
template <>
SGD Run<SGD>::make(const nn::GPT& m) {
  return SGD(m.parameters(), 1e-2, 0.9, 0.1);
}

bool same(const State& a, const State& b) {
  bool equal = a.size() == b.size();
  for (size_t i = 0; equal && i < a.size(); ++i)
    equal = a[i].name == b[i].name && numbers(a[i].tensor) == numbers(b[i].tensor);
  return equal;
}

// Compares 12 steps at once with 5 steps, a file, a new model and 7 steps.
template <class Optimizer>
void check_resume() {
  const std::string model_file =
                        std::filesystem::temp_directory_path() / fmt::format("glassgrad-{}-m", ::getpid()),
                    optimizer_file = model_file + "o";
  manual_seed(11);
  Run<Optimizer> whole;
  whole.train(0, 12);

  manual_seed(11);
  Generator::State generator;
  {
    Run<Optimizer> first;
    first.train(0, 5);
    save_safetensors(model_file, first.model.state_dict());
    save_safetensors(optimizer_file, first.optimizer.state_dict());
    generator = default_generator().state();
  }
  manual_seed(99);
  Run<Optimizer> second;
  second.model.load_state_dict(load_safetensors(model_file).tensors);
  second.optimizer.load_state_dict(load_safetensors(optimizer_file).tensors);
  default_generator().set_state(generator);
  second.train(5, 12);
  CHECK(same(whole.model.state_dict(), second.model.state_dict()));
  CHECK(same(whole.optimizer.state_dict(), second.optimizer.state_dict()));
  std::filesystem::remove(model_file);
  std::filesystem::remove(optimizer_file);
}

}  // namespace

TEST_CASE("AdamW goes on bit for bit after saving") { check_resume<AdamW>(); }
TEST_CASE("SGD goes on bit for bit after saving") { check_resume<SGD>(); }

TEST_CASE("state of an optimizer") {
  const nn::Parameter a(ones(2)), b(ones({1, 3})), idle(ones(1));
  AdamW optimizer({ParamGroup{{a, idle}, 0.1, 0.5}, ParamGroup{{b}, 0.2, 0}});
  (sum(a) + sum(b)).backward();
  optimizer.step();
  std::string text;
  for (const auto& [name, x] : optimizer.state_dict())
    text += fmt::format("{}{} {}\n", name, x.shape(), dtype_name(x.dtype()));
  CHECK(
      text ==
      "param_groups.0.lr[] torch.float64\nparam_groups.0.weight_decay[] torch.float64\n"
      "param_groups.1.lr[] torch.float64\nparam_groups.1.weight_decay[] torch.float64\n"
      "state.0.step[] torch.int64\nstate.0.exp_avg[2] torch.float32\nstate.0.exp_avg_sq[2] torch.float32\n"
      "state.2.step[] torch.int64\nstate.2.exp_avg[1, 3] torch.float32\nstate.2.exp_avg_sq[1, 3] torch.float32\n");
}

TEST_CASE("a state that does not fit the optimizer changes nothing") {
  const nn::Parameter a(ones(2)), b(ones(3));
  Adam optimizer({a, b}, 0.1);
  (sum(a) + sum(b)).backward();
  optimizer.step();
  State state = optimizer.state_dict();
  for (NamedTensor& t : state) t.tensor = zeros_like(t.tensor);
  std::erase_if(state, [](const NamedTensor& t) { return t.name == "state.0.exp_avg_sq"; });
  for (NamedTensor& t : state)
    if (t.name == "state.1.exp_avg") t.tensor = ones(4);
  state.push_back({"state.2.step", ones({}, int64)});
  state.push_back({"momentum", ones(1)});
  const State before = optimizer.state_dict();
  CHECK(
      error_of([&] { optimizer.load_state_dict(state); }) ==
      "RuntimeError: Error(s) in loading the state of the optimizer:\n\tmissing: state.0.exp_avg_sq\n"
      "\tstate.1.exp_avg has shape [4], but [3] is needed\n\tunexpected: momentum\n\tunexpected: state.2.step");
  for (const double steps : {-1., 2.5, 1e30, double(NAN)}) {
    state = before;
    for (NamedTensor& t : state)
      if (t.name == "state.1.step") t.tensor = tensor(steps, float64);
    CHECK(testing::contains(error_of([&] { optimizer.load_state_dict(state); }),
                            fmt::format("state.1.step is {}, but counts steps", steps)));
  }
  CHECK(same(optimizer.state_dict(), before));
  CHECK(optimizer.param_groups()[0].lr == 0.1);
}

TEST_CASE("loading the state of an optimizer copies it") {
  const nn::Parameter a(ones(2));
  SGD one({a}, 0.1, 0.9), other({a}, 0.5, 0.9);
  sum(a).backward();
  one.step();
  other.load_state_dict(one.state_dict());
  one.step();
  CHECK(numbers(one.state_dict().back().tensor) == testing::Numbers{1.9f, 1.9f});
  CHECK(numbers(other.state_dict().back().tensor) == testing::Numbers{1, 1});
  CHECK(other.param_groups()[0].lr == 0.1);
}

TEST_CASE("a model that cannot load everything stays as it was") {
  nn::GPT model(kTiny);
  const auto first_logit = [&] { return (model.eval(), model(zeros({1, 1}, int64))[0][0][0].item()); };
  const double before = first_logit();
  State state = model.state_dict();
  for (NamedTensor& t : state) t.tensor = zeros_like(t.tensor);
  state.back().tensor = ones({3, 3});
  CHECK(testing::contains(error_of([&] { model.load_state_dict(state); }),
                          "size mismatch for out_head.weight"));
  CHECK(first_logit() == before);
}

TEST_CASE("one name of a tied weight is enough") {
  nn::GPT model(kTiny);
  State state = model.state_dict();
  std::erase_if(state, [](const NamedTensor& t) { return t.name == "out_head.weight"; });
  for (NamedTensor& t : state)
    if (t.name == "tok_emb.weight") t.tensor = full_like(t.tensor, 0.5);
  model.load_state_dict(state);
  CHECK(model.out_head.weight[0][0].item() == 0.5);
}

TEST_CASE("errors of groups and schedules") {
  const nn::Parameter a(ones(2));
  CHECK(error_of([&] { SGD(std::vector<ParamGroup>{}); }) ==
        "ValueError: optimizer got an empty parameter list");
  CHECK(error_of([&] { AdamW({ParamGroup{{a}, -1, 0}}); }) == "ValueError: Invalid learning rate: -1.0");
  CHECK(error_of([&] { AdamW({ParamGroup{{a}, 1, NAN}}); }) == "ValueError: Invalid weight_decay value: nan");
  CHECK(error_of([&] {
          AdamW({ParamGroup{{a}, 1, 0}, ParamGroup{{a}, 1, 0}});
        }) == "ValueError: some parameters appear in more than one parameter group");
  SGD optimizer({a});
  CHECK(error_of([&] { StepLR(optimizer, 0); }) ==
        "ValueError: StepLR: step_size must be at least 1, but is 0");
}

TEST_CASE("a schedule goes on where it was") {
  const nn::Parameter a(ones(2));
  SGD whole({a}, 0.3), second({a}, 0.3);
  StepLR schedule(whole, 2, 0.5), resumed(second, 2, 0.5);
  for (int i = 0; i < 3; ++i) schedule.step();
  second.load_state_dict(whole.state_dict());
  resumed.resume(schedule.last_epoch());
  schedule.step();
  resumed.step();
  CHECK(second.param_groups()[0].lr == whole.param_groups()[0].lr);
  CHECK(second.param_groups()[0].lr == 0.075);
}
