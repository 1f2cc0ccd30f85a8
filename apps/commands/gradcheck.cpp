// The command `gradcheck`: compares the gradients of a class or a lesson with measured slopes.
#include "apps/commands/commands.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "apps/cli/arguments.h"
#include "apps/cli/device.h"
#include "apps/cli/json_number.h"
#include "apps/lesson/address.h"
#include "apps/lesson/lesson_files.h"
#include "apps/prove/gradcheck.h"
#include "engine/core/error.h"

namespace glassgrad::gradcheck {
namespace {

constexpr int64_t kLessonCells = 6;  // each cell runs the lesson twice

[[noreturn]] void refuse(const std::string& name) {
  std::vector<std::string> names;
  for (const learn::Lesson* lesson : learn::lessons()) names.emplace_back(lesson->id);
  for (const ModuleClass& c : classes()) names.emplace_back(c.name);
  fail<UsageError>("there is no lesson or class '{}': did you mean {}? `glassgrad gradcheck` lists them",
                   name, nearest(name, names));
}

void list_targets(Output& out) {
  out.write("Lessons:\n");
  for (const learn::Lesson* lesson : learn::lessons()) out.write(fmt::format("  {}\n", lesson->id));
  out.write("Classes:\n");
  for (const ModuleClass& c : classes()) out.write(fmt::format("  {}\n", c.name));
}

void render_text(const std::vector<ParameterCheck>& checks, const Options& options, Output& out) {
  size_t width = 0;
  int64_t cells = 0;
  for (const ParameterCheck& c : checks) width = std::max(width, c.name.size()), cells += c.cells;
  for (const ParameterCheck& c : checks) {
    const int64_t all = c.shape.numel();
    const std::string cell = learn::cell_text(c.worst), at = cell.empty() ? "" : " at " + cell;
    const std::string of = c.cells < all ? fmt::format(" of {}", all) : "";
    out.write(fmt::format("{:<4}{:<{}}  {:>2}{} cells  worst {:.1e}{}: {:.6g} and {:.6g}\n",
                          c.ok ? "ok" : "OFF", c.name, width, c.cells, of, c.off(), at, c.pair.gradient,
                          c.pair.difference));
  }
  out.write(
      fmt::format("{} parameters, {} cells: gradient and central difference, float64, step {:g}, seed {}\n",
                  checks.size(), cells, options.eps, options.seed));
}

void render_json(const std::string& name, const std::vector<ParameterCheck>& checks, const Options& options,
                 Output& out) {
  const auto number = [](double x) { return std::isfinite(x) ? Json(x) : Json(fmt::format("{}", x)); };
  Json parameters = Json::array();
  for (const ParameterCheck& c : checks)
    parameters.push_back({{"name", c.name},
                          {"shape", std::vector<int64_t>(c.shape.begin(), c.shape.end())},
                          {"ok", c.ok},
                          {"cells", c.cells},
                          {"worst",
                           {{"cell", std::vector<int64_t>(c.worst.begin(), c.worst.end())},
                            {"gradient", number(c.pair.gradient)},
                            {"difference", number(c.pair.difference)}}}});
  const Json all{{"name", name}, {"seed", options.seed}, {"eps", options.eps}, {"parameters", parameters}};
  out.write(json_text(all, 2) + "\n");
}

class Command : public Subcommand {
 public:
  explicit Command(CLI::App& program);
  // Throws UsageError; Error if a gradient is wrong.
  void run(Output& out) const override;

 private:
  CLI::Option *target_, *seed_, *eps_, *cells_, *format_, *device_;
};

}  // namespace

Command::Command(CLI::App& program)
    : Subcommand(program, CommandGroup::Prove, "gradcheck", "Compare gradients with central differences",
                 "glassgrad gradcheck journey.CausalAttention"),
      target_(add_value("LESSON|CLASS", "", "A lesson or its file, or a class")),
      seed_(add_value("--seed", "N", "Seed of the random weights of the outputs (1)")),
      eps_(add_value("--eps", "H", "How far a number is moved, up and down (1e-6)")),
      cells_(add_value("--cells", "N", "Cells of each parameter, at most (24; of a lesson 6)")),
      format_(add_value("--format", "FORMAT", "text or json (text)")),
      device_(add_value("--device", "NAME", kDevices)) {}

void Command::run(Output& out) const {
  const std::string format = given(format_).value_or("text");
  check<UsageError>(format == "text" || format == "json", "--format is text or json, not '{}'", format);
  const auto name = given(target_);
  if (!name) return list_targets(out);
  const learn::Lesson* lesson = learn::lesson_or_file(*name);
  const ModuleClass* model = class_called(*name);
  if (!lesson && !model) refuse(*name);

  const DefaultDevice device = use_device(device_);
  Options options;
  options.seed = given_seed(seed_).value_or(options.seed);
  options.eps = given_number(eps_, 1e-12, 1).value_or(options.eps);
  options.cells = given_integer(cells_, 1, INT64_C(1) << 40).value_or(lesson ? kLessonCells : options.cells);
  const std::vector<ParameterCheck> checks =
      lesson ? check_lesson(*lesson, options) : check_class(*model, options);
  format == "json" ? render_json(*name, checks, options, out) : render_text(checks, options, out);

  const auto is_off = [](const ParameterCheck& c) { return !c.ok; };
  const auto off = std::count_if(checks.begin(), checks.end(), is_off);
  if (off == 0) return;
  const ParameterCheck& first = *std::find_if(checks.begin(), checks.end(), is_off);
  out.flush();
  fail("{} of {} parameters of {} are off, first {}{}: gradient {}, central difference {}", off,
       checks.size(), *name, first.name, learn::cell_text(first.worst), first.pair.gradient,
       first.pair.difference);
}

std::unique_ptr<Subcommand> command(CLI::App& program) { return std::make_unique<Command>(program); }

}  // namespace glassgrad::gradcheck
