// The units of a page. Tables, plots and large numbers have the same: times in ns, us, ms, s and from a minute on in min
// and h, counts per second by thousands, bytes by 1,024. assets/numbers.js has the same rules for plots. Pure.
#pragma once
#include <string>
#include <string_view>

namespace fathom::report::page {

// value: in `unit` as results have it ("ns", "1/s", "bytes/s", "bytes"); other units follow the number.
std::string quantity(double value, std::string_view unit);
std::string percent(double value);         // "12.3 %"
std::string signed_percent(double value);  // "+12.3 %"

}  // namespace fathom::report::page
