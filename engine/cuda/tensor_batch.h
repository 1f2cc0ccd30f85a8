// One launch for up to 64 tensors, most of which are too small to keep a GPU busy. For .cu files only.
#pragma once
#include <span>

#include "packs.h"

namespace glassgrad::cuda {

#ifdef GG_CUDA_EMULATED
#define GG_IN_PLACE
#else
#define GG_IN_PLACE __grid_constant__  // read in place, with any index
#endif

constexpr int kMost = 64;  // tensors per launch: their descriptions are kernel parameters
constexpr unsigned kManyThreads = 256;
constexpr int64_t kOfBlock = 4096;  // numbers of one tensor that a block takes

// Item is the work on one tensor. The threads of a block call run(begin, end) for their range of its numbers.
template <class Item>
struct TensorBatch {
  struct Entry {
    Item item;
    int64_t n, first_block;
  };
  Entry entries[kMost];
  int count = 0;
  int64_t blocks = 0;

  void add(const Item& item, int64_t n, int64_t of_item) {
    entries[count++] = {item, n, blocks};
    blocks += of_item;
  }
  void add(const Item& item, int64_t n) { add(item, n, (n + kOfBlock - 1) / kOfBlock); }

  // Returns the last tensor that begins at this block or before it.
  __device__ const Entry& of_block(int64_t block) const {
    int at = 0;
    for (int end = count; end - at > 1;) {
      const int middle = (at + end) / 2;
      if (entries[middle].first_block <= block)
        at = middle;
      else
        end = middle;
    }
    return entries[at];
  }
};

template <class Item>
__global__ void __launch_bounds__(kManyThreads) run_many(const GG_IN_PLACE TensorBatch<Item> all) {
  const auto& x = all.of_block(blockIdx.x);
  const int64_t begin = (int64_t(blockIdx.x) - x.first_block) * kOfBlock;
  x.item.run(begin, x.n - begin < kOfBlock ? x.n : begin + kOfBlock);
}

template <class Item>
void launch_many(const char* name, const TensorBatch<Item>& many) {
  if (many.blocks == 0) return;
  void (*const kernel)(TensorBatch<Item>) = run_many<Item>;
  launch(name, kernel, {dim3(unsigned(many.blocks)), kManyThreads}, many);
}

// Calls f(many) for the tensors of a list, up to 64 at a time; add(many, x) adds one to it.
template <class Item, class X, class Add, class F>
void in_groups(std::span<const X> all, Add add, F f) {
  for (size_t at = 0; at < all.size(); at += kMost) {
    TensorBatch<Item> many;
    for (const X& x : all.subspan(at, all.size() - at < kMost ? all.size() - at : kMost)) add(many, x);
    f(many);
  }
}

}  // namespace glassgrad::cuda
