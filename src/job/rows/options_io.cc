// The kind of I/O: direction, order, mix, caching, syncing.
#include "job/option.h"
#include "job/values/distribution.h"
#include "job/values/rw.h"

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
    {"stamped", int(Fill::stamped), "as in fio: the buffer is filled once, each sector is stamped before a write"},
    {"random", int(Fill::random), "new random bytes for each write"},
};

Outcome read_rwmix_write(Job& job, const Value& value) {
  std::uint64_t percent = 0;
  if (auto problem = read_number(value, percent)) return problem;
  job.rwmix_read_percent = static_cast<unsigned>(100 - percent);
  return {};
}

constexpr Choice kDistributions[] = {
    {"random", 0, "each block with the same probability"},
    {"zipf", 0, "few blocks often: zipf:theta[:center]"},
    {"pareto", 0, "few blocks often: pareto:h[:center]"},
    {"normal", 0, "blocks around the center: normal:deviation[:center]"},
    {"zoned", 0, "zones by shares of accesses and size, in percent: zoned:a/s:..."},
    {"zoned_abs", 0, "zones by percent of accesses and size in bytes: zoned_abs:a/size:..."},
    {"sequence", 0, "listed blocks in turn: sequence:block,block,..."},
};

constexpr Row kIoRows[] = {
    special<values::read_rw>({"rw readwrite", "read", "Direction and order of the I/O; `:N` is the sequencer"},
                             Type::choice, 0, 0, 0, false, values::kRwChoices),
    choice<&Job::sequencer>(
        {"rw_sequencer", "sequential", "Order of the I/Os between two random offsets with rw=mode:N"}, kSequencers),
    count<&Job::rwmix_read_percent>({"rwmixread", "50", "Percentage of a mixed job's I/Os that are reads"}, 0, 100),
    special<read_rwmix_write>({"rwmixwrite", "50", "Percentage of a mixed job's I/Os that are writes"}, Type::count, 0,
                              100),
    boolean<&Job::direct>({"direct", "0", "O_DIRECT: bypass the page cache"}),
    boolean_inverse<&Job::direct>({"buffered", "1", "Use the page cache; the opposite of direct"}),
    boolean<&Job::randrepeat>({"randrepeat", "1", "The same random numbers in every run"}),
    boolean<&Draft::allrandrepeat>({"allrandrepeat", "0", "As randrepeat, for all random numbers"}),
    count<&Job::randseed>({"randseed", "", "Seed of the random numbers"}, 0, kMaxU64),
    flag<&Job::norandommap>({"norandommap", "", "A random job may use some blocks twice and omit others"}),
    special<values::read_distribution>(
        {"random_distribution", "random",
         "random, zipf:theta[:center], pareto:h[:center], normal:dev[:center], zoned:a/s:..., "
         "zoned_abs:a/size:..., sequence:block,block,..."},
        Type::text, 0, 0, 0, false, kDistributions),
    count<&Job::number_ios>({"number_ios", "0", "The job ends after this many I/Os; 0: no limit"}, 0, kMaxU64),
    count<&Job::fsync_every>({"fsync", "0", "fsync(2) after every N writes"}, 0, kMaxU32),
    count<&Job::fdatasync_every>({"fdatasync", "0", "fdatasync(2) after every N writes"}, 0, kMaxU32),
    boolean<&Job::end_fsync>({"end_fsync", "0", "fsync(2) at the end of the job"}),
    choice<&Job::sync_mode>({"sync", "none", "Open files for synchronous writes"}, kSyncModes),
    choice<&Job::fill>({"fill", "stamped", "Contents of writes and laid-out files", "", kOwn}, kFills),
    boolean<&Job::invalidate>({"invalidate", "1", "Drop the files' pages from the page cache before the start"}),
};

}  // namespace

std::span<const Row> io_options() { return kIoRows; }

}  // namespace fathom::job
