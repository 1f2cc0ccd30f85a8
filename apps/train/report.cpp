#include "apps/train/report.h"

#include "apps/cli/complain.h"
#include "apps/cli/text_width.h"

namespace glassgrad::train {

void Report::line(std::string_view text) {
  bar_.clear();
  if (closed_) return;
  try {
    const size_t columns = out_.is_terminal() ? out_.screen().columns : 0;
    if (columns == 0) {
      out_.write(printable(text) + "\n");
    } else {
      for (std::string part : broken(printable(text), columns)) {
        part.erase(part.find_last_not_of(' ') + 1);
        out_.write(part + "\n");
      }
    }
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
