// The full screen: a header, a page that scrolls, what is typed or said, and the keys that count. The one
// loop that waits for keys and signals, draws, and computes beside the keys stands here. Each screen of the
// program is a class on top of this one: it has a page and tables of keys.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "apps/cli/output.h"
#include "apps/screen/background.h"
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

  // Until leave() or the end of the input. Interrupted: by a signal; the terminal is then as it was.
  void run();

  // Keys that every screen has.
  static KeyTable keys();
  // Those of them that a screen whose own keys scroll has left, for its help page.
  static KeyTable keys_that_do_not_scroll();

 protected:
  // message: what to say at first. back: what the help says that every other key does, "back to the lesson".
  Screen(Input& input, Output& out, std::string message, std::string back);
  ~Screen() = default;

  // ---- what a screen has
  struct Head {
    std::string place, title;  // "journey  3/41  inputs", and the line below
    std::string counted = {};  // stands before the bar
    size_t filled = 0;         // of the kBar signs of the bar
  };
  static constexpr size_t kBar = 20;
  virtual Head head() const = 0;
  // The line below the head, in place of dashes; what is between ▸ and ◂ stands out.
  virtual std::string map(size_t) const { return {}; }
  // The page. It stays where it is until the next call.
  virtual const Lines& body(size_t columns, size_t height) = 0;
  virtual std::optional<Place> cursor() const { return {}; }  // in the page, kept in sight
  virtual std::string searched() const { return {}; }         // stands out wherever the page has it
  // The line above the key bar where nothing is typed or said.
  virtual Line foot(size_t) const { return {}; }
  // The tables that count now, before keys().
  virtual void add_keys(std::vector<KeySet>& sets) = 0;
  // All tables, for the help page.
  virtual std::vector<KeyTable> tables() const = 0;
  // Work that is done a piece at a time while no key comes: whether there is any, and a piece of it, after
  // which the screen is drawn again if it returns true.
  virtual bool has_work() const { return false; }
  virtual bool work() { return false; }
  // A key that is typed into no line. Returns who took it, or nullptr.
  virtual KeyOwner* press(const Key& key);

  // ---- what keys can do
  void say(std::string message) { message_ = std::move(message); }  // until the next key
  bool has_said() const { return !message_.empty(); }
  void leave() { left_ = true; }
  Scroll& scroll() { return scroll_; }  // of the page
  bool more_below() const { return scroll_.more_below(*body_, height_); }
  void page_down() { scroll_.page_down(*body_, height_); }
  void scroll_to_end() { scroll_.top = kEnd; }
  bool scroll_by(const Key& key);  // false: it is no key that scrolls

  // A line to be typed at the foot. `first` sees each key before the line does, and returns true to keep it.
  struct Prompt {
    std::string words;
    std::function<void(const std::string& typed)> enter;
    std::string typed = {};  // what is there already
    std::vector<KeyHint> hints = {{"Enter", "go"}, {"Esc", "never mind"}};
    std::function<void()> escape = [] {};
    std::function<bool(const Key&, const std::string& typed)> first = {};
  };
  void ask(Prompt prompt);

  // A page over the page, until a key closes it that neither scrolls nor is one of its own.
  struct Over {
    std::function<Lines(size_t columns)> lines;
    KeySet keys = {};
    std::optional<size_t> line = {};  // to begin with
  };
  void show_over(Over over);
  bool is_over() const { return over_.has_value(); }
  void show_help();

  // Computes beside the keys; Esc and Ctrl-C stop it. A short work is done when this returns. What it leaves
  // to do is done when no line is being typed. failed: is told why it failed, instead of saying so.
  void compute(const std::string& what, Background::Work work,
               std::function<void(const std::string&)> failed = {});
  bool is_at_work() const { return background_.is_at_work(); }
  void finish_if_done();
  // Is told when what it computed was stopped.
  virtual void stopped() { say("Stopped: nothing has changed."); }

  // Runs something that has the terminal meanwhile. Says why it failed, if it throws Error.
  void lend_terminal(const std::function<void()>& run);

  Palette palette() const { return palette_; }

 private:
  static constexpr size_t kEnd = size_t(-1) / 2;
  static KeyTable at_work_keys();
  static KeyTable over_keys();

  Input::Event wait(Key& key);
  std::vector<KeySet> sets();
  std::vector<KeyHint> hints();
  void type(const Key& key);
  void finish();
  void stop();
  bool scroll_over(const Key& key);
  void close_over() { over_.reset(); }
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
  struct OnTop {
    Over over;
    Lines lines = {};
    Scroll scroll = {};
  };

  Input& input_;
  Output& out_;
  Background background_;  // before the terminal, which is given back before anybody waits for this
  std::string at_work_;
  std::function<void(const std::string&)> failed_;
  Terminal terminal_;
  const Palette palette_;
  const std::string back_;
  std::string message_;
  std::optional<Typing> typing_;
  std::optional<OnTop> over_;
  Scroll scroll_;
  Lines empty_;
  const Lines* body_ = &empty_;
  size_t height_ = 1;
  bool left_ = false, stale_ = true;
};

}  // namespace glassgrad
