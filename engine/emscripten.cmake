# How a build for WebAssembly is compiled, and its replacements for the system's packages. Uses WebAssembly's own exceptions: the
# other kind goes through JavaScript at every call that may throw.
add_compile_options(-fwasm-exceptions)
add_link_options(-fwasm-exceptions)

include(engine/headers.cmake)
glassgrad_headers(nlohmann_json::nlohmann_json nlohmann/json.hpp)
