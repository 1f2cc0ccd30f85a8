# For cross-compilation: uses the headers of the system's packages, through a link to each package. The system's whole include
# folder would bring its C library along, and find_package looks for libraries for the other processor.
function(glassgrad_headers target header)
  cmake_path(GET header PARENT_PATH folder)
  find_path(found ${header} PATHS /usr/include /usr/local/include NO_CMAKE_FIND_ROOT_PATH NO_CACHE REQUIRED)
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/include)
  file(CREATE_LINK ${found}/${folder} ${PROJECT_BINARY_DIR}/include/${folder} SYMBOLIC)
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${target} SYSTEM INTERFACE ${PROJECT_BINARY_DIR}/include)
endfunction()
glassgrad_headers(fmt::fmt fmt/core.h)
include(engine/fmt.cmake)
target_link_libraries(fmt::fmt INTERFACE glassgrad_fmt)
