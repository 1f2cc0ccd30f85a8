#include "apps/page/told.h"

#include "apps/cli/arguments.h"
#include "engine/core/error.h"

namespace glassgrad::explorer {

std::string told(const std::function<Json()>& what) {
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
