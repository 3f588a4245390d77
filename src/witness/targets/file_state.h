// File facts that limit the audit's allowed differences, read when all files are laid out and nothing runs: parts of
// the jobs' files without blocks or with only reserved blocks, and their content in the page cache. Thread rule: the
// main thread.
#pragma once
#include <vector>

#include "audit/witnesses/facts.h"
#include "run/files/targets.h"

namespace fathom::witness::targets {

// True if I/O bypasses the page cache. A mapping is page cache memory: direct=1 syncs it after every write.
bool is_direct(const job::Job& job);

// facts.jobs: one for each plan, in order. Call before the cross-checks begin, because this reads metadata.
void look_at_files(const std::vector<run::files::Plan>& plans, audit::witnesses::Facts& facts);
// Call after the run: only then does a file system report which of the jobs' writes it compressed.
void look_at_written_files(const std::vector<run::files::Plan>& plans, audit::witnesses::Facts& facts);
// Call after the cross-checks have begun, so that they count data that other processes cache from then on. First drops
// the data that the jobs will drop (invalidate=1).
void look_at_page_cache(const std::vector<run::files::Plan>& plans, audit::witnesses::Facts& facts);

}  // namespace fathom::witness::targets
