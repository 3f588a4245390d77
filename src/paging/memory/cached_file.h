// A file's pages in the page cache belong to the memory group that read them first. A limit of another group does not
// reclaim them, and every access is a hit. So before a run under a limit, fathom drops them and checks for the rest.
// Sources: posix_fadvise(2) (POSIX_FADV_DONTNEED), mincore(2), admin-guide/cgroup-v1/memory.rst (2.3, shared page
// accounting).
// Thread rule: any thread; before any process maps the file.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "result/finding.h"

namespace fathom::paging::memory {

// Drops the first set_bytes; the rest of the file stays. Data that are not on the disk yet are written out first, for
// the whole file. A file that does not exist, or is not regular, is ignored. Findings: paging.cache_dropped,
// paging.cache_not_known (mincore(2) is accurate only for owners of the file and users who may write it). Errors:
// refused (pages stay: tmpfs, other processes' maps), io.
base::Expected<std::vector<result::Finding>> drop_cached_pages(const std::string& path, std::uint64_t set_bytes);

}  // namespace fathom::paging::memory
