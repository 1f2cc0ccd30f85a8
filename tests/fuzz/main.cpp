// The entry of libFuzzer: TARGET=npy glassgrad_fuzz [libFuzzer's flags] FOLDER. With SHOW=1 and a file in
// place of the folder, prints what happens to that input.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "targets.h"

namespace fuzzing {
namespace {

std::vector<Target> all_targets() {
  std::vector<Target> all;
  for (const auto& some : {file_targets(), text_targets(), program_targets(), lesson_targets()})
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

// Prints the names of all targets and exits if TARGET is missing or unknown.
Target chosen() {
  const char* name = std::getenv("TARGET");
  for (const Target& target : all_targets())
    if (name && target.name == std::string_view(name)) return target;
  for (const Target& target : all_targets()) std::puts(target.name);
  std::exit(name ? 2 : 0);
}

}  // namespace

}  // namespace fuzzing

static fuzzing::Target target;

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  target = fuzzing::chosen();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  target.run({reinterpret_cast<const char*>(data), size});
  return 0;
}
