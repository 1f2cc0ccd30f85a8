#include "apps/verify/command.h"

#include <fmt/format.h>

#include <filesystem>
#include <vector>

#include "apps/arguments.h"
#include "apps/learn/phrases.h"
#include "apps/train/checkpoint.h"
#include "engine/error.h"
#include "engine/io/npy.h"

namespace glassgrad::verify {
namespace {

using learn::counted;

// A folder stands for all its checkpoints.
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

// Reading has compared all that has a checksum.
std::string about_safetensors(const std::string& path) {
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
  if (train::is_checkpoint(file)) {
    const train::Checkpoint checkpoint = train::checkpoint_of(std::move(file), path);
    train::model_of(checkpoint, path);
    text += fmt::format("; a training after step {}", checkpoint.step);
  }
  return text;
}

std::string about_npy(const std::string& path) {
  const Tensor x = load_npy(path);
  return fmt::format("{} of shape {}; this format has no checksum, so only its form could be checked",
                     counted(x.numel(), "number"), to_string(x.shape()));
}

}  // namespace

Command::Command(CLI::App& program)
    : Subcommand(program, CommandGroup::Build, "verify", "Check that a saved file is whole and unchanged",
                 "glassgrad verify runs/1"),
      file_(add_value("FILE", "", "A .safetensors or .npy file, or the folder of a training")) {}

void Command::run(Output& out) const {
  const auto path = given(file_);
  check<UsageError>(path && !path->empty(), "which file? glassgrad verify FILE");
  for (const std::string& file : files_of(*path)) {
    const std::string about = file.ends_with(".npy") ? about_npy(file) : about_safetensors(file);
    out.write(fmt::format("ok  {}: {}\n", file, about));
  }
}

}  // namespace glassgrad::verify
