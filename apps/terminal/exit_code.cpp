#include "apps/terminal/exit_code.h"

#include <unistd.h>

#include "apps/cli/arguments.h"
#include "apps/cli/complain.h"
#include "apps/terminal/signals.h"
#include "engine/core/error.h"

namespace glassgrad {

int exit_code_of(const std::function<void(Output&)>& run, std::span<const char* const> arguments) {
  constexpr int kFailed = 1, kUsage = 2;
  const auto report = [&](int code, std::string_view text) {
    complain(text, arguments);
    return code;
  };
  try {
    Output out(STDOUT_FILENO);
    run(out);
    out.flush();
    return 0;
  } catch (const OutputClosed&) {
    return 0;
  } catch (const Interrupted& stopped) {
    return 128 + stopped.signal;
  } catch (const Elsewhere& e) {
    report(kUsage, e.what());
    complain_further(e.lines);
    return kUsage;
  } catch (const UsageError& e) {
    return report(kUsage, e.what());
  } catch (const Error& e) {
    return report(kFailed, e.what());
  } catch (const std::exception& e) {
    return report(kFailed, message_of(e));
  }
}

}  // namespace glassgrad
