// The block in which these tests write, read back and verify.
#pragma once
#include <cstdint>

namespace fathom::run::checks {

inline constexpr std::uint32_t kBlock = 4096;

}  // namespace fathom::run::checks
