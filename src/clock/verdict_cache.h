// The facts about the CPU clock that this boot has established: the verdict of a long cross-core test, and the drift of
// the run with the tightest bound. Stored in /run/fathom (root) or $XDG_RUNTIME_DIR/fathom, one small text file per set
// of CPUs. The key is the boot id, the CPUs and the version of the test. After a reboot, or for another set or test, it
// is missing. A user with write access there could make a broken clock look sound. Directories and files therefore
// count only if root or this user owns them and only the owner can write, and links are not followed.
// Anything unreadable, of another owner or malformed counts as missing. The caller ignores an error for lack of a place
// to write. Thread rule: any thread and process; a file appears complete or not at all.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "clock/drift.h"
#include "clock/verdict.h"

namespace fathom::clock {

// Raise it when the test or this format changes the meaning of a stored verdict.
inline constexpr int kVerdictVersion = 1;

struct VerdictCache {
  std::vector<std::string> read_folders;
  std::string write_folder;  // empty: no place to write
  std::string boot_id;       // empty: unknown, so the cache is not used
};
VerdictCache default_verdict_cache();

// The latest verdict of a test that included all of these CPUs, with `cached` set.
std::optional<TestSummary> load_verdict(std::span<const unsigned> cpus,
                                        const VerdictCache& cache = default_verdict_cache());
std::optional<Drift> load_drift(const VerdictCache& cache = default_verdict_cache());

// Returns the path of the file. A drift replaces the stored one only if its bound is tighter, or if one of the two
// shows an unfit clock. The path is the same either way.
base::Expected<std::string> store_verdict(const TestSummary& verdict,
                                          const VerdictCache& cache = default_verdict_cache());
base::Expected<std::string> store_drift(const Drift& drift, const VerdictCache& cache = default_verdict_cache());

}  // namespace fathom::clock
