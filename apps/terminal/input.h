// The input of a program that waits: bytes, signals, the end.
#pragma once
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "apps/terminal/keys.h"
#include "apps/terminal/signals.h"

namespace glassgrad {

class Input {
 public:
  explicit Input(SignalQueue& signals) : signals_(signals) {}

  // Returns the next line without its end; the last line may lack the end. Nothing when there are no more.
  // Throws Interrupted.
  std::optional<std::string> line();

  enum class Event { Key, Redraw, Ready, End };
  // Waits for a key, a reason to draw the screen again, or the end; Ready: the file `other` can be read, or
  // nothing came and the caller has work to do. Throws Interrupted.
  Event wait(Key& key, int other = -1, bool has_work = false);
  // Waits until the file `other` can be read, whatever is typed meanwhile. Throws Interrupted.
  void wait_for(int other);
  // For loops that read no input. Throws Interrupted if a signal waits.
  void look() { signals_.take(); }
  void forgive(int signal) { signals_.forgive(signal); }
  // Keeps keys that were typed already for the next wait.
  void type_ahead(std::vector<Key> keys) { ahead_.assign(keys.begin(), keys.end()); }
  bool more_is_here() const { return !bytes_.empty() || !ahead_.empty(); }  // already read

 private:
  enum class Got { Bytes, Signal, Other, Nothing, End };
  Got read(int milliseconds, int other = -1);

  SignalQueue& signals_;
  std::string bytes_;
  std::deque<Key> ahead_;
  bool ended_ = false;
};

}  // namespace glassgrad
