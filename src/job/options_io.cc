// What kind of I/O: direction, order, mix, caching, syncing.
#include "job/distribution.h"
#include "job/rows.h"
#include "job/rw.h"

namespace fathom::job {
namespace {

constexpr Choice kSequencers[] = {
    {"sequential", int(Sequencer::sequential), "rw=randread:N: N sequential I/Os, then a new random offset"},
    {"identical", int(Sequencer::identical), "rw=randread:N: N I/Os at the same offset, then a new one"},
};
constexpr Choice kSyncModes[] = {
    {"none", int(SyncMode::none), "no O_SYNC"}, {"0", int(SyncMode::none), "as none"},
    {"sync", int(SyncMode::sync), "O_SYNC"},    {"1", int(SyncMode::sync), "as sync"},
    {"dsync", int(SyncMode::dsync), "O_DSYNC"},
};
constexpr Choice kFills[] = {
    {"stamped", int(Fill::stamped), "as fio: a buffer filled once, each sector stamped before a write"},
    {"random", int(Fill::random), "truly random bytes, made anew for each write"},
};

Outcome read_rwmix_write(Draft& draft, const Option& option, std::string_view value) {
  std::uint64_t percent = 0;
  if (auto problem = read_number(draft, option, value, percent)) return problem;
  draft.job.rwmix_read_percent = static_cast<unsigned>(100 - percent);
  return {};
}

constexpr Option kRows[] = {
    special({.name = "rw",
             .aliases = {"readwrite"},
             .fallback = "read",
             .help = "Direction and order of the I/O; `:N` is the sequencer"},
            Type::choice, read_rw, 0, 0, 0, false, kRwChoices),
    choice<&Job::sequencer>(
        {.name = "rw_sequencer", .fallback = "sequential", .help = "What rw=mode:N does between two random offsets"},
        kSequencers),
    count<&Job::rwmix_read_percent>(
        {.name = "rwmixread", .fallback = "50", .help = "Percentage of a mixed job's I/Os that are reads"}, 0, 100),
    special({.name = "rwmixwrite", .fallback = "50", .help = "Percentage of a mixed job's I/Os that are writes"},
            Type::count, read_rwmix_write, 0, 100),
    boolean<&Job::direct>({.name = "direct", .fallback = "0", .help = "O_DIRECT: past the page cache"}),
    boolean_inverse<&Job::direct>(
        {.name = "buffered", .fallback = "1", .help = "Through the page cache; the opposite of direct"}),
    boolean<&Job::randrepeat>({.name = "randrepeat", .fallback = "1", .help = "The same random numbers in every run"}),
    boolean<&Draft::allrandrepeat>(
        {.name = "allrandrepeat", .fallback = "0", .help = "As randrepeat, for everything that is random"}),
    count<&Job::randseed>({.name = "randseed", .help = "Seed of the random numbers"}, 0, kMaxU64),
    flag<&Job::norandommap>({.name = "norandommap", .help = "A random job may meet a block twice and miss another"}),
    special({.name = "random_distribution",
             .fallback = "random",
             .help = "random, zipf:theta[:center], pareto:h[:center], normal:dev[:center], zoned:a/s:..., "
                     "zoned_abs:a/size:..."},
            Type::text, read_distribution),
    count<&Job::number_ios>(
        {.name = "number_ios", .fallback = "0", .help = "The job ends after this many I/Os; 0: no limit"}, 0, kMaxU64),
    count<&Job::fsync_every>({.name = "fsync", .fallback = "0", .help = "fsync(2) after every N writes"}, 0, kMaxU32),
    count<&Job::fdatasync_every>({.name = "fdatasync", .fallback = "0", .help = "fdatasync(2) after every N writes"}, 0,
                                 kMaxU32),
    boolean<&Job::end_fsync>(
        {.name = "end_fsync", .fallback = "0", .help = "fsync(2) when the job has written everything"}),
    choice<&Job::sync_mode>({.name = "sync", .fallback = "none", .help = "Open files for synchronous writes"},
                            kSyncModes),
    choice<&Job::fill>(
        {.name = "fill", .fallback = "stamped", .help = "What writes and laid-out files hold", .note = "fathom's own"},
        kFills),
    boolean<&Job::invalidate>(
        {.name = "invalidate", .fallback = "1", .help = "Drop the files' pages from the page cache before the start"}),
};

}  // namespace

std::span<const Option> io_options() { return kRows; }

}  // namespace fathom::job
