// The recorded sysfs of one PMU family: tests/pmu/sysfs/<family>.txt, written down from the drivers' public sources.
#pragma once
#include <map>
#include <string>

#include "host/manifest.h"
#include "pmu/events/sources.h"
#include "source_dir.h"

namespace fathom::pmu::testing {

// Where it lies unpacked, until the program ends.
inline std::string recorded_prefix(const std::string& family) {
  static std::map<std::string, host::testing::TempTree> trees;
  const auto [at, fresh] = trees.try_emplace(family);
  if (fresh) host::testing::unpack(in_source("tests/pmu/sysfs/" + family + ".txt"), at->second);
  return at->second.root();
}
inline events::EventSources recorded(const std::string& family) {
  return events::EventSources(recorded_prefix(family));
}

}  // namespace fathom::pmu::testing
