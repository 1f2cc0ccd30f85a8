#include "autocast.h"

namespace glassgrad {

thread_local constinit DType autocast_dtypes[3] = {float32, float32, float32};

namespace {

thread_local constinit const AutocastCache* ahead = nullptr;

}  // namespace

AutocastCache::AutocastCache(const std::vector<std::vector<Tensor>>& groups) : before_(ahead) {
  std::vector<std::vector<Tensor>> lowers_all;
  for (const std::vector<Tensor>& group : groups)
    if (group[0] && lowers({&group[0]})) lowers_all.push_back(group);
  if (lowers_all.empty()) return;
  const DType half = autocast_dtype(lowers_all[0][0].device().type);
  const std::vector<Tensor> halves = to_all(lowers_all, half);
  for (size_t i = 0; i < halves.size(); ++i)
    halves_.emplace(lowers_all[i][0].ref().get(), Half{lowers_all[i].size(), halves[i]});
  ahead = this;
}
AutocastCache::~AutocastCache() { ahead = before_; }

Tensor lowered_rows(const std::vector<Tensor>& group) {
  const Tensor& first = group[0];
  const bool is_lowered = lowers({&first});
  if (is_lowered && ahead)
    if (const auto found = ahead->halves_.find(first.ref().get());
        found != ahead->halves_.end() && found->second.count == group.size())
      return found->second.rows;
  if (group.size() == 1) return is_lowered ? to(first, autocast_dtype(first.device().type)) : first;
  std::vector<Tensor> all;
  for (const Tensor& x : group) all.push_back(lowered(x));
  return cat(all, 0);
}
Tensor lowered(const Tensor& x) { return x ? lowered_rows({x}) : x; }

}  // namespace glassgrad
