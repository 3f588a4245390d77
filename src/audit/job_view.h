// A job's targets, from a result: whether the job bypasses the page cache, and which reported devices it used.
// A result has options as written, so these functions interpret them as the parser does.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "result/result.h"

namespace fathom::audit {

// The job's value of an option by its canonical name, otherwise the global value. The last one written wins.
std::optional<std::string_view> option(const result::Run& run, const result::Job& job, std::string_view name);
// True if the option is given and is not 0.
bool is_on(const result::Run& run, const result::Job& job, std::string_view name);
bool is_direct(const result::Run& run, const result::Job& job);
bool moved_data(const result::Job& job);
// The devices that the job named as targets; all reported devices if the job's are unknown.
std::vector<const result::DeviceFacts*> devices_of(const result::Run& run, const result::Job& job);

}  // namespace fathom::audit
