// The command `inspect`: its flags, and what they make it do.
#pragma once
#include <string>
#include <vector>

#include "apps/command_line.h"
#include "apps/inspect/model_run.h"

namespace glassgrad::inspect {

class Command : public Subcommand {
 public:
  explicit Command(CLI::App& program);
  // UsageError; Error: no such checkpoint, a broken one, a file that cannot be written.
  void run(Output& out) const override;

 private:
  // Nothing where no head is named.
  std::optional<Head> zeroed(const nn::GPTConfig& config) const;

  CLI::Option *checkpoint_, *text_, *layer_, *head_, *zero_, *top_, *npy_, *format_, *html_, *threads_,
      *device_;
};

}  // namespace glassgrad::inspect
