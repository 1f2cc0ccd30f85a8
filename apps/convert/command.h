// The command `convert`: its flags, and what they make it do.
#pragma once
#include <optional>
#include <string>

#include "apps/command_line.h"
#include "apps/train/checkpoint.h"

namespace glassgrad::convert {

class Command : public Subcommand {
 public:
  explicit Command(CLI::App& program);
  // UsageError; Error: FROM cannot be read or is no such model, TO exists or cannot be written.
  void run(Output& out) const override;

 private:
  std::optional<int64_t> heads() const;
  // Each gives back what it has written.
  std::string to_huggingface(const train::Checkpoint& from, const std::string& path,
                             const std::string& to) const;
  std::string to_glassgrad(const Safetensors& from, const std::string& path, const std::string& to) const;
  nn::GPTConfig config_beside(const Safetensors& from, const std::string& path) const;
  std::shared_ptr<const Tokenizer> tokenizer_beside(const Safetensors& from, const std::string& path) const;

  CLI::Option *from_, *to_, *format_, *heads_, *vocab_, *merges_;
  bool bf16_ = false, force_ = false;
};

}  // namespace glassgrad::convert
