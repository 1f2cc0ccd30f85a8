// Batches of a dataset: compares the positions with PyTorch's draws, and checks the tokens at them.
#include "apps/text/dataset.h"
#include "tests/golden.h"

using namespace glassgrad;

namespace {

// Token i is i·7 mod 1009, so that a batch shows from where it was taken.
class Pattern : public TokenSequence {
 public:
  explicit Pattern(int64_t size) : size_(size) {}
  int64_t size() const override { return size_; }
  void read(int64_t at, std::span<int64_t> to) const override {
    for (int64_t& token : to) token = at++ * 7 % 1009;
  }

 private:
  int64_t size_;
};

}  // namespace

GOLDEN("dataset batches") {
  const Dataset data(std::make_unique<Pattern>(args["n"]), args["validation"]);
  Generator g(args["generator"].get<int64_t>());
  for (const Part part : {Part::Training, Part::Training, Part::Validation}) {
    const Batch batch = data.batch(part, args["B"], args["T"], g);
    golden::print(batch.inputs);
    golden::print(batch.targets);
  }
}

TEST_CASE("PyTorch batches") { golden::check_group("dataset"); }
