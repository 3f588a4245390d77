// Words that the formats of `fathom clock test` share. Pure.
#pragma once
#include <string>
#include <string_view>

#include "result/commands/clock_test.h"

namespace fathom::report::clock {

std::string_view verdict_word(const result::BarrierTest& test);  // "PASSED"
// What became of an injected error: "seen".
std::string fate_text(const result::InjectedClock& injected, const result::ClockTest& test);
// What the verdict proves, in lines of a text.
std::string_view meaning_text(const result::ClockTest& test);

}  // namespace fathom::report::clock
