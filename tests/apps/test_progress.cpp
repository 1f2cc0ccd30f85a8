// The progress file: old and damaged files, two sessions at once, and the days on which questions come back.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "apps/cli/text_width.h"
#include "apps/lesson/document.h"
#include "apps/lesson/lesson.h"
#include "apps/lessons/path.h"
#include "apps/stepper/lesson_list.h"
#include "apps/stepper/progress.h"
#include "apps/stepper/review.h"
#include "tests/support.h"

using namespace glassgrad;
using namespace glassgrad::learn;
namespace fs = std::filesystem;

namespace {

class State {
 public:
  State() {
    std::string path = (fs::temp_directory_path() / "glassgrad-state-XXXXXX").string();
    REQUIRE(::mkdtemp(path.data()));
    folder_ = path;
    if (const char* const before = std::getenv("XDG_STATE_HOME")) before_ = before;
    ::setenv("XDG_STATE_HOME", path.c_str(), 1);
    fs::create_directories(folder_ / "glassgrad");
  }
  ~State() {
    before_ ? ::setenv("XDG_STATE_HOME", before_->c_str(), 1) : ::unsetenv("XDG_STATE_HOME");
    fs::remove_all(folder_);
  }
  fs::path file(const char* name = "progress.json") const { return folder_ / "glassgrad" / name; }
  void write(std::string_view text) const { std::ofstream(file()) << text; }
  std::string read(const char* name = "progress.json") const {
    std::stringstream text;
    text << std::ifstream(file(name)).rdbuf();
    return text.str();
  }

 private:
  fs::path folder_;
  std::optional<std::string> before_;
};

Day day(unsigned d) { return std::chrono::year(2026) / 11 / std::chrono::day(d); }
GivenReply wrong(unsigned d) { return {day(d), false}; }
GivenReply right(unsigned d) { return {day(d), true}; }

}  // namespace

TEST_CASE("progress - a file of an older version is taken over") {
  const State state;
  state.write(R"({"last": "journey", "lessons": {"journey": "masked-scores", "cat": "scale"}})");
  Progress progress(true);
  CHECK(progress.last_lesson() == "journey");
  CHECK(progress.step_of("journey") == "masked-scores");
  CHECK(progress.step_of("cat") == "scale");
  CHECK_FALSE(progress.step_of("climb"));
  progress.note("start", "weights", false);
  progress.answered("journey", "a:b[0]", wrong(20));
  CHECK(progress.save() == "");
  const Progress again(true);
  CHECK(again.step_of("cat") == "scale");
  CHECK(again.step_of("start") == "weights");
  CHECK(again.last_lesson() == "journey");
  CHECK(again.of("journey").seen == std::set<std::string>{"masked-scores"});
  CHECK(again.of("journey").wrong() == 1);
  CHECK(again.text() == state.read());
}

TEST_CASE("progress - a damaged file is kept aside and said once") {
  const State state;
  for (const char* text : {"{", "[1]", "\xff\xfe", R"({"last": 3})", R"({"lessons": {"journey": []}})",
                           R"({"lessons": {"journey": {"questions": {"x": ["2026-13-01 wrong"]}}}})"}) {
    state.write(text);
    Progress progress(true);
    CHECK(progress.take_remark().find("progress.json.damaged") != std::string::npos);
    CHECK(progress.take_remark() == "");
    CHECK_FALSE(fs::exists(state.file()));
    CHECK(progress.save() == "");
  }
  CHECK(state.read("progress.json.damaged") == "{");
  CHECK(state.read("progress.json.damaged-2") == "[1]");
  // The file is damaged during a session.
  state.write("{}");
  Progress progress(true);
  progress.note("journey", "scores", false);
  CHECK(progress.save() == "");
  state.write("{\"last");
  progress.note("cat", "scale", false);
  CHECK(progress.save() == "");
  CHECK(progress.take_remark() != "");
  CHECK(Progress(true).step_of("journey") == "scores");
}

TEST_CASE("progress - sessions beside each other and none") {
  const State state;
  Progress one(true), two(true);
  one.note("journey", "scores", false);
  one.answered("journey", "a:b[0]", wrong(20));
  two.note("cat", "scale", false);
  two.note("journey", "weights", false);
  two.answered("journey", "a:b[0]", right(20));
  CHECK((one.save() == "" && two.save() == ""));
  const Progress both(true);
  CHECK(both.of("journey").seen == std::set<std::string>{"scores", "weights"});
  CHECK(both.step_of("cat") == "scale");
  CHECK(both.of("journey").questions.at("a:b[0]").replies.size() == 2);
  Progress nowhere(false);
  nowhere.note("climb", "x", false);
  CHECK(nowhere.save() == "");
  CHECK_FALSE(Progress(true).step_of("climb"));
  {
    Progress known(Progress::Access::Read);
    CHECK(known.step_of("cat") == "scale");
    known.note("climb", "x", false);
    CHECK(known.save() == "");
    CHECK_FALSE(Progress(true).step_of("climb"));
  }
  Progress reset(true);
  CHECK(reset.reset() == "");
  CHECK(Progress(true).lessons().empty());
}

TEST_CASE("progress - a question comes back after 1 and 3 and 7 days") {
  History h;
  CHECK_FALSE(h.due());
  h.replies = {right(1)};
  CHECK_FALSE(h.due());
  h.replies = {wrong(1)};
  CHECK(h.due() == day(2));
  h.replies = {wrong(1), right(1)};  // not its day yet
  CHECK(h.due() == day(2));
  h.replies = {wrong(1), right(2)};
  CHECK(h.due() == day(5));
  h.replies = {wrong(1), right(2), right(6)};
  CHECK(h.due() == day(13));
  h.replies = {wrong(1), right(2), right(6), right(13)};
  CHECK_FALSE(h.due());
  h.replies = {wrong(1), right(2), wrong(6)};
  CHECK(h.due() == day(7));
  CHECK(day_of("2026-02-28") == std::chrono::year(2026) / 2 / 28);
  for (const char* text : {"2026-02-29", "2026-2-01", "26-02-01", "2026-02-1x", ""})
    CHECK_FALSE(day_of(text));
  CHECK(text_of(day(5)) == "2026-11-05");
}

TEST_CASE("progress - the list has a line for each lesson and says what comes next") {
  const State state;
  Progress progress(true);
  const auto lines = [](const std::string& text) { return std::count(text.begin(), text.end(), '\n'); };
  CHECK(lines(lesson_list(progress)) == std::ssize(stops()) + 7);  // four headings and the lines between them
  CHECK(what_comes_next(progress, day(1)) == "Next: start: glassgrad start\n");
  progress.note("cat", find_lesson("cat").document->steps[3].id, false);
  progress.answered("cat", "a:b[0]", wrong(1));
  CHECK(what_comes_next(progress, day(2)) ==
        "1 question is due: glassgrad review\nNext: start: glassgrad start\n");
  CHECK(due_questions(progress, day(1)).empty());
  CHECK(lesson_list(progress).find("1/29") != std::string::npos);
  progress.note("journey", find_lesson("journey").document->steps[3].id, false);
  CHECK(what_comes_next(progress, day(1)).starts_with("Next: journey, step 3 of "));
}

TEST_CASE("progress - the path goes on where the learner was and behind what is done") {
  const State state;
  Progress progress(true);
  const auto present = [&] { return progress.present() ? progress.present()->name : "nothing"; };
  CHECK(present() == "start");
  progress.note("start", "guess", false);
  progress.note("journey", "scores-2", false);
  progress.note("cat", "scale", false);  // off the path
  CHECK(present() == "journey");
  CHECK(progress.save() == "");
  CHECK(Progress(true).present()->name == "journey");
  progress.note("journey", "product-per-head", true);
  CHECK(present() == "build attention");
  CHECK(progress.next_after("start")->name == "build attention");
  CHECK(progress.next_after("journey")->name == "build attention");
  CHECK(progress.next_after("cat") == nullptr);  // off the path
  progress.note_course("build.attention", "dot", {"dot"}, false);
  CHECK(path_bar(progress, "build.attention", 200)[0].starts_with(
      "start › journey ✓ › [build attention 1/13] › gpt › "));
  for (const std::string& line : path_bar(progress, "build.attention", 40)) CHECK(columns_of(line) <= 40);
  for (const Stop* stop = &stops().front(); stop; stop = path_after(stop->id))
    progress.note_course(stop->id, "x", {}, true);
  CHECK(present() == "nothing");
}

TEST_CASE("path - its order and neighbours and what addresses mean") {
  CHECK(stops().front().name == "start");
  CHECK(path_after("start") == stop_called("journey"));
  CHECK(path_after("build.attention") == stop_called("learn gpt"));
  CHECK(path_after("cat") == nullptr);
  CHECK(stop_beside("start", false) == nullptr);
  CHECK(stop_beside("nowhere", true) == nullptr);
  for (const Stop& stop : stops())
    if (const Stop* next = stop_beside(stop.id, true)) CHECK(stop_beside(next->id, false) == &stop);
  const auto leads = [](std::string_view link) {
    const Target target = target_of(link);
    return (target.stop ? target.stop->name : "") + "|" + target.step;
  };
  CHECK(leads("rnn.why.md#fixed-size-state") == "rnn.why|fixed-size-state");
  CHECK(leads("rnn.why#fixed-size-state") == "rnn.why|fixed-size-state");
  CHECK(leads("#inputs") == "|inputs");
  CHECK(leads("build gpt") == "build gpt|");
  CHECK(leads("build gpt#loss") == "build gpt|loss");
  CHECK(leads("nowhere.md#inputs") == "|");
  CHECK(leads("https://example.org/#x") == "|");
}
