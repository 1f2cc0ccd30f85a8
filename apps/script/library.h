// The texts of Python's modules that are written in Python. Each is a function that gets `native`
// (library.cpp) and returns a dict of the module's names.
#pragma once
#include <string_view>

namespace glassgrad::script {

extern const std::string_view kCollections, kContextlib, kCopy, kDataclasses, kFunctools, kItertools, kJson,
    kOs, kSmallModules;

}  // namespace glassgrad::script
