// The command `diff`: runs two lessons, classes or settings side by side and compares their numbers.
#include "apps/commands/commands.h"

#include <algorithm>

#include "apps/ask/classes.h"
#include "apps/ask/diff/render.h"
#include "apps/ask/diff/side.h"
#include "apps/cli/arguments.h"
#include "apps/cli/device.h"
#include "engine/core/error.h"

namespace glassgrad::diff {
namespace {

class Command : public Subcommand {
 public:
  explicit Command(CLI::App& program);
  // Throws UsageError if there is no such lesson, class or flag, or if the two cannot be compared. Throws
  // Error if they differ by more than rounding or have nothing in common.
  void run(Output& out) const override;

 private:
  CLI::Option *left_, *right_, *format_, *device_;
  bool all_ = false;
};

}  // namespace

const ComparedPair* first_difference(const std::vector<ComparedPair>& compared) {
  const auto found =
      std::find_if(compared.begin(), compared.end(), [](const ComparedPair& c) { return c.differs(); });
  return found == compared.end() ? nullptr : &*found;
}

Command::Command(CLI::App& program)
    : Subcommand(program, CommandGroup::Learn, "diff", "Run two lessons, classes or settings side by side",
                 "glassgrad diff journey \"journey --seed 7\"\n"
                 "         glassgrad diff journey cat\n"
                 "         glassgrad diff journey.SelfAttention_v2 journey.CausalAttention\n"
                 "Exit code: 0 no difference beyond rounding, 1 a difference, 2 wrong usage"),
      left_(add_value("A", "", "A lesson with its flags in quotes, or a class")),
      right_(add_value("B", "", "What to compare it with")),
      format_(add_value("--format", "FORMAT", "text or json (text)")),
      device_(add_value("--device", "NAME", kDevices)) {
  add_flag("--all", all_, "Open every pair that differs, and name all that are equal");
}

void Command::run(Output& out) const {
  const std::string format = given(format_).value_or("text");
  check<UsageError>(format == "text" || format == "json", "--format is text or json, not '{}'", format);
  const auto left = given(left_), right = given(right_);
  check<UsageError>(left && right,
                    "diff takes two lessons or two classes: glassgrad diff journey \"journey --seed 7\"");
  const bool classes = names_class(*left);
  check<UsageError>(classes == names_class(*right),
                    "diff takes two lessons or two classes, not one of each: {}, {}", *left, *right);
  const DefaultDevice device = use_device(device_);
  const Sides sides = classes ? run_classes(*left, *right) : run_lessons(*left, *right);
  std::vector<ComparedPair> compared;
  for (const Pair& pair : aligned(sides.left, sides.right))
    compared.push_back({pair, difference(sides.left.values[pair.left].x, sides.right.values[pair.right].x)});
  format == "json" ? render_json(sides, compared, out) : render_text(sides, compared, all_, out);

  out.flush();
  check(!compared.empty(), "'{}' and '{}' have no tensor of one meaning", *left, *right);
  const auto differ =
      std::count_if(compared.begin(), compared.end(), [](const ComparedPair& c) { return c.differs(); });
  if (const ComparedPair* first = first_difference(compared))
    fail("{} of {} pairs differ, first {} and {}", differ, compared.size(),
         sides.left.values[first->pair.left].address(), sides.right.values[first->pair.right].address());
}

std::unique_ptr<Subcommand> command(CLI::App& program) { return std::make_unique<Command>(program); }

}  // namespace glassgrad::diff
