#include "golden.h"

#include <filesystem>
#include <fstream>
#include <map>

using namespace glassgrad;

namespace golden {
namespace {

struct Entry {
  Program program;
  bool used = false;
};
std::map<std::string, Entry>& programs() {
  static std::map<std::string, Entry> all;
  return all;
}

// Returns "grad" for "grad-318" and for "grad expr".
std::string group_of(const std::string& key) { return key.substr(0, key.find_first_of("- ")); }

Json read(const std::filesystem::path& file) {
  std::ifstream stream(file);
  REQUIRE_MESSAGE(stream.good(), file);
  return Json::parse(stream);
}

Entry* program_of(const std::string& id, const std::string& kind) {
  for (const std::string& key : {id, kind})
    if (const auto found = programs().find(key); found != programs().end()) return &found->second;
  return nullptr;
}

std::string run(Entry& entry, const Json& case_) {
  entry.used = true;
  printed().clear();
  if (case_.contains("seed")) manual_seed(case_["seed"].get<int64_t>());
  try {
    entry.program(case_["args"]);
  } catch (const std::exception& e) {
    printed() += std::string("unexpected error: ") + e.what() + "\n";
  }
  return printed();
}

}  // namespace

std::string& printed() {
  static std::string text;
  return text;
}

RegisterProgram::RegisterProgram(const char* key, Program program) {
  if (!programs().emplace(key, Entry{program}).second)
    throw std::logic_error(std::string("two programs for ") + key);
}

void check_group(const std::string& group) {
  const Json cases = read(std::filesystem::path(GLASSGRAD_GOLDEN_DIR) / (group + ".json"));
  REQUIRE(!cases.empty());
  size_t equal = 0;
  for (const Json& c : cases) {
    const std::string id = c["id"], op = c["op"], expected = c["stdout"];
    Entry* const entry = program_of(id, group + " " + op);
    if (!entry) {
      FAIL_CHECK(id, " has no program");
      continue;
    }
    const std::string text = run(*entry, c);
    equal += text == expected;
    CHECK_MESSAGE(text == expected, id, ":\n", c["py"].get<std::string>(), "\n--- PyTorch\n", expected,
                  "--- ours\n", text);
  }
  for (const auto& one : programs())
    if (group_of(one.first) == group)
      CHECK_MESSAGE(one.second.used, "the program ", one.first, " has no case");
  MESSAGE(group, ": ", equal, " of ", cases.size(), " cases equal PyTorch's text");
}

}  // namespace golden
