#include "apps/lesson/memory.h"

#include <unistd.h>

double glassgrad::learn::memory_size() {
  return double(::sysconf(_SC_PHYS_PAGES)) * double(::sysconf(_SC_PAGESIZE));
}
