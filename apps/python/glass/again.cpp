#include "again.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "apps/lesson/cancel.h"
#include "apps/python/host/passes.h"
#include "engine/glass/archive.h"
#include "engine/io/file.h"

namespace glassgrad::python {
namespace {

using learn::InputPoke, learn::Value;

// Reads or writes all fields of a run, in the same order for both.
class RunArchive {
 public:
  explicit RunArchive(Archive& a) : a_(a) {}

  void run(ScriptRun& r) {
    a_.recorder(*r.trace, python_op);
    each(r.files, [&](RunFile& f) { a_(f.name), a_(f.stem), list(f.lines); });
    each(r.functions, [&](RunFunction& f) { a_(f.file), a_(f.name); });
    each(r.lines, [&](RunLine& l) { line(l); });
    each(r.given, [&](learn::Entry& e) {
      if (!e.value) e.value.emplace();
      a_(e.name), value(*e.value);
    });
    each(r.passes, [&](RunBackwardPass& p) { a_(p.line), value(p.from), a_(p.first), a_(p.last); });
    a_(r.before), a_(r.first_round);
    list(r.remarks);
  }

 private:
  template <class List, class F>
  void each(List& all, F f) {
    size_t n = all.size();
    a_(n);
    for (size_t k = 0; k < n; ++k) {
      if (!a_.writes()) all.emplace_back();
      f(all[k]);
    }
  }
  void list(std::vector<std::string>& texts) {
    each(texts, [&](std::string& s) { a_(s); });
  }
  void value(Value& v) {
    a_(static_cast<Snapshot&>(v));
    a_(v.grad_fn), a_(v.requires_grad), a_(v.is_parameter), a_(v.node), a_(v.made_by), a_(v.nr);
  }
  void line(RunLine& l) {
    a_(l.function), a_(l.line), a_(l.last), a_(l.is_entry), a_(l.turn), a_(l.first_call), a_(l.end_call);
    a_(l.caller), a_(l.called_at);
    std::vector<Round> rounds = l.rounds ? *l.rounds : std::vector<Round>();
    each(rounds, [&](Round& r) { a_(r.loop), a_(r.number), a_(r.variables); });
    if (!a_.writes() && !rounds.empty()) l.rounds = std::make_shared<const std::vector<Round>>(rounds);
    each(l.values, [&](NamedValue& v) { a_(v.name), value(v.value), a_(v.shared_with), a_(v.is_same); });
    a_(l.printed), a_(l.raised);
  }

  Archive& a_;
};

void change(Archive& a, learn::Patch& change) {
  size_t n = change.pokes.size();
  a(n);
  change.pokes.resize(n);
  for (Poke& p : change.pokes) a(p);
  n = change.given.size();
  a(n);
  change.given.resize(n);
  for (InputPoke& p : change.given) a(p.name), a(p.index), a(p.value), a(p.adds);
}

void send(int socket, const std::string& bytes) {
  const size_t n = bytes.size();
  std::string all(reinterpret_cast<const char*>(&n), sizeof n);
  all += bytes;
  for (size_t at = 0; at < all.size();) {
    const ssize_t sent = ::send(socket, all.data() + at, all.size() - at, MSG_NOSIGNAL);
    check(sent > 0 || errno == EINTR, "the process that runs the program again is gone");
    if (sent > 0) at += size_t(sent);
  }
}

// Receives exactly n bytes. Throws Cancelled once nobody waits for them any more.
void receive(int socket, void* to, size_t n) {
  constexpr int kPatience = 20;  // milliseconds
  for (size_t at = 0; at < n;) {
    pollfd ready{.fd = socket, .events = POLLIN, .revents = 0};
    if (::poll(&ready, 1, kPatience) <= 0) {
      learn::throw_if_cancelled();
      continue;
    }
    const ssize_t got = ::recv(socket, static_cast<char*>(to) + at, n - at, 0);
    check(got > 0 || (got < 0 && errno == EINTR), "the process that runs the program again is gone");
    if (got > 0) at += size_t(got);
  }
}

std::string content_of(int file) {
  const off_t size = ::lseek(file, 0, SEEK_END);
  std::string bytes(size > 0 ? size_t(size) : 0, '\0');
  for (size_t at = 0; at < bytes.size();) {
    const ssize_t got = ::pread(file, bytes.data() + at, bytes.size() - at, off_t(at));
    check(got > 0, "what the program's new run has recorded cannot be read");
    at += size_t(got);
  }
  return bytes;
}

}  // namespace

std::string serialize_request(const RerunRequest& asked) {
  learn::Patch copy{.pokes = asked.change.pokes, .given = asked.change.given};
  KeptRounds keep = asked.keep;
  Archive a;
  change(a, copy);
  a(keep);
  return a.written();
}

RerunRequest parse_request(const std::string& request) {
  RerunRequest asked;
  Archive a(request);
  change(a, asked.change);
  a(asked.keep);
  return asked;
}

std::string serialize_run(ScriptRun& run) {
  Archive a;
  RunArchive(a).run(run);
  return a.written();
}

ScriptRun parse_run(std::string_view bytes) {
  ScriptRun run;
  run.trace = std::make_shared<Recorder>();
  Archive a(bytes);
  RunArchive(a).run(run);
  return run;
}

ScriptRun run_again(int socket, int result, const RerunRequest& asked) {
  send(socket, serialize_request(asked));
  pid_t worker = 0;
  char how = 0;  // 'r': it has run; 'x': it has failed, and the file says why
  try {
    receive(socket, &worker, sizeof worker);
    receive(socket, &how, sizeof how);
  } catch (const learn::Cancelled&) {
    if (worker > 0) ::kill(worker, SIGKILL);
    char rest = 0;
    while (::recv(socket, &rest, 1, 0) < 0 && errno == EINTR) {
    }
    throw;
  }
  const std::string bytes = content_of(result);
  if (how != 'r') fail("{}", bytes.empty() ? "the program's new run has ended too soon" : bytes);
  return parse_run(bytes);
}

}  // namespace glassgrad::python
