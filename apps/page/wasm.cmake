# The engine for a page: glassgrad.wasm, with the exports of wasm.cpp and all that they need. No files, no terminal, no
# command line.
file(GLOB sources CONFIGURE_DEPENDS lesson/*.cpp exercise/*.cpp show/*.cpp ask/*.cpp ask/graph/*.cpp ask/predict/*.cpp ask/why/*.cpp)
list(FILTER sources EXCLUDE REGEX "/exercise/courses\\.cpp$") # a page reads the course that it carries
list(FILTER sources EXCLUDE REGEX "/lesson/(glossary|lesson_files|model_lesson|settings_files)\\.cpp$")
list(FILTER sources EXCLUDE REGEX "/show/(bars|curve|reading|step_page|render_markdown|render_plain|enclosing_definition)\\.cpp$")
list(FILTER sources EXCLUDE REGEX "/ask/(classes|lesson_flags|mistakes|named_recorder|graph/(graph|lesson_graph|model_graph|render_.*)|\
predict/answers_file|predict/predict)\\.cpp$")
file(GLOB script CONFIGURE_DEPENDS script/*.cpp torch/*.cpp)
add_library(glassgrad_page_script STATIC ${script} text/unicode.cpp)
target_include_directories(glassgrad_page_script PUBLIC ${PROJECT_SOURCE_DIR} PRIVATE script) # script: host.h
target_link_libraries(glassgrad_page_script PUBLIC glassgrad::nn)
glassgrad_target(glassgrad_page_script)
glassgrad_together(glassgrad_page_script ${parts_of_script})
target_precompile_headers(glassgrad_page_script REUSE_FROM glassgrad_engine)

add_library(glassgrad_page_apps STATIC ${sources} cli/arguments.cpp cli/as_typed.cpp cli/json_number.cpp cli/parse_json.cpp cli/text_width.cpp
            model/model_run.cpp train/settings.cpp text/bpe.cpp text/byte_alphabet.cpp text/mathml.cpp text/split.cpp text/split_tokenizer.cpp
            text/tokenizer.cpp text/unknown.cpp text/visible.cpp page/answers.cpp page/bytes_as_text.cpp page/cell_data.cpp page/cell_readers.cpp
            page/exercise_engine.cpp page/flags_data.cpp page/heads.cpp page/inspect_data.cpp page/json_or_error.cpp page/lesson_data.cpp
            page/model_engine.cpp page/picture_data.cpp page/questions_data.cpp page/tensor_data.cpp page/words_data.cpp)
target_include_directories(glassgrad_page_apps PUBLIC ${PROJECT_SOURCE_DIR})
target_link_libraries(glassgrad_page_apps PUBLIC glassgrad_page_script nlohmann_json::nlohmann_json)
glassgrad_target(glassgrad_page_apps)
glassgrad_together(glassgrad_page_apps "/lesson/" "/exercise/" "/ask/[^/]*$" "/ask/" "/show/" ".")
target_precompile_headers(glassgrad_page_apps REUSE_FROM glassgrad_engine)

add_executable(glassgrad_wasm page/wasm.cpp)
target_link_libraries(glassgrad_wasm PRIVATE glassgrad_page_apps)
glassgrad_target(glassgrad_wasm)
# Standalone: it imports a few calls, which assets/engine.js answers, and nothing else.
target_link_options(glassgrad_wasm PRIVATE -sSTANDALONE_WASM --no-entry -sALLOW_MEMORY_GROWTH -sMAXIMUM_MEMORY=2GB
                    --js-library=${CMAKE_CURRENT_SOURCE_DIR}/page/wasm_imports.js -sTOTAL_STACK=1MB -Wl,--stack-first) # a stack overflow ends the run
set_target_properties(glassgrad_wasm PROPERTIES OUTPUT_NAME glassgrad SUFFIX .wasm
                      RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
# The page carries the compressed module. -n leaves out the time, so that the bytes are the same every time.
add_custom_command(TARGET glassgrad_wasm POST_BUILD COMMAND gzip -9 -n -k -f $<TARGET_FILE:glassgrad_wasm>)
