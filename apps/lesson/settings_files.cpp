// The settings that are read from files. Not part of the web page's build.
#include "apps/cli/arguments.h"
#include "apps/cli/text_width.h"
#include "apps/lesson/settings.h"
#include "engine/io/csv.h"
#include "engine/io/npy.h"
#include "engine/ops.h"

namespace glassgrad::learn {
namespace {

Tensor load_numbers(const std::string& path) {
  std::string note;
  const Tensor loaded = path.ends_with(".csv") ? load_csv(path, &note) : load_npy(path);
  if (!note.empty()) fmt::print(stderr, "glassgrad: {}\n", printable(note));
  return to(to(loaded, float32), default_device).contiguous();
}

}  // namespace

void Settings::load_inputs(const std::string& path) {
  check<UsageError>(!path.empty(), "--inputs takes the path of a .npy or .csv file, not ''");
  take_inputs(load_numbers(path), path);
}

void Settings::load_weights(std::string_view assignment) {
  const size_t equals = assignment.find('=');
  check<UsageError>(equals != assignment.npos && equals > 0 && equals + 1 < assignment.size(),
                    "--weights takes NAME=FILE, like W_query=mine.csv, not '{}'", assignment);
  const std::string name(assignment.substr(0, equals)), path(assignment.substr(equals + 1));
  check<UsageError>(!weights.contains(name), "--weights gives {} twice", name);
  weights[name] = {.path = path, .values = load_numbers(path)};
}

}  // namespace glassgrad::learn
