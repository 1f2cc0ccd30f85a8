# The engine for a page: glassgrad.wasm, what wasm.cpp exports and all that it needs. No files, no terminal, no command
# line.
file(GLOB sources CONFIGURE_DEPENDS graph/*.cpp learn/*.cpp learn/predict/*.cpp learn/questions/*.cpp learn/sources/*.cpp
     why/*.cpp)
list(FILTER sources EXCLUDE REGEX "/(command|graph/model_graph|graph/render_(dot|svg)|predict/answers_file|predict/predict)\\.cpp$")
list(FILTER sources EXCLUDE REGEX "/learn/(background|cell_cursor|cell_focus|climb_model.*|full_screen|lesson_flags|\
line_mode|memory|navigator|page|progress|render_markdown|render_mistake|render_plain|screen|scroll|settings_files|stepper|\
trained_model)\\.cpp$")
add_library(glassgrad_page_apps STATIC ${sources} arguments.cpp terminal/text_width.cpp text/unicode.cpp text/visible.cpp
            explorer/cell.cpp explorer/data.cpp explorer/engine.cpp explorer/flags_data.cpp explorer/graph_data.cpp
            explorer/questions_data.cpp explorer/tensors.cpp explorer/uses.cpp)
target_include_directories(glassgrad_page_apps PUBLIC ${PROJECT_SOURCE_DIR})
target_link_libraries(glassgrad_page_apps PUBLIC glassgrad::nn nlohmann_json::nlohmann_json)
glassgrad_target(glassgrad_page_apps)
target_precompile_headers(glassgrad_page_apps REUSE_FROM glassgrad_engine)

add_executable(glassgrad_wasm explorer/wasm.cpp)
target_link_libraries(glassgrad_wasm PRIVATE glassgrad_page_apps)
glassgrad_target(glassgrad_wasm)
# Standalone: what it asks of its surroundings are a few calls that page/engine.js answers, and nothing else.
target_link_options(glassgrad_wasm PRIVATE -sSTANDALONE_WASM --no-entry -sALLOW_MEMORY_GROWTH -sMAXIMUM_MEMORY=2GB
                    -sTOTAL_STACK=1MB -Wl,--stack-first) # a stack that is too deep ends the run instead of changing data
set_target_properties(glassgrad_wasm PROPERTIES OUTPUT_NAME glassgrad SUFFIX .wasm
                      RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
# A page carries it compressed. -n: the same bytes every time.
add_custom_command(TARGET glassgrad_wasm POST_BUILD COMMAND gzip -9 -n -k -f $<TARGET_FILE:glassgrad_wasm>)
