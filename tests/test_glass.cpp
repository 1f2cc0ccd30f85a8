// A program under glass: its numbers can be opened under the names that the program gave them, with their old
// values.
#include "engine/glass.h"

#include <thread>

#include "engine/autograd.h"
#include "support.h"

using namespace glassgrad;
using namespace testing;

TEST_CASE("a number opens in the names of the program") {
  Glass glass;
  const Tensor x = tensor({{1., 2.}, {3., 4.}}), w = tensor({{0.5, -1.}, {0.25, 2.}});
  glass.name(x, "x");
  glass.name(w, "w");
  const Tensor y = matmul(x, w.t());
  glass.name(y, "y");
  const std::string text = glass.why(y, {1, 0});
  INFO(text);
  CHECK(contains(text, "y[1,0]\n"));
  CHECK(contains(text, "x[1,0] · w[0,0]"));
  CHECK(contains(text, "x[1,1] · w[0,1]"));
  CHECK(contains(text, "= -2.5000"));
  CHECK(contains(glass.made_by(y), "y [2, 2] = mm(x [2, 2], "));
  CHECK(contains(glass.used_in(x), "y [2, 2] = mm("));
  CHECK(contains(glass.why(x, {0, 0}), "given"));
}

TEST_CASE("gradients under glass are opened like all tensors") {
  Glass glass;
  const Tensor w = leaf({1, -2}), x = leaf({3, 5});
  glass.name(w, "w");
  glass.name(x, "x");
  const Tensor scores = w * x, loss = sum(scores * scores);
  glass.name(scores, "scores");
  loss.backward();
  const std::string text = glass.why(w.grad(), {1});
  INFO(text);
  CHECK(contains(text, "w.grad[1]\n"));
  CHECK(contains(text, "scores.grad[1]"));
  CHECK(contains(text, "x[1]"));
  CHECK(contains(text, "= -100"));
}

TEST_CASE("a name belongs to the numbers that had it") {
  Glass glass;
  Tensor x = tensor({1., 2.});
  const Tensor first = x;
  glass.name(x, "x");
  x = x * 10;
  glass.name(x, "x");
  CHECK(contains(glass.why(x, {1}), "x#2[1]\n"));
  CHECK(contains(glass.why(x, {1}), "2.0000 · 10.0000"));
  CHECK(contains(glass.why(first, {1}), "x[1]\n"));
  glass.name(x, "also");
  CHECK(contains(glass.why(x, {0}), "also called"));
  fill_(x, 3);  // these are new numbers, which have no name
  CHECK(contains(glass.why(x, {0}), "fill_ 1[0]\n"));
}

TEST_CASE("what was seen stays as it was when somebody writes over it") {
  const Tensor w = tensor({2., 3.});
  Glass glass;
  glass.name(w, "w");
  const Tensor y = w * w;
  glass.stop();
  fill_(w, 100);
  std::thread([&] { fill_(w.slice(0, 0, 1), 7); }).join();
  const std::string text = glass.why(y, {1}, {.depth = 2});
  INFO(text);
  CHECK(contains(text, "w[1] = 3."));
  CHECK(contains(glass.why(w, {1}), "did not watch"));
  CHECK(contains(glass.made_by(w), "did not watch"));
  const Tensor z = w + 1;  // not watched any more
  CHECK(contains(error_of([&] { glass.why(z, {0}); }), "ValueError: nothing under this glass"));
}

TEST_CASE("a write that is refused leaves what was seen as it was") {
  for (const bool stopped : {false, true})
    for (const bool small : {false, true}) {  // small: the write keeps the old elements; else it copies all
      CAPTURE(stopped);
      CAPTURE(small);
      Glass glass;
      const Tensor all = ones({small ? 300 : 3}) * 2, v = all.slice(0, 0, 3);
      glass.name(all, "all");
      if (stopped) glass.stop();
      const std::string before = glass.why(all, {0});
      CHECK(contains(before, "all[0]\n"));
      const std::function<void()> refused[] = {
          [&] {
            mul_(v, ones({3, 3}));
          },
          [&] { add_(v, ones({2})); },
          [&] { copy_(v, ones({2})); },
          [&] { masked_fill_(v, ones({3}), ones({})); },
      };
      for (const auto& write : refused) {
        CHECK_THROWS_AS(write(), Error);
        CHECK(glass.why(all, {0}) == before);
        CHECK_THROWS_AS(write(), Error);
        CHECK_THROWS_AS(write(), Error);
        CHECK(glass.why(all, {0}) == before);
      }
      const Tensor kept = all * 1;
      CHECK_THROWS_AS(refused[0](), Error);
      fill_(v, 7);
      CHECK(contains(glass.why(all, {0}), stopped ? "did not watch" : "fill_"));
      if (!stopped) CHECK(contains(glass.why(kept, {1}, {.depth = 2}), "all[1]"));
    }
}

TEST_CASE("in-place writes through views are followed") {
  Glass glass;
  const Tensor x = zeros({3, 3});
  glass.name(x, "x");
  fill_(x[1], 5);
  mul_(x.select(1, 2), 2);
  glass.name(x, "x");
  CHECK(contains(glass.why(x, {1, 2}, {.depth = 2}), "fill_"));
  CHECK(contains(glass.why(x, {1, 2}), "· 2"));
  CHECK(contains(glass.why(x, {0, 0}), "zeros"));
  CHECK(contains(glass.made_by(x), "fill_ 1"));
}

TEST_CASE("glasses stand beside each other and beside other observers") {
  Glass outer;
  const Tensor x = tensor({1., 2.}), y = x + 1;
  auto inner = std::make_unique<Glass>();
  const Tensor z = y * 2;
  outer.stop();  // before inner, which was opened later
  const Tensor t = z * z;
  CHECK(contains(inner->why(t, {0}), "= 16"));
  CHECK(contains(outer.why(z, {0}), "= 4"));
  CHECK(contains(error_of([&] { outer.why(t, {0}); }), "nothing under this glass"));
  inner.reset();
  CHECK(watching == nullptr);
}

TEST_CASE("questions about a glass say what is wrong with them") {
  Glass glass;
  const Tensor x = ones({2, 2}) + 1;
  CHECK(contains(error_of([&] { glass.why(x, {0}); }), "IndexError: 1 indices for a tensor of shape [2, 2]"));
  CHECK(contains(error_of([&] { glass.why(x, {0, 2}); }), "IndexError: index 2 is out of range"));
  CHECK(contains(error_of([&] { glass.why(Tensor(), {}); }), "ValueError: no tensor"));
  Tensor y = rand({6, 6});
  for (int i = 0; i < 8; ++i) y = matmul(y, y);
  CHECK(contains(error_of([&] { glass.why(y, {0, 0}, {.depth = 20}); }), "smaller depth"));
}

TEST_CASE("a glass gives its memory back with it") {
  const int64_t before = Storage::alive();
  {
    Glass glass;
    Tensor x = rand({10, 10});
    for (int i = 0; i < 20; ++i) x = softmax(matmul(x, x), -1);
    CHECK(Storage::alive() > before + 20);
  }
  CHECK(Storage::alive() == before);
}

TEST_CASE("what an op computes is the same under glass") {
  const Tensor x = rand({64, 64}), w = rand({64, 64});
  const auto run = [&] { return softmax(matmul(x, w.t()) / 8, -1).to_vector<double>(); };
  const auto plain = run();
  const Glass glass;
  CHECK(run() == plain);
}
