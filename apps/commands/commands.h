// The program's commands. Each adds itself and its flags to the program, which must live longer; what a
// command does, and what it throws, is Subcommand::run's.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "apps/cli/command_line.h"

namespace glassgrad {

// Thrown by a command whose reader has chosen another one: its words, without the program's name.
struct GoOnWith {
  std::vector<std::string> arguments;
};

namespace start {
std::unique_ptr<Subcommand> command(CLI::App& program);
}
namespace learn {
std::unique_ptr<Subcommand> command(CLI::App& program);
}
namespace build {
std::unique_ptr<Subcommand> command(CLI::App& program);
}
namespace review {
std::unique_ptr<Subcommand> command(CLI::App& program);
}
namespace why {
std::unique_ptr<Subcommand> command(CLI::App& program);
}
namespace diff {
std::unique_ptr<Subcommand> command(CLI::App& program);
}
namespace graph {
std::unique_ptr<Subcommand> command(CLI::App& program);
}
namespace docs {
std::unique_ptr<Subcommand> command(CLI::App& program);
}
namespace train {
std::unique_ptr<Subcommand> command(CLI::App& program);
}
namespace generate {
std::unique_ptr<Subcommand> command(CLI::App& program);
}
namespace inspect {
std::unique_ptr<Subcommand> command(CLI::App& program);
}
namespace convert {
std::unique_ptr<Subcommand> command(CLI::App& program);
}
namespace verify {
std::unique_ptr<Subcommand> command(CLI::App& program);
}
namespace checking {
std::unique_ptr<Subcommand> command(CLI::App& program);
}
namespace gradcheck {
std::unique_ptr<Subcommand> command(CLI::App& program);
}
namespace bench {
std::unique_ptr<Subcommand> command(CLI::App& program);
}
namespace help {
std::unique_ptr<Subcommand> command(CLI::App& program);
}

}  // namespace glassgrad
