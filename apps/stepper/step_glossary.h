// The words of a step that the glossary explains, one of them chosen.
#pragma once
#include <string>
#include <vector>

#include "apps/lesson/glossary.h"
#include "apps/screen/key_rows.h"

namespace glassgrad::learn {

class StepGlossary : public KeyOwner {
 public:
  // Opens the words of the step, and chooses the word that `hint`, a tensor's name, contains. Returns false
  // if the step uses none.
  bool open(const Recording& recording, const Step& step, std::string_view hint);
  Lines lines(size_t columns) const;
  static KeyTable keys();  // the next word, the one before

 private:
  void to_next() { at_ = (at_ + 1) % terms_.size(); }
  void to_before() { at_ = (at_ + terms_.size() - 1) % terms_.size(); }

  std::vector<const GlossaryTerm*> terms_;
  size_t at_ = 0;
};

// The same without keys: the words of a step, and the meaning of one of them, or of any other word of the
// glossary; empty `name`: the first. speak: sentences for listening.
std::string words_text(const Recording& recording, const Step& step, const std::string& name, size_t columns,
                       bool speak);

}  // namespace glassgrad::learn
