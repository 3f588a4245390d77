// A file's pages in the page cache belong to the memory group of whoever read them first: a limit of another group does
// not reclaim them, and every access is a hit. So before a run under a limit they are dropped, and looked for. Sources:
// posix_fadvise(2) (POSIX_FADV_DONTNEED), mincore(2), admin-guide/cgroup-v1/memory.rst (2.3, shared page accounting).
// Thread rule: any thread; before anybody maps the file.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "result/finding.h"

namespace fathom::paging::memory {

// Of the first set_bytes: the rest of the file stays where it is. What was written and is not on the disk yet is
// written out first, of the whole file. A file that is not there,
// or is no regular file, is nobody's. Findings: paging.cache_dropped, paging.cache_not_known (mincore(2) tells it only
// to those who own a file or may write it). Errors: refused (pages stay: tmpfs, other processes' maps), io.
base::Expected<std::vector<result::Finding>> drop_cached_pages(const std::string& path, std::uint64_t set_bytes);

}  // namespace fathom::paging::memory
