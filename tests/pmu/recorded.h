// The recorded sysfs of one PMU family: tests/pmu/sysfs/<family>, written down from the drivers' public sources.
#pragma once
#include <string>

#include "pmu/sources.h"

namespace fathom::pmu::testing {

inline std::string recorded_prefix(const std::string& family) {
  return std::string(FATHOM_SOURCE_DIR) + "/tests/pmu/sysfs/" + family;
}
inline EventSources recorded(const std::string& family) { return EventSources(recorded_prefix(family)); }

}  // namespace fathom::pmu::testing
