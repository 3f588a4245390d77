// A job's targets, from a result: whether the job bypasses the page cache, and which reported devices it used.
// A result has options as written, so these functions interpret them as the parser does.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "result/result.h"

namespace fathom::audit {

inline constexpr double kMsOfASecond = 1000, kNsOfASecond = 1e9;

// The job's value of an option by its canonical name, otherwise the global value.
// If an option is written more than once, the last value counts.
std::optional<std::string_view> option(const result::Run& run, const result::Job& job, std::string_view name);
// True if the option is given and is not 0.
bool is_on(const result::Run& run, const result::Job& job, std::string_view name);
bool is_direct(const result::Run& run, const result::Job& job);
bool moved_data(const result::Job& job);
// The devices that the job named as targets; all reported devices if the job's are unknown.
std::vector<const result::DeviceFacts*> devices_of(const result::Run& run, const result::Job& job);
// latency_target: the job changes its depth on purpose.
bool searches_depth(const result::Job& job);

// The intervals of a direction's series in which that direction ran from begin to end. Omits intervals that are not
// longer than half the width of the series. A job that reads back what it wrote has one phase per direction: intervals
// before and after the phase are omitted, and those in which it begins or ends. If a job ends with a sync, no I/O ends
// during the sync: the intervals after the last I/O are omitted, and the one in which the sync began.
std::vector<result::SeriesPoint> own_part(const result::Run& run, const result::Job& job, const result::Direction& dir);

}  // namespace fathom::audit
