// A job's targets, from a result: whether the job bypasses the page cache, and which reported devices it used.
// A result has options as written, so these functions interpret them as the parser does.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "result/result.h"

namespace fathom::audit {

inline constexpr double kMsOfASecond = 1000, kNsOfASecond = 1e9;

// The job's value of an option by its canonical name, otherwise the global value. The last one written wins.
std::optional<std::string_view> option(const result::Run& run, const result::Job& job, std::string_view name);
// True if the option is given and is not 0.
bool is_on(const result::Run& run, const result::Job& job, std::string_view name);
bool is_direct(const result::Run& run, const result::Job& job);
bool moved_data(const result::Job& job);
// The devices that the job named as targets; all reported devices if the job's are unknown.
std::vector<const result::DeviceFacts*> devices_of(const result::Run& run, const result::Job& job);
// latency_target: the job changes its depth on purpose.
bool searches_depth(const result::Job& job);

// The intervals of a direction's series that belong to it as a whole. Of a job that reads back what it wrote, each
// direction has its own part of the time, and of one that ends with a sync no I/O ends while the sync lasts.
std::vector<result::SeriesPoint> own_part(const result::Run& run, const result::Job& job, const result::Direction& dir);

}  // namespace fathom::audit
