// Runs somebody else's code in a process of its own.
#pragma once
#include <functional>
#include <string>

namespace glassgrad::practice {

using Hear = std::function<void(const std::string& line)>;

// f(say) in a new process; each line that it says is heard here at once. The process may take so many bytes
// more than this one has, and is ended when nothing was heard of it for so many seconds. Returns whether f
// came to its end: false where a signal, memory or time ended the process. Where the system gives no process,
// f runs in this one. f throws nothing.
struct Room {
  size_t bytes;
  double seconds;
};
bool run_apart(const Room& room, const std::function<void(const Hear& say)>& f, const Hear& hear);

}  // namespace glassgrad::practice
