// A finding of a measuring process on its way to the parent (worker/channel.h). Pure; any thread.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "result/finding.h"

namespace fathom::paging::workers {

std::string encode(const result::Finding& finding);
// nullopt: incomplete.
std::optional<result::Finding> decode(std::string_view bytes);

}  // namespace fathom::paging::workers
