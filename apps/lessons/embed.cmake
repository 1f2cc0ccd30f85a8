# Writes the definition of lesson_texts.h: apps/lessons/*.md. When one changes, only this is compiled.
file(GLOB lesson_files CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.md)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${lesson_files})
set(rows "")
foreach(file IN LISTS lesson_files)
  cmake_path(GET file STEM LAST_ONLY id)
  file(READ ${file} text)
  string(APPEND rows "    {\"${id}\", R\"lesson(${text})lesson\"sv},\n")
endforeach()
set(lessons_source ${CMAKE_CURRENT_BINARY_DIR}/lesson_texts.cpp)
file(WRITE ${lessons_source}.new "#include \"apps/lessons/lesson_texts.h\"

using namespace std::string_view_literals; // a compiler counts no letters

std::span<const glassgrad::learn::LessonText> glassgrad::learn::lesson_texts() {
  static constexpr LessonText texts[] = {
${rows}  };
  return texts;
}
")
file(COPY_FILE ${lessons_source}.new ${lessons_source} ONLY_IF_DIFFERENT)
