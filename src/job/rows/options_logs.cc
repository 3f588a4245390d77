// Logs: one line per I/O, or per interval.
#include "base/system/cpu_list.h"
#include "base/text/parse.h"
#include "job/fields/logs.h"
#include "job/option.h"

namespace fathom::job {
namespace {

constexpr std::uint64_t kMostRowsAtOnce = 1 << 20;

template <auto Member>
Outcome read_prefix(fields::Logs& logs, const Value& value) {
  logs.*Member = std::string(value.text);
  return {};
}

Outcome read_compression_cpus(fields::Logs& logs, const Value& value) {
  const auto list = base::system::parse_cpu_list(value.text);
  if (!list.ok())
    return wrong("not a list of CPUs", list.cause, "write CPU numbers and ranges: `log_compression_cpus=0,2-5`",
                 base::text::trim(list.wrong));
  logs.compression_cpus = list.written();
  return {};
}

// A prefix of file names. Without a value, the files are named after the job.
template <auto Member>
constexpr Row log_of(Texts texts) {
  Row row = special<read_prefix<Member>>(texts, Type::text);
  row.may_stand_alone = true;
  return row;
}

constexpr Choice kWindowValues[] = {
    {"avg", int(fields::WindowValue::average), "the mean of the window"},
    {"max", int(fields::WindowValue::maximum), "its largest value"},
    {"both", int(fields::WindowValue::both), "the mean, and the maximum in a separate column"},
    {"0", int(fields::WindowValue::average), "as avg"},
    {"1", int(fields::WindowValue::maximum), "as max"},
};

constexpr Row kLogRows[] = {
    log_of<&fields::Logs::bw>({"write_bw_log", "", "Write a log of bandwidth: PREFIX_bw.N.log, or JOB_bw.N.log"}),
    log_of<&fields::Logs::iops>({"write_iops_log", "", "Write a log of IOPS: PREFIX_iops.N.log, or JOB_iops.N.log"}),
    log_of<&fields::Logs::lat>({"write_lat_log", "", "Write logs of latency: PREFIX_slat.N.log, _clat and _lat"}),
    log_of<&fields::Logs::hist>({"write_hist_log", "", "Write a log of histograms of clat: PREFIX_clat_hist.N.log"}),
    boolean<&fields::Logs::per_job>({"per_job_logs", "1", "A file for each job; 0: append to one file for all jobs"}),
    count<&fields::Logs::avg_msec>({"log_avg_msec", "0", "Milliseconds per line; 0: a line for each I/O"}, 0, kMaxU32),
    choice<&fields::Logs::window_value>(
        {"log_window_value log_max_value", "avg", "Value that log_avg_msec logs for a window"}, kWindowValues),
    boolean<&fields::Logs::offset>({"log_offset", "0", "Log the offset of each I/O"}),
    boolean<&fields::Logs::prio>({"log_prio", "0", "Log the full priority of an I/O, not 0 or 1"}),
    boolean<&fields::Logs::issue_time>({"log_issue_time", "0", "Log the issue time of each I/O, in ns"}),
    boolean<&fields::Logs::alternate_epoch>(
        {"log_alternate_epoch log_unix_epoch", "0", "Log times of a clock, not times since the job's start"}),
    count<&fields::Logs::epoch_clock>(
        {"log_alternate_epoch_clock_id", "0", "The clock of log_alternate_epoch, as clockid_t"}, 0, kMaxU32),
    count<&fields::Logs::hist_msec>({"log_hist_msec", "0", "Milliseconds between two lines of write_hist_log"}, 0,
                                    kMaxU32),
    count<&fields::Logs::hist_coarseness>(
        {"log_hist_coarseness", "0", "Number of times that neighboring bins are merged"}, 0, 6),
    count<&fields::Logs::entries>({"log_entries", "1024", "Lines of a log that memory is first allocated for"}, 1024,
                                  kMostRowsAtOnce),
    bytes<&fields::Logs::compression>({"log_compression", "", "Bytes of a log that are compressed in memory at once"},
                                      1024, 512 << 20),
    special<read_compression_cpus>({"log_compression_cpus", "", "CPUs that may compress logs"}, Type::list),
    boolean<&fields::Logs::store_compressed>({"log_store_compressed", "0", "Keep logs compressed on disk, as .fz"}),
};

}  // namespace

std::span<const Row> log_options() { return kLogRows; }

}  // namespace fathom::job
