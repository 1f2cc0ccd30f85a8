// The full screen: a header, a page that scrolls, what is typed or said, and the active keys. It has the only
// loop that waits for keys and signals, draws, and computes in the background. Each screen of the program
// derives from this class: it has a page and tables of keys.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "apps/cli/output.h"
#include "apps/screen/background_work.h"
#include "apps/screen/key_rows.h"
#include "apps/screen/scroll.h"
#include "apps/terminal/input.h"
#include "apps/terminal/terminal.h"
#include "apps/terminal/text_field.h"

namespace glassgrad {

// The smallest terminal that a screen is shown on.
constexpr size_t kLeastColumns = 80, kLeastLines = 24;
bool can_show_screen(const Output& out);

class Screen : public KeyOwner {
 public:
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  // Runs until leave() or the end of the input. Throws Interrupted on a signal; the terminal is then
  // restored.
  void run();

  // The keys that every screen has.
  static KeyTable keys();
  // The same without the keys that scroll, for the help page of a screen that uses those keys itself.
  static KeyTable keys_that_do_not_scroll();

 protected:
  // message: shown at first. back: the help's text for every other key, "back to the lesson".
  Screen(Input& input, Output& out, std::string message, std::string back);
  ~Screen() = default;

  // ---- the parts of a screen
  struct Head {
    std::string place, title;  // "journey  3/41  inputs", and the line below
    std::string counted = {};  // shown before the bar
    size_t filled = 0;         // of the kBar signs of the bar
  };
  static constexpr size_t kBar = 20;
  virtual Head head() const = 0;
  // The line below the head, in place of dashes; the part between ▸ and ◂ is bold.
  virtual std::string map(size_t) const { return {}; }
  // The page. It must stay valid until the next call.
  virtual const Lines& body(size_t columns, size_t height) = 0;
  virtual std::optional<Place> cursor() const { return {}; }  // in the page, kept visible
  virtual std::string searched() const { return {}; }         // words to highlight in the page
  // The line above the key bar when nothing is typed or said.
  virtual Line foot(size_t) const { return {}; }
  // Adds the active tables, which come before keys().
  virtual void add_keys(std::vector<KeyLayer>& layers) = 0;
  // All tables, for the help page.
  virtual std::vector<KeyTable> tables() const = 0;
  // Work that is done in pieces while no key comes. has_work: whether there is any. work: does a piece;
  // returns true to draw the screen again.
  virtual bool has_work() const { return false; }
  virtual bool work() { return false; }
  // Handles a key that is not typed into a line. Returns the owner that took it, or nullptr.
  virtual KeyOwner* press(const Key& key);

  // ---- actions for keys
  void say(std::string message) { message_ = std::move(message); }  // until the next key
  bool has_said() const { return !message_.empty(); }
  void leave() { left_ = true; }
  Scroll& scroll() { return scroll_; }  // of the page
  bool more_below() const { return scroll_.more_below(*body_, height_); }
  void page_down() { scroll_.page_down(*body_, height_); }
  void scroll_to_end() { scroll_.top = kEnd; }
  bool scroll_by(const Key& key);  // false: it is no key that scrolls

  // A line to be typed at the foot. `first` gets each key before the line does, and returns true to keep it.
  struct Prompt {
    std::string words;
    std::function<void(const std::string& typed)> enter;
    std::string typed = {};  // the text at the beginning
    std::vector<KeyHint> hints = {{"Enter", "go"}, {"Esc", "never mind"}};
    std::function<void()> escape = [] {};
    std::function<bool(const Key&, const std::string& typed)> first = {};
  };
  void ask(Prompt prompt);

  // A page over the page. It stays until a key that neither scrolls nor is one of its own keys.
  struct Overlay {
    std::function<Lines(size_t columns)> lines;
    KeyLayer keys = {};
    std::optional<size_t> line = {};  // the line to show first
  };
  void show_overlay(Overlay overlay);
  bool has_overlay() const { return overlay_.has_value(); }
  void show_help();

  // Computes in the background; Esc and Ctrl-C stop it. Short work is done when this returns. The rest of the
  // work is done when no line is being typed. failed: gets the error's text, which is otherwise shown.
  void compute(const std::string& what, const BackgroundWork::Work& work,
               std::function<void(const std::string&)> failed = {});
  bool is_at_work() const { return background_.is_at_work(); }
  void finish_if_done();
  // Called when the computation was stopped.
  virtual void stopped() { say("Stopped: nothing has changed."); }

  // Runs something that uses the terminal meanwhile. If it throws Error, says why.
  void lend_terminal(const std::function<void()>& run);

  Palette palette() const { return palette_; }

 private:
  static constexpr size_t kEnd = size_t(-1) / 2;
  static KeyTable at_work_keys();
  static KeyTable overlay_keys();

  Input::Event wait(Key& key);
  std::vector<KeyLayer> layers();
  std::vector<KeyHint> hints();
  void type(const Key& key);
  void finish();
  void stop();
  bool scroll_overlay(const Key& key);
  void close_overlay() { overlay_.reset(); }
  void draw_again() { stale_ = true; }
  KeyHint close_hint() const { return {"any other key", back_}; }

  void draw();
  Line header(const Head& head, size_t columns) const;
  Line rule(const Lines& page, size_t top, size_t columns) const;
  Line said(size_t columns) const;

  struct Typing {
    Prompt prompt;
    TextField line;
  };
  struct OpenOverlay {
    Overlay overlay;
    Lines lines = {};
    Scroll scroll = {};
  };

  Input& input_;
  Output& out_;
  BackgroundWork background_;  // before terminal_: the terminal is restored before the wait for this
  std::string at_work_;
  std::function<void(const std::string&)> failed_;
  Terminal terminal_;
  const Palette palette_;
  const std::string back_;
  std::string message_;
  std::optional<Typing> typing_;
  std::optional<OpenOverlay> overlay_;
  Scroll scroll_;
  Lines empty_;
  const Lines* body_ = &empty_;
  size_t height_ = 1;
  bool left_ = false, stale_ = true;
};

}  // namespace glassgrad
