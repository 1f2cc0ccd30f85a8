// script_run FILE.py: runs the program and prints what CPython prints for it, on both streams, with the same
// exit status. It prints only the places and the last line of a traceback.
#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>

#include "apps/script/interpreter.h"
#include "apps/script/torch.h"

using namespace glassgrad::script;

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: script_run FILE.py\n";
    return 2;
  }
  std::ifstream file(arguments[1], std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) {
    std::cerr << arguments[1] << ": cannot be read\n";
    return 2;
  }
  warnings() = [](const std::string& said) { std::fprintf(stderr, "UserWarning: %s\n", said.c_str()); };
  Heap heap(size_t{1} << 30);
  Program program;
  Interpreter in({.print = [](std::string_view s) { std::fwrite(s.data(), 1, s.size(), stdout); }});
  try {
    program = parse(text.str(), arguments[1], in.names());
    in.run(program);
    return 0;
  } catch (const SyntaxError& e) {
    std::fprintf(stderr, "  File \"%s\", line %d\n%s: %s\n", e.file.c_str(), e.line, e.kind(),
                 e.text.c_str());
  } catch (const Raised& e) {
    if (type_name(e.exception) == "SystemExit") {  // sys.exit(): a number is the exit code, a text is shown
      const std::string status = in.str(e.exception);
      if (status.empty() || status == "None") return 0;
      if (status.find_first_not_of("0123456789") == status.npos) return std::stoi(status);
      std::fprintf(stderr, "%s\n", status.c_str());
      return 1;
    }
    std::fprintf(stderr, "Traceback (most recent call last):\n");
    for (const auto& [function, line] : traceback(e.exception))
      std::fprintf(stderr, "  File \"%s\", line %d, in %s\n", arguments[1], line, function.c_str());
    std::fprintf(stderr, "%s\n", last_line(in, e.exception).c_str());
  }
  return 1;
}
