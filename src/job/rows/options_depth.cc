// The engine, and the number of I/Os in flight.
#include "io/engines.h"
#include "job/option.h"

namespace fathom::job {
namespace {

constexpr std::uint64_t kDeepest = 1u << 20;

// For the help and the completions: a job may also name an engine that only fio has, and is then refused by that name.
constexpr Choice kEngineNames[] = {
#define FATHOM_ENGINE(NAME, made_of, targets, options, ...) {#NAME, 0, io::EngineTraits{__VA_ARGS__}.summary},
#include "io/engine_rows.inc"
#undef FATHOM_ENGINE
};

constexpr Row engine_row() {
  Row row = text<&Job::ioengine>({"ioengine", "psync", "I/O engine; `--enghelp=NAME` lists its options"});
  row.choices = kEngineNames;
  return row;
}

constexpr Row kDepthRows[] = {
    engine_row(),
    count<&Job::iodepth>({"iodepth", "1", "I/Os kept in flight (asynchronous engines)"}, 1, kDeepest),
    count<&Job::iodepth_batch>({"iodepth_batch iodepth_batch_submit", "1", "I/Os submitted by one call; 0: iodepth"}, 0,
                               kDeepest),
    flag<&Job::depth_per_file>({"depth_per_file", "", "iodepth applies to each file or device separately", "nvme",
                                "not in fio; engines with a queue"}),
    count<&Job::iodepth_batch_complete_min>(
        {"iodepth_batch_complete_min iodepth_batch_complete", "1", "I/Os to wait for when reaping; 0: do not wait"}, 0,
        kDeepest),
    count<&Job::iodepth_batch_complete_max>(
        {"iodepth_batch_complete_max", "0", "Most I/Os reaped at a time; 0: iodepth_batch_complete_min"}, 0, kDeepest),
    count<&Job::iodepth_low>({"iodepth_low", "0", "Refill the queue when it has drained to this; 0: iodepth"}, 0,
                             kDeepest),
};

}  // namespace

std::span<const Row> depth_options() { return kDepthRows; }

}  // namespace fathom::job
