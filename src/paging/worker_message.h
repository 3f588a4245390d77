// What a measuring process tells its parent beside its counts: findings, and the error that ended it, whole. One
// message is one write into a pipe, kept by the pipe when the writer is killed. Pure; any thread.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "result/finding.h"

namespace fathom::paging {

struct WorkerMessages {
  std::vector<result::Finding> findings;
  std::optional<base::Error> error;  // the first
};

std::string encode(const result::Finding& finding);
std::string encode(const base::Error& error);
// All whole messages of what came out of the pipe; a torn last one is left out.
WorkerMessages decode(std::string_view bytes);

}  // namespace fathom::paging
