// The op table's column of errors: every function refuses what PyTorch refuses, in its words, or its row says
// that there is nothing to refuse. golden/op_errors.txt holds what PyTorch says.
#include <fstream>
#include <set>

#include "op_table.h"
#include "support.h"

using namespace testing;

namespace {

// {">>> " a line: the lines up to the next}.
std::map<std::string, std::string> recorded() {
  std::ifstream file(GLASSGRAD_GOLDEN_DIR "/op_errors.txt");
  REQUIRE(file.good());
  std::map<std::string, std::string> texts;
  std::string line, python;
  while (std::getline(file, line)) {
    if (line.starts_with(">>> "))
      python = line.substr(4);
    else
      texts[python] += (texts[python].empty() ? "" : "\n") + line;
  }
  return texts;
}

}  // namespace

TEST_CASE("ops refuse what PyTorch refuses in its words") {
  const auto texts = recorded();
  std::set<std::string> used;
  size_t functions = 0;
  for (const auto& [function, errors] : error_column()) {
    functions += !errors.misuses.empty();
    for (const Misuse& misuse : errors.misuses) {
      const auto found = texts.find(misuse.python);
      CHECK_MESSAGE(used.insert(misuse.python).second, misuse.python, " stands there twice");
      if (found == texts.end())
        FAIL_CHECK("golden/op_errors.txt lacks\n>>> ", misuse.python);
      else
        CHECK_MESSAGE(error_of(misuse.call) == found->second, misuse.python);
    }
  }
  CHECK(used.size() == texts.size());
  MESSAGE("op table: ", used.size(), " error texts of ", functions, " functions, ",
          error_column().size() - functions, " functions that refuse nothing");
}

TEST_CASE("every row has its errors or says why it has none") {
  std::set<std::string> functions;
  for (const OpRow& row : op_table()) {
    functions.insert(row.function());
    const OpErrors& errors = row.errors();
    CHECK_MESSAGE(errors.misuses.empty() == !errors.cannot_fail.empty(), row.name,
                  " needs entries in tests/ops_errors_*.cpp");
  }
  for (const auto& entry : error_column())
    CHECK_MESSAGE(functions.count(entry.first), entry.first, " has no row");
}
