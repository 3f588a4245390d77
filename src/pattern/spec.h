// random_distribution=: which of the named distributions, and its parameters. Plain data.
#pragma once
#include <cstdint>
#include <vector>

namespace fathom::pattern {

enum class Kind : std::uint8_t { uniform, zipf, pareto, normal, zoned, zoned_abs };

// zoned: access_percent of the I/Os go to the next size_percent of the file. zoned_abs: to the next size_bytes of it.
struct Zone {
  double access_percent = 0;
  double size_percent = 0;
  std::uint64_t size_bytes = 0;
};

struct Spec {
  Kind kind = Kind::uniform;
  double parameter = 0;  // zipf theta, pareto h, normal deviation in percent
  double center = -1;    // zipf, pareto, normal: 0..1, position of the hottest block; < 0: hashed over the range
  std::vector<Zone> zones;
};

}  // namespace fathom::pattern
