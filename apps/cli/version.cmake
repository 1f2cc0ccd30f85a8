# cmake -DSOURCE= -DOUTPUT= -DVERSION= -DCOMPILER= -P version.cmake: writes the definitions of version.h.
set(commit unknown)
if(EXISTS ${SOURCE}/.git) # otherwise git would answer for a repository around a copy of the sources
  execute_process(
    COMMAND git --no-optional-locks -c safe.directory=${SOURCE} -C ${SOURCE}
            describe --always --dirty --abbrev=12 --exclude=*
    OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(NOT failed)
    set(commit ${described})
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT [[
#include "apps/cli/version.h"

const char* glassgrad_version() { return "@VERSION@"; }
const char* glassgrad_commit() { return "@commit@"; }
const char* glassgrad_compiler() { return "@COMPILER@"; }
]])
