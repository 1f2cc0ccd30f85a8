# Writes the definition of embedded_files.h: assets/*, and GLASSGRAD_WASM if that file is there. The assembler takes
# them in as they are, which costs no time and no memory of the compiler.
set(GLASSGRAD_WASM "" CACHE FILEPATH "glassgrad.wasm.gz for the pages that the program writes; empty: none")

file(GLOB embedded CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/assets/*)
if(GLASSGRAD_WASM AND EXISTS ${GLASSGRAD_WASM})
  list(APPEND embedded ${GLASSGRAD_WASM})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${GLASSGRAD_WASM}) # it may be taken away again
endif()

set(labels "")
set(assembly "")
set(rows "")
set(count 0)
foreach(file IN LISTS embedded)
  math(EXPR next "${count} + 1")
  cmake_path(GET file FILENAME name)
  string(APPEND labels "HIDDEN extern const char glassgrad_file_${count}[];\n")
  string(APPEND assembly ".globl glassgrad_file_${count}\nglassgrad_file_${count}: .incbin \"${file}\"\n")
  string(APPEND rows "    {\"${name}\", {glassgrad_file_${count}, glassgrad_file_${next}}},\n")
  set(count ${next})
endforeach()

set(embedded_source ${CMAKE_CURRENT_BINARY_DIR}/embedded_files.cpp)
file(CONFIGURE OUTPUT ${embedded_source} @ONLY CONTENT [[
#include "apps/page/embedded_files.h"

// Each label stands where the file before it ends.
asm(R"(
.pushsection .rodata
@assembly@.globl glassgrad_file_@count@
glassgrad_file_@count@:
.popsection
)");

#define HIDDEN __attribute__((visibility("hidden")))
extern "C" {
@labels@HIDDEN extern const char glassgrad_file_@count@[];
}

std::span<const glassgrad::explorer::EmbeddedFile> glassgrad::explorer::embedded_files() {
  static const EmbeddedFile files[] = {
@rows@  };
  return files;
}
]])
set_source_files_properties(${embedded_source} PROPERTIES OBJECT_DEPENDS "${embedded}")
