#include "apps/page/json_or_error.h"

#include "apps/cli/arguments.h"
#include "engine/core/error.h"

namespace glassgrad::explorer {

std::string json_or_error(const std::function<Json()>& what) {
  try {
    return json_text(what());
  } catch (const Error& e) {
    return json_text({{"error", e.what()}});
  } catch (const UsageError& e) {
    return json_text({{"error", e.what()}});
  } catch (const std::exception&) {
    return json_text({{"error", "out of memory, or a fault in glassgrad: load the page again"}});
  }
}

}  // namespace glassgrad::explorer
