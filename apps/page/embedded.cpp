#include "apps/page/embedded.h"

#include <algorithm>

#include "apps/page/embedded_files.h"
#include "engine/core/error.h"

namespace glassgrad::explorer {
namespace {

std::string_view find(std::string_view name) {
  const auto files = embedded_files();
  const auto file = std::ranges::find(files, name, &EmbeddedFile::name);
  return file == files.end() ? std::string_view() : file->bytes;
}

}  // namespace

std::string_view page_file(std::string_view name) {
  const std::string_view text = find(name);
  check(!text.empty(), "apps/page/assets/{} was not there when this program was built", name);
  return text;
}

std::string_view engine_wasm() { return find("glassgrad.wasm.gz"); }

}  // namespace glassgrad::explorer
