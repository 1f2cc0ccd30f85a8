// Snapshots keep tensors as they were, whatever is written later.

#include "engine/glass/recorder.h"
#include "engine/ops.h"
#include "support.h"

using namespace glassgrad;
using namespace testing;

namespace {

// A matrix that is written part by part. Takes a snapshot and a full copy before each write.
struct Written {
  Tensor x = to(arange(0, 40 * 50), float32).view({40, 50});
  Snapshots snapshots;
  std::vector<std::pair<Snapshot, Tensor>> before;

  void write(const Tensor& part, const Tensor& value) {
    before.emplace_back(snapshots.take(x), clone(x));
    before.emplace_back(snapshots.take(part), clone(part));
    before.emplace_back(snapshots.take(x.t()), clone(x.t()));
    snapshots.before_write(part);
    fill_(part, value);
  }
  void check() const {
    for (const auto& [snapshot, copy] : before) {
      CHECK(numbers(snapshot.tensor()) == numbers(copy));
      CHECK(snapshot.tensor().shape() == copy.shape());
    }
  }
};

}  // namespace

TEST_CASE("snapshots keep what later writes overwrite") {
  Written w;
  for (int64_t i = 0; i < 30; ++i) {
    w.write(w.x[i][i], -1);                               // a number
    w.write(w.x[i], i);                                   // a row
    w.write(w.x.select(1, i), 100 + i);                   // a column, across the rows before
    w.write(w.x.slice(0, 0, 40, 7).slice(1, 3, 9), 0.5);  // a part with gaps
  }
  w.write(w.x, 7);  // all of it
  w.write(w.x[0][0], 8);
  w.check();
}

TEST_CASE("a loop over the elements of a matrix keeps its elements and lets go of them without recursion") {
  constexpr int64_t kSize = 100;
  Recorder recorder;
  {
    const Watch watch(&recorder);
    const Tensor x = zeros({kSize, kSize});
    for (int64_t i = 0; i < kSize * kSize; ++i) fill_(x[i / kSize][i % kSize], i);
  }
  std::vector<Snapshot> after;
  for (const RecordedCall& call : recorder.calls())
    if (std::string_view(call.op->name) == "fill_") after.push_back(call.out[0]);
  REQUIRE(after.size() == size_t(kSize * kSize));
  for (const int64_t i : {0, 1, 99, 100, 4094, 4095, 4096, 4097, 8192, 9999})
    CHECK(after[size_t(i)].tensor().item() == double(i));
  // The whole matrix as it was after write 5000.
  Snapshot whole = after[5000];
  whole.offset = 0;
  whole.geometry = recorder.calls()[0].out[0].geometry;
  const Tensor expected = where(arange(0, kSize * kSize) <= 5000, to(arange(0, kSize * kSize), float32), 0.0);
  CHECK(numbers(whole.tensor()) == numbers(expected));
  CHECK(recorder.writer(whole, {50, 0})->call == recorder.writer(after[5000], {})->call);
}
