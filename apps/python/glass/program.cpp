#include "program.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <tuple>

#include "apps/python/host/host.h"

namespace py = pybind11;

namespace glassgrad::python {

Statement SourceFile::at(int line) const {
  if (line < 1 || size_t(line) > statements.size() || statements[size_t(line) - 1].first == 0)
    return {line, line};
  return statements[size_t(line) - 1];
}

std::string SourceFile::stem() const {
  const size_t dot = name.rfind('.');
  std::string stem = name.substr(0, dot == std::string::npos || dot == 0 ? name.size() : dot);
  std::replace_if(
      stem.begin(), stem.end(), [](char c) { return c == ':' || c == ' ' || c == '['; }, '_');
  return stem;
}

const SourceFile* Program::file(const std::string& path) {
  const auto known = files_.find(path);
  if (known != files_.end()) return known->second.get();
  std::unique_ptr<SourceFile>& made = files_[path];
  const py::object read = read_(path);
  if (read.is_none()) return nullptr;
  using Read = std::tuple<std::string, std::vector<std::string>, std::vector<std::tuple<int, int, int, bool>>,
                          std::vector<std::tuple<int, int, int, bool, std::vector<std::string>>>>;
  auto [name, lines, statements, loops] = read.cast<Read>();
  made = std::make_unique<SourceFile>();
  made->lines = std::move(lines);
  for (const auto& [first, last, loop, gives] : statements)
    made->statements.push_back({first, last, loop, gives});
  for (auto& [head, around, body, is_while, variables] : loops)
    made->loops[head] = {around, body, is_while, std::move(variables)};
  // Two files with the same name are distinguished by their folders.
  const auto taken = [&](const std::string& n) {
    return std::any_of(files_.begin(), files_.end(),
                       [&](const auto& f) { return f.second && f.second != made && f.second->name == n; });
  };
  size_t slash = path.rfind('/');
  while (taken(name) && slash != std::string::npos && slash > 0) {
    slash = path.rfind('/', slash - 1);
    name = path.substr(slash == std::string::npos ? 0 : slash + 1);
  }
  made->name = std::move(name);
  return made.get();
}

const CodeInfo& Program::of(PyCodeObject* code) {
  const auto known = known_.find(code);
  if (known != known_.end()) return known->second;
  Py_INCREF(code);
  CodeInfo info;
  const std::string path(to_text(code->co_filename));
  info.file = file(path);
  if (info.file) {
#if PY_VERSION_HEX >= 0x030B0000
    info.function = to_text(code->co_qualname);
#else
    info.function = to_text(code->co_name);
#endif
    // "train.<locals>.step" reads as "train.step".
    constexpr std::string_view kLocals = ".<locals>";
    for (size_t at; (at = info.function.find(kLocals)) != std::string::npos;)
      info.function.erase(at, kLocals.size());
    if (info.function == "<module>") info.function.clear();
    info.is_part = to_text(code->co_name).starts_with('<') && !info.function.empty();
    info.line = code->co_firstlineno;
    info.is_generator = (code->co_flags & (CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR)) != 0;
  }
  return known_.emplace(code, std::move(info)).first->second;
}

}  // namespace glassgrad::python
