// madvise(2)'s names and when each is given: some are about the address range, some about pages that must be there
// first. The table is the list that help texts print. Thread-safe.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "paging/plan.h"
#include "result/finding.h"

namespace fathom::paging {

// map: the whole map, before any page is there. set: the set only, before the fill (the map may be a tebibyte).
// filled: the set, after the fill.
enum class AdviceTime : std::uint8_t { map, set, filled };

// Errors: usage, an unknown name with the nearest known one.
base::Expected<void> check_advice(const std::vector<std::string>& names);
// Gives those of `names` that belong to `when`. What the kernel refuses leaves a finding.
void give_advice(std::byte* data, std::uint64_t bytes, const std::vector<std::string>& names, AdviceTime when,
                 std::vector<result::Finding>& findings);
// THP always or never for the range, as far as the kernel's switches let it have its way.
void advise_thp(std::byte* data, std::uint64_t bytes, const RegionPlan& plan, std::vector<result::Finding>& findings);
// "normal, random, ...": every name.
std::string advice_names();

}  // namespace fathom::paging
