// The version of this build. The build itself writes the definitions (version.cmake).
#pragma once

const char* glassgrad_version();   // "0.1.0"
const char* glassgrad_commit();    // "1a2b3c4d5e6f", with "-dirty" if files have changed since, or "unknown"
const char* glassgrad_compiler();  // "GNU 12.2.0"
