// What this boot already knows of its CPU clock: the verdict of a long cross-core test, and the drift of the run that
// bounded it best. Kept in /run/fathom (root) or $XDG_RUNTIME_DIR/fathom, one small text file a set of CPUs. The boot's
// id, the CPUs and the version of the test are its key; a reboot, another set or another test makes it absent. Whoever
// can write there could make a broken clock look sound, so folders and files count only when root or we own them, and
// links are not followed. Anything unreadable, foreign or malformed counts as absent; nowhere to write is an error to
// be ignored. Thread rule: any thread and process; a file appears whole or not at all.
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

// Raised when the test or this format changes what a stored verdict means.
inline constexpr int kVerdictVersion = 1;

struct VerdictCache {
  std::vector<std::string> read_folders;
  std::string write_folder;  // empty: nowhere to write
  std::string boot_id;       // empty: unknown, so nothing is read or written
};
VerdictCache default_verdict_cache();

// The latest verdict of a test that had all of these CPUs, with `cached` set.
std::optional<TestSummary> load_verdict(std::span<const unsigned> cpus,
                                        const VerdictCache& cache = default_verdict_cache());
std::optional<Drift> load_drift(const VerdictCache& cache = default_verdict_cache());

// The file that was written. A drift replaces the stored one only when its bound is tighter, or when one of the two
// shows a clock that is unfit; the path is the same either way.
base::Expected<std::string> store_verdict(const TestSummary& verdict,
                                          const VerdictCache& cache = default_verdict_cache());
base::Expected<std::string> store_drift(const Drift& drift, const VerdictCache& cache = default_verdict_cache());

}  // namespace fathom::clock
