#include "../glass.h"

#include "program_trace.h"

namespace glassgrad {

using why::ProgramRecord;

Glass::Glass() : trace_(new why::ProgramTrace) { why::ProgramTrace::watch(trace_); }
Glass::~Glass() { stop(); }
void Glass::stop() { trace_->stop(); }

const Tensor& Glass::name(const Tensor& x, const std::string& name) {
  trace_->name(x, name, {});
  return x;
}

std::string Glass::why(const Tensor& x, const Dims& cell, const Options& how) const {
  return text_of(trace_->ask([&](ProgramRecord& r) {
    return r.explain({r.known(x), cell}, {{.exact = how.exact}, how.depth});
  }));
}
std::string Glass::made_by(const Tensor& x) const {
  return trace_->ask([&](ProgramRecord& r) { return r.made_by(r.known(x)); });
}
std::string Glass::used_in(const Tensor& x) const {
  return trace_->ask([&](ProgramRecord& r) { return r.used_in(r.known(x)); });
}

}  // namespace glassgrad
