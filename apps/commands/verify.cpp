// The command `verify`: checks that a saved file is whole and unchanged.
#include "apps/commands/commands.h"

#include <fmt/core.h>

#include <filesystem>
#include <vector>

#include "apps/cli/arguments.h"
#include "apps/cli/device.h"
#include "apps/cli/text_width.h"
#include "apps/lesson/phrases.h"
#include "apps/train/checkpoint.h"
#include "engine/core/error.h"
#include "engine/io/npy.h"
#include "engine/ops.h"

namespace glassgrad::verify {
namespace {

using learn::counted;

// Returns the path, or all checkpoints of a folder.
std::vector<std::string> files_of(const std::string& path) {
  std::error_code unknown;
  if (!std::filesystem::is_directory(path, unknown)) return {path};
  std::vector<std::string> files;
  for (const char* name : {"best.safetensors", "last.safetensors"})
    if (const std::string file = path + "/" + name; std::filesystem::exists(file, unknown))
      files.push_back(file);
  check(!files.empty(), "{}: holds no checkpoint", path);
  return files;
}

// Returns "; nan or infinity in blocks.0.weight and 2 more tensors", or "". Throws Error instead if `refuse`.
std::string about_numbers(const std::vector<NamedTensor>& tensors, const std::string& path, bool refuse) {
  std::vector<std::string> names;
  for (const NamedTensor& t : tensors)
    if (!all_finite(to(t.tensor, default_device))) names.push_back(t.name);
  if (names.empty()) return {};
  const std::string more =
      names.size() > 1 ? fmt::format(" and {}", counted(int64_t(names.size()) - 1, "more tensor")) : "";
  check(!refuse, "{}: nan or infinity in {}{}", path, names.front(), more);
  return fmt::format("; nan or infinity in {}{}", printable(names.front()), more);
}

// Checks the file and describes it. Loading has already compared every checksum.
std::string about_safetensors(const std::string& path, bool only_finite) {
  Safetensors file = load_safetensors(path);
  const size_t tensors = file.tensors.size();
  int64_t numbers = 0;
  for (const NamedTensor& t : file.tensors) numbers += t.tensor.numel();
  const bool ours = file.tensors_checked > 0 || file.header_checked;
  check(!ours || (file.header_checked && file.tensors_checked == tensors),
        "{}: {} of {} tensors have a checksum, the header has {}: part of them is lost", path,
        file.tensors_checked, tensors, file.header_checked ? "one" : "none");
  std::string text = fmt::format("{}, {}", counted(int64_t(tensors), "tensor"), counted(numbers, "number"));
  text += ours ? ", all checksums right" : "; it has no checksums, so only its form could be checked";
  text += about_numbers(file.tensors, path, only_finite);
  if (train::is_checkpoint(file)) {
    const train::Checkpoint checkpoint = train::checkpoint_of(std::move(file), path);
    train::model_of(checkpoint, path);
    text += fmt::format("; a training after step {}", checkpoint.step);
  }
  return text;
}

std::string about_npy(const std::string& path, bool only_finite) {
  const Tensor x = load_npy(path);
  return fmt::format("{} of shape {}; this format has no checksum, so only its form could be checked{}",
                     counted(x.numel(), "number"), to_string(x.shape()),
                     about_numbers({{"the array", x}}, path, only_finite));
}

class Command : public Subcommand {
 public:
  explicit Command(CLI::App& program);
  // Throws UsageError if no file is named; Error, which says why, if a file cannot be read or is not whole.
  void run(Output& out) const override;

 private:
  CLI::Option *file_, *device_;
  bool only_finite_ = false;
};

}  // namespace

Command::Command(CLI::App& program)
    : Subcommand(program, CommandGroup::Model, "verify", "Check that a saved file is whole and unchanged",
                 "glassgrad verify runs/1"),
      file_(add_value("FILE", "", "A .safetensors or .npy file, or the folder of a training")),
      device_(add_value("--device", "NAME", kDevices)) {
  add_flag("--check-finite", only_finite_, "Nan and infinity are errors, too");
}

void Command::run(Output& out) const {
  const auto path = given(file_);
  check<UsageError>(path && !path->empty(), "which file? glassgrad verify FILE");
  const DefaultDevice device = use_device(device_);
  for (const std::string& file : files_of(*path)) {
    const std::string about =
        file.ends_with(".npy") ? about_npy(file, only_finite_) : about_safetensors(file, only_finite_);
    out.write(fmt::format("ok  {}: {}\n", printable(file), about));
  }
}

std::unique_ptr<Subcommand> command(CLI::App& program) { return std::make_unique<Command>(program); }

}  // namespace glassgrad::verify
