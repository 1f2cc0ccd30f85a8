#include "apps/prove/gradcheck.h"

#include <algorithm>
#include <cmath>

#include "apps/ask/backward.h"
#include "apps/ask/slope.h"
#include "engine/core/default_float64.h"
#include "engine/glass/poke.h"
#include "engine/glass/snapshot.h"
#include "engine/glass/why.h"
#include "engine/ops.h"

namespace glassgrad::gradcheck {
namespace {

constexpr uint64_t kWeightsSeed = 123;

constexpr ModuleSizes kSizes;
constexpr int64_t kBatch = 2;

Tensor input_of(ModuleClass::Reads reads) {
  Generator g(1);
  if (reads == ModuleClass::Reads::Ids) return randint(0, kSizes.vocab, {kBatch, kSizes.tokens}, g);
  const bool rows = reads == ModuleClass::Reads::Rows;
  return randn(rows ? Dims{kSizes.tokens, kSizes.width} : Dims{kBatch, kSizes.tokens, kSizes.width}, float32,
               g);
}

// A module, its input, and the scalar that its backward pass starts from.
class Weighed {
 public:
  Weighed(const ModuleClass& model, uint64_t seed) : model_(model) {
    manual_seed(kWeightsSeed);
    module_ = model_.make(kSizes);
    input_ = input_of(model_.reads);
    Generator g(seed);
    cotangent_ = randn(output().shape(), float64, g);
  }
  const nn::Module& module() const { return *module_; }
  Tensor number() const { return sum(output() * cotangent_); }

 private:
  // Uses the same dropout masks in every call.
  Tensor output() const {
    manual_seed(kWeightsSeed);
    return (*module_)(input_);
  }

  const ModuleClass& model_;
  std::unique_ptr<nn::Module> module_;
  Tensor input_, cotangent_;
};

}  // namespace

double ParameterCheck::off() const { return std::abs(pair.gradient - pair.difference); }

ParameterCheck check_cells(const std::string& name, const Dims& shape, const Options& options, double scale,
                           const std::function<Pair(const Dims& cell)>& pair_at) {
  constexpr double kRelative = 1e-6, kRounding = 1e-15;
  ParameterCheck result{.name = name, .shape = shape, .worst = {}, .pair = {}};
  Generator g(options.seed);
  const int64_t numbers = shape.numel();
  double worst = -1;
  for (int64_t i = 0; i < std::min(numbers, options.cells); ++i) {
    const Dims cell = index_of(shape, numbers <= options.cells ? i : int64_t(g.r64() % uint64_t(numbers)));
    const Pair pair = pair_at(cell);
    const double allowed =
        kRelative * std::abs(pair.difference) + kRounding * (1 + std::abs(scale)) / options.eps;
    const double off = std::abs(pair.gradient - pair.difference) / allowed;
    ++result.cells;
    result.ok = result.ok && off <= 1;
    if (off <= worst) continue;
    worst = std::isnan(off) ? INFINITY : off;
    result.worst = cell;
    result.pair = pair;
  }
  return result;
}

std::vector<ParameterCheck> check_class(const ModuleClass& model, const Options& options) {
  const DefaultFloat64 precise;
  const Weighed weighed(model, options.seed);
  const Tensor number = weighed.number();
  if (number.requires_grad()) number.backward();
  const NoGrad off;
  std::vector<ParameterCheck> checks;
  for (const NamedTensor& named : weighed.module().named_parameters()) {
    const Tensor& parameter = named.tensor;
    const Tensor gradient = parameter.grad();
    checks.push_back(
        check_cells(named.name, parameter.shape(), options, number.item(), [&](const Dims& cell) {
          const Scalar at = element(parameter, cell);
          const auto number_at = [&](double moved) {
            write_element(parameter, cell, {.dtype = at.dtype, .real = moved});
            return weighed.number().item();
          };
          const double above = number_at(at.real + options.eps), below = number_at(at.real - options.eps);
          write_element(parameter, cell, at);
          return Pair{gradient ? to_double(element(gradient, cell)) : 0, (above - below) / (2 * options.eps)};
        }));
  }
  return checks;
}

namespace {

// Returns the run's inputs, and the other leaves that its steps show or its program names: tensors made with
// requires_grad.
std::vector<const learn::Entry*> leaves_in(const learn::Recording& recording) {
  std::vector<const learn::Entry*> leaves;
  for (const learn::Entry& given : recording.given.entries) leaves.push_back(&given);
  const auto add = [&](const learn::Entry& e) {
    if (!e.value || !e.value->requires_grad || e.value->made_by != 0) return;
    const bool known = std::any_of(leaves.begin(), leaves.end(), [&](const learn::Entry* leaf) {
      return same_elements(*leaf->value, *e.value);
    });
    if (!known) leaves.push_back(&e);
  };
  for (const learn::Step& step : recording.steps)
    for (const learn::Entry& e : step.entries) add(e);
  for (const learn::Entry& e : recording.leaves) add(e);
  return leaves;
}

}  // namespace

std::vector<ParameterCheck> check_lesson(const learn::Lesson& lesson, const Options& options) {
  const learn::Rerun rerun(learn::runner(lesson, learn::Settings(lesson, {})), options.seed);
  const learn::Recording& recording = rerun.recording();
  std::vector<ParameterCheck> checks;
  for (const learn::Entry* leaf : leaves_in(recording)) {
    const learn::Value& value = *leaf->value;
    const auto gradient = gradient_of(recording, value);
    if (!gradient) continue;
    const double number = recording.passes[gradient->loss].value.tensor().item();
    checks.push_back(check_cells(leaf->name, value.shape(), options, number, [&](const Dims& cell) {
      const auto moved = rerun.move(gradient->loss, value, cell, options.eps);
      return Pair{to_double(element(gradient->value.tensor(), cell)), moved ? moved->slope() : NAN};
    }));
  }
  glassgrad::check(!checks.empty(), "the lesson {} names no loss that one of its parameters leads to",
                   lesson.id);
  return checks;
}

}  // namespace glassgrad::gradcheck
