// Runs code of other people in a separate process.
#pragma once
#include <functional>
#include <string>

namespace glassgrad::practice {

using Hear = std::function<void(const std::string& line)>;

// Runs f(say) in a new process and passes each line that f says to `hear` at once. The process may allocate
// limits.bytes more than this process has now, and is killed if it says nothing for limits.seconds. Returns
// false if a signal, memory or time ended the process before f was done. Runs f in this process if the system
// gives no new one. f must not throw.
struct ProcessLimits {
  size_t bytes;
  double seconds;
};
bool run_apart(const ProcessLimits& limits, const std::function<void(const Hear& say)>& f, const Hear& hear);

}  // namespace glassgrad::practice
