// What bounds the excuses of the audit, looked at when all files are laid out and nothing runs: where the jobs' files
// have no blocks, or blocks that are only reserved, and what the page cache holds of them. Thread rule: the main
// thread.
#pragma once
#include <vector>

#include "audit/witnesses/facts.h"
#include "run/files/targets.h"

namespace fathom::witness::targets {

// Past the page cache. A mapping is that memory: direct=1 syncs it after every write.
bool is_direct(const job::Job& job);

// facts.jobs: one for each plan, in order. Before the witnesses begin: to look reads metadata.
void look_at_files(const std::vector<run::files::Plan>& plans, audit::witnesses::Facts& facts);
// When all is over: what a file system compressed of what the jobs wrote, it tells only then.
void look_at_written_files(const std::vector<run::files::Plan>& plans, audit::witnesses::Facts& facts);
// After they have begun, so that what others bring in from then on is counted. Drops first what the jobs themselves
// will drop (invalidate=1).
void look_at_page_cache(const std::vector<run::files::Plan>& plans, audit::witnesses::Facts& facts);

}  // namespace fathom::witness::targets
