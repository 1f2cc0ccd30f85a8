// The events that observers get for every op.
#include <fmt/ranges.h>

#include <algorithm>

#include "nn/journey.h"
#include "support.h"

using namespace glassgrad;
using namespace testing;

namespace {

struct Printer : AttrVisitor {
  std::string text;
  void add(const char* name, const std::string& value) {
    text += (text.empty() ? "" : " ") + std::string(name) + "=" + value;
  }
  void operator()(const char* name, int64_t value) override { add(name, std::to_string(value)); }
  void operator()(const char* name, double value) override { add(name, python_float(value)); }
  void operator()(const char* name, bool value) override { add(name, value ? "true" : "false"); }
  void operator()(const char* name, const Dims& value) override { add(name, to_string(value)); }
};

// Records the events that it gets.
struct Recorder : Observer {
  struct Event {
    std::string name, attributes, backward_of;
    std::vector<uint64_t> in;
    uint64_t out;
    uint32_t version;
    Numbers result;
  };
  std::vector<Event> events;
  std::vector<std::string> scopes, names, log;
  std::vector<Numbers> before_writes;

  void op(const Call& call) override {
    Printer printer;
    call.attr.each(printer);
    Event e{call.op.name,
            printer.text,
            call.backward_of ? call.backward_of->name() : "",
            {},
            call.out[0]->storage->id,
            call.out[0].version(),
            numbers(call.out[0])};
    for (const Tensor* t : call.in) e.in.push_back(*t ? (*t)->storage->id : 0);
    events.push_back(e);
    log.push_back(e.name);
  }
  void before_write(const Tensor& x) override {
    before_writes.push_back(numbers(x));
    log.push_back("before_write");
  }
  void scope(const char* name, bool enter) override {
    scopes.push_back((enter ? "+" : "-") + std::string(name));
  }
  void named(const Tensor& x, const char* name) override {
    names.push_back(name + std::string(" ") + to_string(x.shape()));
  }
  void backward(const Node& node, std::span<const Tensor> grads, std::span<const Tensor> out) override {
    log.push_back(fmt::format("backward of {} {}->{}", node.name(), grads.size(), out.size()));
  }
  void accumulate(const Node& node, const Tensor&, const Tensor&) override {
    log.push_back(std::string("accumulate into ") + node.name());
  }

  std::vector<std::string> ops() const {
    std::vector<std::string> all;
    for (const Event& e : events) all.push_back(e.name);
    return all;
  }
};
std::string joined(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, " ")); }

}  // namespace

TEST_CASE("observers see every op with its inputs output and attributes") {
  Recorder r;
  const Tensor x = tensor({{1., 2.}, {3., 4.}}), w = ones({2, 2});
  {
    const Watch watch(&r);
    const Tensor y = matmul(x, w);
    softmax(y, -1);
    sum(y, {0, 1}, true);
    x.transpose(0, -1);
    clamp(x, 2);
  }
  x + 1;  // nobody watches any more
  REQUIRE(joined(r.ops()) == "mm softmax sum transpose clamp");
  CHECK(r.events[0].in == std::vector<uint64_t>{x->storage->id, w->storage->id});
  CHECK(r.events[0].result == Numbers{3, 3, 7, 7});
  CHECK(r.events[1].in == std::vector<uint64_t>{r.events[0].out});
  CHECK(r.events[1].attributes == "dim=1");
  CHECK(contains(r.events[2].attributes, "[0, 1]"));
  CHECK(contains(r.events[3].attributes, "dim0=0 dim1=1"));
  CHECK(r.events[3].out == x->storage->id);  // a view
}

TEST_CASE("in-place ops announce themselves before they write") {
  Recorder r;
  const Tensor x = tensor({1., 2.});
  const Watch watch(&r);
  mul_(x, 10);
  fill_(x.slice(0, 1, {}), 5);
  CHECK(joined(r.log) == "before_write mul slice before_write fill_");
  CHECK(r.before_writes == std::vector<Numbers>{{1, 2}, {20}});
  CHECK(r.events[0].version == 1);
  CHECK(r.events[2].version == 2);
}

TEST_CASE("random ops pass the door") {
  Recorder r;
  const Watch watch(&r);
  manual_seed(1);
  rand(3);
  randint(0, 5, 3);
  normal_(empty(3));
  multinomial(ones(3), 1);
  const auto ops = r.ops();
  for (const char* name : {"rand", "randint", "normal_", "multinomial"})
    CHECK_MESSAGE(std::find(ops.begin(), ops.end(), name) != ops.end(), name);
}

TEST_CASE("the ops of a backward name the node they work for") {
  const Tensor x = leaf({1, 2}), y = x * x, z = sum(y);
  Recorder r;
  {
    const Watch watch(&r);
    z.backward();
  }
  CHECK(in_backward_of == nullptr);
  bool mul = false;
  for (const auto& e : r.events) {
    CHECK_FALSE((e.name != "ones_like" && e.backward_of.empty()));
    mul = mul || (e.name == "mul_backward" && e.backward_of == "MulBackward0");
  }
  CHECK(mul);
  const auto has = [&](const std::string& event) {
    return std::find(r.log.begin(), r.log.end(), event) != r.log.end();
  };
  CHECK(has("backward of SumBackward0 1->1"));
  CHECK(has("backward of MulBackward0 1->2"));
  CHECK(has("accumulate into torch::autograd::AccumulateGrad"));
}

TEST_CASE("an addition to an existing grad is shown") {
  const Tensor x = leaf(1.);
  (x + 0).backward();
  Recorder r;
  const Watch watch(&r);
  (x + 0).backward();
  CHECK(std::count(r.log.begin(), r.log.end(), "accumulate into torch::autograd::AccumulateGrad") == 1);
}

TEST_CASE("composed functions are scopes around their ops") {
  Recorder r;
  const Watch watch(&r);
  linear(ones({2, 3}), ones({4, 3}), ones(4));
  matmul(ones({2, 2, 3}), ones({2, 3, 4}));
  CHECK(contains(joined(r.scopes), "+linear -linear"));
  CHECK(contains(joined(r.scopes), "+matmul -matmul"));
  const std::string ops = joined(r.ops());
  CHECK(contains(ops, "t addmm"));
  CHECK(contains(ops, "bmm"));
}

TEST_CASE("scopes close when an exception leaves them") {
  Recorder r;
  const Watch watch(&r);
  error_of([] {
    const Scope scope("outer");
    fail("stop");
  });
  CHECK(joined(r.scopes) == "+outer -outer");
}

TEST_CASE("named ties a name to a value") {
  Recorder r;
  const Tensor x = ones({2, 3});
  const Watch watch(&r);
  CHECK(named(x, "queries").ref() == x.ref());
  CHECK(joined(r.names) == "queries [2, 3]");
}

TEST_CASE("a module names its parameters and its intermediates") {
  manual_seed(789);
  const nn::journey::SelfAttention_v1 attention(3, 2);
  const Tensor x = rand({6, 3});
  Recorder r;
  {
    const Watch watch(&r);
    attention(x);
  }
  const std::string names = joined(r.names);
  for (const char* name : {"W_query [3, 2]", "queries [6, 2]", "keys [6, 2]", "values [6, 2]",
                           "attn_scores [6, 6]", "attn_weights [6, 6]", "context_vec [6, 2]"})
    CHECK_MESSAGE(contains(names, name), name, " is not among ", names);
  REQUIRE(!r.scopes.empty());
  CHECK(r.scopes.front() == "+SelfAttention_v1");
  CHECK(r.scopes.back() == "-SelfAttention_v1");
}

TEST_CASE("an observer that runs ops is not shown them") {
  struct Busy : Observer {
    int seen = 0;
    void op(const Call& call) override {
      ++seen;
      sum(call.out[0] + 1).item();
    }
  } busy;
  const Watch watch(&busy);
  const Tensor y = ones(3) * 2;
  CHECK(busy.seen == 2);
  CHECK(numbers(y) == Numbers{2, 2, 2});
}

TEST_CASE("watching is undone by scope and by thread") {
  Recorder outer, inner;
  const Watch watch(&outer);
  ones(1);
  {
    const Watch other(&inner);
    ones(1);
    const Watch nobody(nullptr);
    ones(1);
  }
  ones(1);
  CHECK(outer.events.size() == 2);
  CHECK(inner.events.size() == 1);
}

TEST_CASE("an observer changes no bit of a result") {
  const auto run = [] {
    manual_seed(3);
    const Tensor x = randn({4, 5}).requires_grad_();
    const Tensor y = sum(softmax(matmul(x, x.t()), -1) * rand({4, 4}));
    y.backward();
    Numbers all = numbers(x.grad());
    all.push_back(y.item());
    return all;
  };
  Recorder r;
  const Numbers plain = run();
  const Watch watch(&r);
  CHECK(run() == plain);
}

TEST_CASE("an exception of an observer leaves watching as it was") {
  struct Strict : Observer {
    void op(const Call& call) override {
      check<ValueError>(std::string(call.op.name) != "exp", "no exp here");
    }
  } strict;
  const Watch watch(&strict);
  CHECK(error_of([] { exp(ones(2)); }) == "ValueError: no exp here");
  CHECK(watching == &strict);
}
