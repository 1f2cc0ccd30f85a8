# For a processor that is not this one, and for a program that needs nobody's libraries: the system's packages as headers,
# a link to each. The system's whole include folder would bring its own C library along, and find_package looks for
# libraries for that processor.
function(glassgrad_headers target header)
  cmake_path(GET header PARENT_PATH folder)
  find_path(found ${header} PATHS /usr/include /usr/local/include NO_CMAKE_FIND_ROOT_PATH NO_CACHE REQUIRED)
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/include)
  file(CREATE_LINK ${found}/${folder} ${PROJECT_BINARY_DIR}/include/${folder} SYMBOLIC)
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${target} SYSTEM INTERFACE ${PROJECT_BINARY_DIR}/include)
endfunction()
glassgrad_headers(fmt::fmt fmt/core.h)

# fmt's library. As headers alone it would make every file take twice as long to compile.
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/fmt.cpp @ONLY CONTENT [[
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {
template dragonbox::decimal_fp<float> dragonbox::to_decimal(float) noexcept;
template dragonbox::decimal_fp<double> dragonbox::to_decimal(double) noexcept;
template thousands_sep_result<char> thousands_sep_impl(locale_ref);
template char decimal_point_impl(locale_ref);
template void buffer<char>::append(const char*, const char*);
template void vformat_to(buffer<char>&, string_view, basic_format_args<format_context>, locale_ref);
}
FMT_END_NAMESPACE
]])
add_library(glassgrad_fmt STATIC ${PROJECT_BINARY_DIR}/fmt.cpp)
target_compile_features(glassgrad_fmt PRIVATE cxx_std_20)
target_include_directories(glassgrad_fmt SYSTEM PRIVATE ${PROJECT_BINARY_DIR}/include)
target_link_libraries(fmt::fmt INTERFACE glassgrad_fmt)
