#include "../glass.h"

#include "program_trace.h"

namespace glassgrad {

Glass::Glass() : trace_(new why::ProgramTrace) { why::ProgramTrace::watch(trace_); }
Glass::~Glass() { stop(); }
void Glass::stop() { trace_->stop(); }

const Tensor& Glass::name(const Tensor& x, const std::string& name) {
  trace_->name(x, name, {});
  return x;
}

std::string Glass::why(const Tensor& x, const Dims& cell, const Options& how) const {
  return text_of(trace_->explain({trace_->known(x), cell}, {{.exact = how.exact}, how.depth}));
}
std::string Glass::made_by(const Tensor& x) const { return trace_->made_by(trace_->known(x)); }
std::string Glass::used_in(const Tensor& x) const { return trace_->used_in(trace_->known(x)); }

}  // namespace glassgrad
