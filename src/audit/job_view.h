// What a result says about a job's targets: whether they reach a disk past the page cache, and which
// devices of the report are its own. A result holds options as written, so they are read here as the parser would.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "result/result.h"

namespace fathom::audit {

// The job's value of an option by its canonical name, else the global one; the last one written wins.
std::optional<std::string_view> option(const result::Run& run, const result::Job& job, std::string_view name);
// Given, and not as 0.
bool is_on(const result::Run& run, const result::Job& job, std::string_view name);
bool is_direct(const result::Run& run, const result::Job& job);
bool moved_data(const result::Job& job);
// The devices whose target the job named; all of the report's if none can be told.
std::vector<const result::DeviceFacts*> devices_of(const result::Run& run, const result::Job& job);

}  // namespace fathom::audit
