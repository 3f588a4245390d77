// Times of logs, which count in nanoseconds.
#pragma once
#include <cstdint>

namespace fathom::run::logs {

inline constexpr std::uint64_t kMs = 1'000'000;

}  // namespace fathom::run::logs
