#include "apps/ask/graph/lesson_graph.h"

#include <fmt/core.h>

#include "apps/lesson/lesson.h"

namespace glassgrad::graph {

using learn::Address, learn::Entry, learn::Recording, learn::Step;

Names names_of(const Recording& recording) {
  Names names;
  for (const Step& step : recording.steps)
    for (const Entry& entry : step.entries) {
      if (!entry.value) continue;
      const std::string name = fmt::format("{}:{}", step.id, entry.name);
      if (entry.value->node)
        names.nodes.emplace(*entry.value->node, Names::Result{name, *entry.value});
      else if (entry.value->requires_grad)
        names.leaves.emplace_back(*entry.value, name);
    }
  return names;
}

std::optional<Address> last_tensor(const Recording& recording) {
  for (size_t i = recording.steps.size(); i-- > 0;) {
    const Step& step = recording.steps[i];
    for (size_t k = step.entries.size(); k-- > 0;) {
      const Entry& entry = step.entries[k];
      if (entry.value && entry.value->node && recording.trace->nodes()[*entry.value->node].call)
        return Address{&step, &entry, {}};
    }
  }
  return {};
}

}  // namespace glassgrad::graph
