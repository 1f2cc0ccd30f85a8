#include "golden.h"

#include <filesystem>
#include <fstream>

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

// "grad" of "grad-318" and of "grad expr".
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

Programs::Programs(const char* key, Program program) {
  if (!programs().emplace(key, Entry{program}).second)
    throw std::logic_error(std::string("two programs for ") + key);
}

void check_group(const std::string& group, const std::map<std::string, std::string>& known) {
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
    if (known.count(id)) {
      CHECK_MESSAGE(text != expected, id, " matches: take it off the list of known differences");
    } else {
      CHECK_MESSAGE(text == expected, id, ":\n", c["py"].get<std::string>(), "\n--- PyTorch\n", expected,
                    "--- ours\n", text);
    }
  }
  for (const auto& one : programs())
    if (group_of(one.first) == group)
      CHECK_MESSAGE(one.second.used, "the program ", one.first, " has no case");
  MESSAGE(group, ": ", equal, " of ", cases.size(), " cases equal PyTorch's text");
}

Dims dims(const Json& shape) {
  Dims d;
  for (const int64_t size : shape) d.push(size);
  return d;
}

namespace {

Literal literal(const Json& data) {
  if (data.is_array()) {
    std::vector<Literal> items;
    for (const Json& item : data) items.push_back(literal(item));
    return Literal(std::move(items));
  }
  if (data.is_string()) {  // JSON has no name for these
    const std::string name = data;
    return name == "nan" ? NAN : name == "inf" ? INFINITY : -INFINITY;
  }
  if (data.is_boolean()) return data.get<bool>();
  return data.is_number_integer() ? Literal(data.get<int64_t>()) : Literal(data.get<double>());
}

}  // namespace

Tensor values(const Json& data, DType dtype) { return tensor(literal(data), dtype); }

DType dtype(const Json& args) {
  const std::string name = args.value("dtype", "float32");
  for (const DType t : {boolean, int64, float32, float64})
    if (dtype_name(t) == "torch." + name) return t;
  FAIL("unknown dtype ", name);
  return float32;
}

TEST_CASE("every golden file has programs") {
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(GLASSGRAD_GOLDEN_DIR)) {
    const std::string group = entry.path().stem();
    if (entry.path().extension() != ".json" || group == "dataset") continue;  // tests/apps has that one's
    ++files;
    bool found = false;
    for (const auto& [key, program] : programs()) found = found || group_of(key) == group;
    CHECK_MESSAGE(found, group);
  }
  CHECK(files == 12);
}

}  // namespace golden
