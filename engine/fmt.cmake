# Compiles fmt's library from its headers where the system's cannot be linked: that library is for this processor, and shared. fmt
# as headers alone would double the compile time of every file.
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
add_library(glassgrad_fmt STATIC EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/fmt.cpp)
target_compile_features(glassgrad_fmt PRIVATE cxx_std_20)
target_include_directories(glassgrad_fmt SYSTEM PRIVATE $<TARGET_PROPERTY:fmt::fmt,INTERFACE_INCLUDE_DIRECTORIES>)
