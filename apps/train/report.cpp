#include "apps/train/report.h"

#include "apps/cli/complain.h"
#include "apps/cli/text_width.h"

namespace glassgrad::train {

void Report::line(std::string_view text) {
  bar_.clear();
  if (closed_) return;
  try {
    out_.write(printable(text));
    out_.write("\n");
    out_.flush();
  } catch (const OutputClosed&) {
    closed_ = true;
  } catch (const std::exception&) {
    closed_ = true;
    trouble_ = std::current_exception();
  }
}

void Report::warn(std::string_view text) {
  bar_.clear();
  complain(text);
}

void Report::finish() {
  bar_.clear();
  if (trouble_) std::rethrow_exception(trouble_);
}

}  // namespace glassgrad::train
