# The packages for others: `make dist` and `make wheel` build them, `all` does not. They reuse the program's objects.
set(libraries glassgrad_apps glassgrad_script glassgrad_nn glassgrad_engine)
foreach(library IN LISTS libraries)
  list(APPEND archives $<TARGET_FILE:${library}>)
endforeach()
list(APPEND archives $<TARGET_FILE:glassgrad_fmt>)

# A program that needs no library of the system, so it starts on any Linux for this kind of processor.
add_executable(glassgrad_static EXCLUDE_FROM_ALL $<TARGET_OBJECTS:glassgrad>)
target_link_options(glassgrad_static PRIVATE -static -s)
target_link_libraries(glassgrad_static PRIVATE -Wl,--start-group ${archives} -Wl,--end-group)
add_dependencies(glassgrad_static ${libraries} glassgrad_fmt)
set_target_properties(glassgrad_static PROPERTIES OUTPUT_NAME glassgrad LINKER_LANGUAGE CXX
                      RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/static)

# For a wheel: one library with everything, shared by the program and the extension for each Python.
set(wheel ${PROJECT_BINARY_DIR}/wheel/glassgrad)
file(CONFIGURE OUTPUT empty.cpp CONTENT "")
add_library(glassgrad_shared SHARED EXCLUDE_FROM_ALL ${CMAKE_CURRENT_BINARY_DIR}/empty.cpp)
target_link_options(glassgrad_shared PRIVATE -s -Wl,-Bsymbolic-functions)
target_link_libraries(glassgrad_shared PRIVATE -Wl,--whole-archive ${archives} -Wl,--no-whole-archive ${CMAKE_DL_LIBS} Threads::Threads)
add_dependencies(glassgrad_shared ${libraries} glassgrad_fmt)
set_target_properties(glassgrad_shared PROPERTIES OUTPUT_NAME glassgrad LIBRARY_OUTPUT_DIRECTORY ${wheel})
add_executable(glassgrad_in_wheel EXCLUDE_FROM_ALL $<TARGET_OBJECTS:glassgrad>)
target_link_options(glassgrad_in_wheel PRIVATE -s)
target_link_libraries(glassgrad_in_wheel PRIVATE glassgrad_shared)
set_target_properties(glassgrad_in_wheel PROPERTIES OUTPUT_NAME glassgrad LINKER_LANGUAGE CXX RUNTIME_OUTPUT_DIRECTORY ${wheel}/bin
                      BUILD_RPATH_USE_ORIGIN ON BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH $ORIGIN/..)
