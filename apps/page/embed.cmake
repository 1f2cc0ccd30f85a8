# The definition of embedded_files.h: assets/*, and GLASSGRAD_WASM if that file is there.
set(GLASSGRAD_WASM "" CACHE FILEPATH "glassgrad.wasm.gz for the pages that the program writes; empty: none")

file(GLOB embedded CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/assets/*)
if(GLASSGRAD_WASM AND EXISTS ${GLASSGRAD_WASM})
  list(APPEND embedded ${GLASSGRAD_WASM})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${GLASSGRAD_WASM}) # the file may be removed again
endif()
glassgrad_embed(embedded_files apps/page/embedded_files.h glassgrad::explorer::embedded_files ${embedded})
