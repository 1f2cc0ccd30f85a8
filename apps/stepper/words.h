// The words of a step that the glossary explains, one of them at hand.
#pragma once
#include <string>
#include <vector>

#include "apps/lesson/glossary.h"
#include "apps/screen/key_rows.h"

namespace glassgrad::learn {

class StepWords : public KeyOwner {
 public:
  // Those of the step, and the one that `hint`, a tensor's name, contains at hand. false: it uses none.
  bool open(const Recording& recording, const Step& step, std::string_view hint);
  Lines lines(size_t columns) const;
  static KeyTable keys();  // the next word, the one before

 private:
  void to_next() { at_ = (at_ + 1) % terms_.size(); }
  void to_before() { at_ = (at_ + terms_.size() - 1) % terms_.size(); }

  std::vector<const GlossaryTerm*> terms_;
  size_t at_ = 0;
};

// The same without keys: the words of a step, and what one of them means, or any other of the glossary;
// empty: the first. For listening: sentences.
std::string words_text(const Recording& recording, const Step& step, const std::string& name, size_t columns,
                       bool speak);

}  // namespace glassgrad::learn
