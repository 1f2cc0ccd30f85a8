# glassgrad_embed(NAME HEADER FUNCTION FILE...): writes NAME.cpp, which defines what HEADER declares,
#   std::span<const EmbeddedFile> FUNCTION();
# and puts its path into NAME_source. The assembler includes the files unchanged, which costs the compiler no time and no
# memory. When a file changes, only NAME.cpp is assembled again.
function(glassgrad_embed name header function)
  set(labels "")
  set(assembly "")
  set(rows "")
  set(count 0)
  foreach(file IN LISTS ARGN)
    math(EXPR next "${count} + 1")
    cmake_path(GET file FILENAME base)
    string(APPEND labels "HIDDEN extern const char ${name}_${count}[];\n")
    string(APPEND assembly ".globl ${name}_${count}\n${name}_${count}: .incbin \"${file}\"\n")
    string(APPEND rows "    {\"${base}\", {${name}_${count}, ${name}_${next}}},\n")
    set(count ${next})
  endforeach()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT [[
#include "@header@"

// Each label stands where the file before it ends.
asm(R"(
.pushsection .rodata
@assembly@.globl @name@_@count@
@name@_@count@:
.popsection
)");

#define HIDDEN __attribute__((visibility("hidden")))
extern "C" {
@labels@HIDDEN extern const char @name@_@count@[];
}

std::span<const glassgrad::EmbeddedFile> @function@() {
  static const glassgrad::EmbeddedFile files[] = {
@rows@  };
  return files;
}
]])
  # Keep it out of unity builds: a unity file is not compiled again when the embedded files change.
  set_source_files_properties(${source} PROPERTIES OBJECT_DEPENDS "${ARGN}" SKIP_UNITY_BUILD_INCLUSION ON)
  set(${name}_source ${source} PARENT_SCOPE)
endfunction()
