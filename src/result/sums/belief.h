// Whether a run can be believed, out of what its findings say, each of one of four aspects: that what was asked for was
// delivered, that witnesses counted the same bytes, that the clock can be trusted, that machine and program were fit.
// Pure.
#pragma once
#include <array>
#include <cstddef>
#include <string_view>

#include "result/result.h"

namespace fathom::result::sums {

enum class Belief { yes, with_care, no };
enum class Aspect { delivery, audit, clock, machine };
inline constexpr std::size_t kAspects = 4;

constexpr std::string_view name(Belief belief) {
  constexpr std::string_view names[] = {"yes", "with care", "no"};
  return names[static_cast<std::size_t>(belief)];
}

struct Believed {
  Belief all = Belief::yes;
  std::array<Belief, kAspects> of{};        // of each aspect alone
  std::array<unsigned, kAspects> doubts{};  // its warnings and errors
  const Finding* worst = nullptr;           // of `run`; none: there is no finding
};

Aspect aspect_of(const Finding& finding);
// A warning is a reason for care, an error or a witness that disagrees one not to believe it, a note none.
Believed believed(const Run& run);

}  // namespace fathom::result::sums
