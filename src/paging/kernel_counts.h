// Selects the /proc/vmstat counters for the series and reads them ten times a second: files stay open, and text goes
// into a buffer that grows once. Names change between kernels; counters that a kernel lacks are omitted.
// Thread rule: one thread per reader.
#pragma once
#include <array>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/system/fd.h"

namespace fathom::paging {

struct SeriesColumn {
  std::string_view name;
  bool always = false;  // in the series even if it stayed 0
  bool sum = false;     // the sum of all counters that begin with name and "_"
};
inline constexpr SeriesColumn kSeriesColumns[] = {
    {"pswpin", true},
    {"pswpout", true},
    {"pgfault", true},
    {"pgmajfault", true},
    {"pgpromote_success"},
    {"pgpromote_candidate"},
    {"pgdemote_kswapd"},
    {"pgdemote_direct"},
    {"pgdemote_khugepaged"},
    {"pgdemote_proactive"},
    {"numa_hint_faults"},
    {"numa_pages_migrated"},
    {"pgmigrate_success"},
    {"workingset_refault_anon"},
    {"workingset_refault_file"},
    {"swap_ra"},
    {"swap_ra_hit"},
    {"swpin_zero"},
    {"swpout_zero"},
    {"zswpin"},
    {"zswpout"},
    {"zswpwb"},
    {"thp_fault_alloc"},
    {"thp_swpout"},
    {"thp_swpout_fallback"},
    {"pgscan_kswapd"},
    {"pgscan_direct"},
    {"pgsteal_kswapd"},
    {"pgsteal_direct"},
    {"allocstall", false, true},
};
inline constexpr std::size_t kSeriesColumnCount = std::size(kSeriesColumns);

using SeriesCounts = std::array<std::optional<std::uint64_t>, kSeriesColumnCount>;
// Reads the text of /proc/vmstat. Pure.
SeriesCounts pick_series(std::string_view vmstat);

// "some avg10=0.00 ... total=123\nfull ..." -> microseconds of stalls since boot. Empty: a line is missing. Pure.
struct Stalls {
  std::optional<std::uint64_t> some_us, full_us;
};
Stalls parse_pressure(std::string_view text);

// A file of /proc, /sys or a cgroup that is read in full repeatedly.
class OpenText {
 public:
  explicit OpenText(const std::string& path);
  explicit operator bool() const { return static_cast<bool>(fd_); }
  std::string_view read();  // valid until the next read; empty: cannot be read

 private:
  base::system::UniqueFd fd_;
  std::string text_;
};

}  // namespace fathom::paging
