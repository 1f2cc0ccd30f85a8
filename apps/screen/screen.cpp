#include "apps/screen/screen.h"

#include <fmt/core.h>

#include <algorithm>
#include <csignal>

#include "apps/cli/complain.h"
#include "apps/cli/text_width.h"
#include "engine/core/error.h"

namespace glassgrad {
namespace {

constexpr size_t kAbove = 3, kBelow = 3;  // lines of header and footer
constexpr int kShort = 50;                // milliseconds; shorter work is not announced

// Terminals that know these sequences show the frame between them at once. The first also hides the cursor
// and moves it home.
constexpr const char *kBeginFrame = "\033[?2026h\033[?25l\033[H", *kEndFrame = "\033[?2026l";

Line dashes(size_t columns) { return {{std::string(columns, '-'), Style::Faint}}; }

Line map_line(const std::string& map) {
  constexpr std::string_view kFrom = "▸", kTo = "◂";
  Line line{{" ", Style::Faint}};
  for (size_t at = 0; at < map.size();) {
    const size_t from = std::min(map.find(kFrom, at), map.size());
    if (from > at) line.push_back({map.substr(at, from - at), Style::Faint});
    at = from == map.size() ? from : std::min(map.find(kTo, from), map.size() - kTo.size()) + kTo.size();
    if (at > from) line.push_back({map.substr(from, at - from), Style::Bold});
  }
  return line;
}

}  // namespace

KeyTable Screen::keys() {
  static constexpr KeyRow kRows[] = {
      {"Down Up, j k", "scroll by a line", does<&Screen::scroll_by>},
      {"PgDn PgUp | Ctrl-F Ctrl-B", "scroll by a screen", does<&Screen::scroll_by>},
      {"Home End", "beginning and end of the page", does<&Screen::scroll_by>},
      {"Ctrl-L", "draw the screen again; Ctrl-Z pauses, and fg comes back", does<&Screen::draw_again>},
      {"?", {}, does<&Screen::show_help>, Hint("more", 1)},
      {"q, Ctrl-C | Ctrl-D", "quit; the next session goes on from here", does<&Screen::leave>, "quit"},
  };
  return kRows;
}

KeyTable Screen::keys_that_do_not_scroll() {
  const auto scrolls = [](const KeyRow& row) { return row.act == does<&Screen::scroll_by>; };
  return keys().subspan(size_t(std::ranges::count_if(keys(), scrolls)));
}

KeyTable Screen::at_work_keys() {
  static constexpr KeyRow kRows[] = {{"Esc", {}, does<&Screen::stop>, "stop"}};
  return kRows;
}
KeyTable Screen::overlay_keys() {
  static constexpr KeyRow kRows[] = {
      {"any", {}, does<&Screen::scroll_overlay>},
      {"any", {}, does<&Screen::close_overlay>, now<&Screen::close_hint>},
  };
  return kRows;
}

bool can_show_screen(const Output& out) {
  const auto [lines, columns] = out.screen();
  return terminal_can_draw() && lines >= kLeastLines && columns >= kLeastColumns;
}

Screen::Screen(Input& input, Output& out, std::string message, std::string back)
    : input_(input),
      out_(out),
      terminal_(out),
      palette_(palette_of_terminal()),
      back_(std::move(back)),
      message_(std::move(message)) {}

void Screen::run() {
  while (!left_) {
    if (stale_ && !input_.more_is_here()) draw();
    Key key{Key::Kind::Unknown};
    const Input::Event event = wait(key);
    stale_ = true;
    switch (event) {
      case Input::Event::Key:
        message_.clear();
        if (typing_)
          type(key);
        else
          press(key);
        break;
      case Input::Event::Redraw:
        terminal_.resume();
        break;
      case Input::Event::Ready:
        if (has_work())
          stale_ = work();
        else
          finish();
        break;
      case Input::Event::End:
        return;
    }
  }
}

// A result replaces the page, but not while the reader types or reads a page over it. Ctrl-C stops the
// running computation, or the screen if there is none.
Input::Event Screen::wait(Key& key) {
  const bool takes_results = background_.is_at_work() && !typing_ && !overlay_;
  try {
    return input_.wait(key, takes_results ? background_.fd() : -1, has_work());
  } catch (const Interrupted& e) {
    if (e.signal != SIGINT || !background_.is_at_work()) throw;
    input_.forgive(e.signal);
    stop();
    return Input::Event::Redraw;
  }
}

// ---- keys
std::vector<KeyLayer> Screen::layers() {
  if (overlay_) return {overlay_->overlay.keys, {this, overlay_keys(), KeysBelow::Dead}};
  std::vector<KeyLayer> layers;
  if (background_.is_at_work()) layers.push_back({this, at_work_keys()});
  add_keys(layers);
  layers.push_back({this, keys()});
  return layers;
}

KeyOwner* Screen::press(const Key& key) {
  for (const KeyLayer& layer : layers()) {
    if (layer.press(key)) {
      if (overlay_ && layer.owner != this) overlay_->scroll.top = 0;  // it shows something else now
      return layer.owner;
    }
    if (layer.below == KeysBelow::Dead) return nullptr;
  }
  say(fmt::format("{} means nothing here; ? shows the keys", name_of(key)));
  return nullptr;
}

std::vector<KeyHint> Screen::hints() {
  if (typing_) return typing_->prompt.hints;
  std::vector<KeyHint> hints;
  bool hidden = false;
  for (const KeyLayer& layer : layers()) {
    if (!hidden || layer.rows.data() == keys().data()) layer.add_hints(hints);
    if (layer.below == KeysBelow::Dead) break;
    hidden = hidden || layer.below == KeysBelow::Hidden;
  }
  return hints;
}

void Screen::ask(Prompt prompt) {
  TextField line(prompt.typed);
  typing_.emplace(Typing{std::move(prompt), std::move(line)});
}

void Screen::type(const Key& key) {
  using Kind = Key::Kind;
  auto& [prompt, line] = *typing_;
  if (prompt.first && prompt.first(key, line.lines()[0])) return;
  if (key.kind == Kind::Tab) return;
  if (key.kind != Kind::Enter && key.kind != Kind::Escape) return void(line.press(key));
  const Typing typed = std::move(*typing_);
  typing_.reset();
  key.kind == Kind::Enter ? typed.prompt.enter(typed.line.lines()[0]) : typed.prompt.escape();
}

bool Screen::scroll_by(const Key& key) { return scroll_.press(key, *body_, height_); }

// ---- a page over the page
void Screen::show_overlay(Overlay overlay) { overlay_.emplace(OpenOverlay{std::move(overlay)}); }

void Screen::show_help() {
  show_overlay({.lines = [this](size_t) { return help_lines(tables()); }});
}

bool Screen::scroll_overlay(const Key& key) {
  auto& [overlay, lines, scroll] = *overlay_;
  if (!key.is(' ') || !scroll.more_below(lines, height_)) return scroll.press(key, lines, height_);
  scroll.page_down(lines, height_);
  return true;
}

// ---- work in the background
void Screen::compute(const std::string& what, const BackgroundWork::Work& work,
                     std::function<void(const std::string&)> failed) {
  if (background_.is_at_work()) return say("Not yet: " + at_work_);
  at_work_ = what + " Esc stops it.";
  failed_ = std::move(failed);
  background_.start(work);
  if (background_.is_done(kShort)) finish();
}

void Screen::finish() {
  try {
    if (!background_.finish()) stopped();
  } catch (const std::exception& e) {
    failed_ ? failed_(message_of(e)) : say(message_of(e));
  }
}

void Screen::finish_if_done() {
  if (background_.is_at_work() && background_.is_done(0)) finish();
}

void Screen::stop() {
  background_.stop();
  at_work_ = "Stopping ...";
}

void Screen::lend_terminal(const std::function<void()>& run) {
  restore_terminal();
  try {
    run();
  } catch (const Error& e) {
    say(e.what());
  }
  terminal_.resume();
}

// ---- drawing
void Screen::draw() {
  const Output::Screen screen = out_.screen();
  const size_t columns = std::max<size_t>(screen.columns, 1);
  height_ = screen.lines > kAbove + kBelow ? screen.lines - kAbove - kBelow : 1;
  std::optional<Place> at;
  if (overlay_) {
    overlay_->lines = overlay_->overlay.lines(columns);
    if (const auto line = std::exchange(overlay_->overlay.line, {}))
      overlay_->scroll.show(*line, overlay_->lines, height_);
  } else {
    body_ = &body(columns, height_);
    if (at = cursor(); at) scroll_.show(at->line, *body_, height_);
  }
  const Lines& page = overlay_ ? overlay_->lines : *body_;
  size_t& top = overlay_ ? overlay_->scroll.top : scroll_.top;
  top = std::min(top, Scroll::last_top(page, height_));

  const Head head = this->head();
  const std::string words = overlay_ ? "" : searched(), map = this->map(columns - 1);
  std::vector<Line> lines{header(head, columns),
                          {{" " + cut(head.title, columns - 1), Style::Bold}},
                          map.empty() ? dashes(columns) : map_line(map)};
  for (size_t i = top; i < top + height_; ++i) {
    lines.push_back(i < page.size() ? page[i] : Line{});
    if (!words.empty()) highlight(lines.back(), words);
  }
  lines.push_back(rule(page, top, columns));
  lines.push_back(said(columns));
  lines.push_back(key_bar(hints(), columns));

  std::string bytes = kBeginFrame;
  const size_t shown = std::min(lines.size(), std::max<size_t>(screen.lines, 1));
  for (size_t i = 0; i < shown; ++i)  // erased first: after a full line the cursor is still on it
    bytes += "\033[K" + paint(lines[i], columns, palette_) + (i + 1 < shown ? "\r\n" : "");
  if (typing_)
    at = Place{std::max<size_t>(shown, 2) - 2, typing_->line.shown(typing_->prompt.words, columns).cursor};
  else if (at && at->line >= top && at->line < top + height_)
    at->line += kAbove - top;
  else
    at.reset();
  if (at) bytes += fmt::format("\033[{};{}H\033[?25h", at->line + 1, std::min(at->column + 1, columns));
  out_.control(bytes + kEndFrame);
  out_.flush();
}

Line Screen::header(const Head& head, size_t columns) const {
  const std::string left = " " + head.place;
  const std::string bar = fmt::format("{}[{:.<{}}] ", head.counted, std::string(head.filled, '='), kBar);
  const bool room = columns_of(left) + 2 + bar.size() <= columns;
  return {{left_aligned(left, columns - (room ? bar.size() : 0)) + (room ? bar : ""), Style::Reverse}};
}

// Returns a rule that says which lines are hidden.
Line Screen::rule(const Lines& page, size_t top, size_t columns) const {
  const size_t lines = page.size(), end = std::min(top + height_, lines);
  std::string text = "--";
  if (lines > height_) text += fmt::format(" lines {} to {} of {} ", top + 1, end, lines);
  const char* const key = typing_ ? "PgDn" : "Space";  // a space would be typed into the line
  const std::string more = end < lines ? fmt::format(" more: {} below, {} --", lines - end, key) : "";
  const size_t taken = text.size() + more.size();
  text += std::string(columns > taken ? columns - taken : 0, '-');
  return {{text, Style::Faint}, {more, Style::Bold}};
}

Line Screen::said(size_t columns) const {
  const std::string words = typing_             ? typing_->line.shown(typing_->prompt.words, columns).text
                            : !message_.empty() ? message_
                            : background_.is_at_work() ? at_work_
                                                       : "";
  return words.empty() ? foot(columns) : Line{{cut(words, columns), Style::Bold}};
}

}  // namespace glassgrad
