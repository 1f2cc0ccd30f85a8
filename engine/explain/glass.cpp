#include "../glass.h"

#include "room.h"

namespace glassgrad {

Glass::Glass() : room_(new why::Room) { why::Room::watch(room_); }
Glass::~Glass() { stop(); }
void Glass::stop() { room_->stop(); }

const Tensor& Glass::name(const Tensor& x, const std::string& name) {
  room_->name(x, name, {});
  return x;
}

std::string Glass::why(const Tensor& x, const Dims& cell, const Options& how) const {
  return text_of(room_->explain({room_->known(x), cell}, {{.exact = how.exact}, how.depth}));
}
std::string Glass::made_by(const Tensor& x) const { return room_->made_by(room_->known(x)); }
std::string Glass::used_in(const Tensor& x) const { return room_->used_in(room_->known(x)); }

}  // namespace glassgrad
