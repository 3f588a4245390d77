// Selects the verify state of a job, checks that it belongs to the job, and applies it to the reads.
#include "run/checks/state_follow.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "base/text/printable.h"
#include "job/fields/offset_choice.h"
#include "job/fields/verify.h"
#include "run/checks/each_write.h"
#include "run/checks/verify_plan.h"
#include "verify/state/state_live.h"
#include "verify/state/state_name.h"
#include "workload/stream.h"

namespace fathom::run::checks {
namespace {

using verify::state::OwnRun;
using verify::state::Standing;
using verify::state::State;

base::Error refused(std::string what, std::string cause, std::string help) {
  return {base::ErrorKind::usage, std::move(what), std::move(cause), std::move(help), {}, 0};
}

// Gets the time of the last write. False: the file does not exist.
bool last_written(const std::string& path, std::pair<std::int64_t, std::int64_t>& when) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) return false;
  when = {facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec};
  return true;
}

constexpr std::uint64_t kAllPasses = std::uint64_t{1} << 62;

// Whether the first requests of this job are those of the job that saved the state.
bool goes_the_same_way(const job::Job& job, std::uint32_t job_index, std::span<const io::Target> targets,
                       const OwnRun& own) {
  const io::Dir dir = job.mode.writes ? io::Dir::write : io::Dir::read;
  workload::Stream stream(job, targets, job_index);
  std::vector<io::Request> block(workload::Source::kBlock);
  std::size_t number = 0;
  for (std::size_t made = 0; number < own.first.size();) {
    made = stream.next(block);
    if (made == 0 && stream.begin_pass()) made = stream.next(block);
    if (made == 0) return false;
    for (std::size_t i = 0; i < made && number < own.first.size(); ++i) {
      if (block[i].dir != dir) continue;
      if (verify::state::request_hash(block[i].target, block[i].offset, block[i].length) != own.first[number++])
        return false;
    }
  }
  return true;
}

// The job whose writes this reading job reads: its options, with writes. random: in random order.
job::Job as_writer(const job::Job& job, bool random) {
  constexpr auto r = io::index(io::Dir::read), w = io::index(io::Dir::write);
  job::Job writer = job;
  writer.mode.reads = false;
  writer.mode.writes = true;
  writer.mode.random = random;
  writer.bs_min[w] = job.bs_min[r];
  writer.bs_max[w] = job.bs_max[r];
  writer.bssplit[w] = job.bssplit[r];
  writer.blockalign[w] = job.blockalign[r];
  writer.distribution[w] = job.distribution[r];
  auto& choice = writer.own.get<job::fields::OffsetChoice>();
  choice.percentage_random[w] = choice.percentage_random[r];
  return writer;
}

// The job that saved the state, if it differs from this job at most in direction, order and number of passes. Its loops
// are unlimited: the state has the number of its writes. nullopt: another job.
std::optional<job::Job> writer_of(const OwnRun& own, const job::Job& job, std::uint32_t job_index,
                                  std::span<const io::Target> targets) {
  if (own.order() == 0 || job.mode.trims || (job.mode.reads && job.mode.writes)) return std::nullopt;
  for (const bool random : {job.mode.random, !job.mode.random}) {
    job::Job writer = job.mode.writes ? job : as_writer(job, random);
    writer.loops = kAllPasses;
    if (order_hash(writer, targets) == own.order() && goes_the_same_way(writer, job_index, targets, own)) return writer;
  }
  return std::nullopt;
}

// Returns the job that made the writes if a map of them is required: some places were written more than once, or the
// reads come in another order.
base::Expected<std::optional<job::Job>> check_own(const State& state, const job::Job& job, std::uint32_t job_index,
                                                  std::span<const io::Target> targets) {
  const OwnRun& own = *state.own;
  if (own.depth != job.iodepth)
    return refused(fmt::format("the verify state belongs to a job with iodepth={}", own.depth),
                   fmt::format("this job has iodepth={}", job.iodepth), "verify with the options of the writing job");
  const bool same = goes_the_same_way(job, job_index, targets, own);
  const bool once = own.is(OwnRun::kOnce) && writes_each_place_once(job, targets);
  if (same && once) return std::optional<job::Job>();
  if (job.mode.writes || !job.paced())
    if (auto writer = writer_of(own, job, job_index, targets)) return writer;
  if (!same || (own.order() != 0 && job.mode.writes))
    return refused(
        "the verify state belongs to a job with another order of requests",
        same ? "the size of a pass, or another option that determines the order, differs from that of the writing job"
             : "the first requests of this job are not the first writes of the writing job",
        "verify with the options of the writing job and verify_only, or with rw=read if that job wrote in order");
  if (!job.mode.writes)
    return refused("the writing job wrote some blocks more than once, or this job reads some blocks more than once",
                   "reading does not show which write of a block was the last",
                   "verify with the options of the writing job and verify_only");
  return std::optional<job::Job>();
}

// Checks a state that fio saved. fio's random offsets differ from fathom's, so only jobs that write each place once in
// order are accepted.
base::Expected<void> check_others(const State& state, const job::Job& job, std::span<const io::Target> targets) {
  constexpr std::uint64_t kFirstWithFailed = 7;
  const bool deeper = state.version >= kFirstWithFailed && state.depth > job.iodepth;
  if (state.depth != job.iodepth && !deeper)
    return refused(fmt::format("the verify state belongs to a job with iodepth={}", state.depth),
                   fmt::format("this job has iodepth={}", job.iodepth), "verify with the options of the writing job");
  const bool mixed = job.mode.reads && job.mode.writes;
  if (!job.mode.random && !mixed && writes_each_place_once(job, targets)) return {};
  return refused(
      "this job cannot use another program's verify state",
      "fio's random and repeated writes differ from fathom's, and the state does not show which writes were in flight",
      "save the state with fathom, or omit verify_state_load");
}

}  // namespace

base::Expected<State> newest_state(const std::string& state_path) {
  const std::string live_path = verify::state::live_file_name(state_path);
  std::pair<std::int64_t, std::int64_t> saved, live;
  if (!last_written(live_path, live)) return verify::state::load_state(state_path);
  if (!last_written(state_path, saved)) return verify::state::load_live(live_path);
  auto of_live = verify::state::load_live(live_path);
  if (!of_live) return live < saved ? verify::state::load_state(state_path) : of_live;
  auto of_file = verify::state::load_state(state_path);
  if (!of_file) return live < saved ? of_file : of_live;
  if (!of_file->own) return live < saved ? of_file : of_live;
  return of_file->own->generation < of_live->own->generation ? of_live : of_file;
}

FollowedState::FollowedState(State state, std::uint32_t iodepth, bool exact)
    : state_(std::move(state)), standings_(state_, iodepth), exact_(exact) {}

base::Expected<FollowedState> FollowedState::load(const job::Job& job, std::uint32_t job_index,
                                                  std::span<const io::Target> targets) {
  const auto& options = job.of<job::fields::VerifyOptions>();
  const std::string path = verify::state::state_file_name(job.name, job_index, options.aux_path);
  auto state = newest_state(path);
  if (!state) return state.error();
  if (auto other = verify::state::of_another_job(*state, job.name, job_index); !other.empty())
    return refused(std::move(other), "state file: " + base::text::printable(path),
                   "set --aux-path= to the directory of the state, and use the same name and position of the job");
  if (job.depth_per_file)
    return refused("a job with an iodepth per device has no verify state", "each device has its own writes",
                   "omit verify_state_load");
  std::optional<job::Job> writer;
  if (state->own) {
    auto made = check_own(*state, job, job_index, targets);
    if (!made) return made.error();
    writer = std::move(*made);
  } else if (auto fits = check_others(*state, job, targets); !fits) {
    return fits.error();
  }
  const bool exact = state->own.has_value() && (job.mode.writes || !job.paced());
  FollowedState followed(std::move(*state), job.iodepth, exact);
  followed.writer_ = std::move(writer);
  return followed;
}

job::Job FollowedState::as_written(const job::Job& job) const {
  job::Job same = job;
  same.own.get<job::fields::VerifyOptions>().format = state_.version == verify::state::kStateOfFio333
                                                          ? job::fields::VerifyFormat::fio_3_33
                                                          : job::fields::VerifyFormat::fio_3_42;
  return same;
}

bool FollowedState::is_read_back(const io::Request& read, std::uint64_t number, records::WorkerRecord& record) const {
  const auto write = asked(read, number);
  const Standing standing = standings_.of(write);
  if (verify::state::is_read_back(standing)) return true;
  if (standing != Standing::not_issued) record.verified.withheld += read.length;
  if (!state_.own && record.stop_verify[0] == 0 && standing != Standing::failed)
    std::snprintf(record.stop_verify, sizeof record.stop_verify, "%s", standings_.stop_text(write).c_str());
  return false;
}

bool FollowedState::excuses(const io::Request& read, const verify::Verdict& verdict) const {
  if (exact_ || verdict.flaw == verify::Flaw::digest || io::is_paced(read)) return false;
  return standings_.of(asked(read, io::noted_write(read))) == Standing::unknown;
}

void FollowedState::repeat_writes(const job::Job& job, std::uint32_t job_index, std::span<const io::Target> targets,
                                  Versions& versions) const {
  const auto& own = *state_.own;
  std::vector<std::uint64_t> disordered = own.disordered;
  std::sort(disordered.begin(), disordered.end());
  const auto in_order = [&](std::uint64_t number) {
    return !std::binary_search(disordered.begin(), disordered.end(), number);
  };
  std::vector<io::Request> in_flight;
  each_write(
      writer(job), job_index, targets, state_.writes_issued,
      [&](const io::Request& write, std::uint64_t number) {
        versions.issued(write, number);
        const Standing standing = standings_.of(asked(write, number));
        if (standing == Standing::in_flight)  // it may complete after any later write
          in_flight.push_back(write);
        else
          versions.ended(write, standing == Standing::acknowledged && in_order(number));
      },
      [&](const io::Request& trim) {
        versions.trim_issued(trim);
        versions.ended(trim, true);
      });
  for (const auto& write : in_flight) versions.ended(write, false);
}

void FollowedState::describe(records::WorkerRecord& record) const {
  const std::size_t failed = state_.own ? state_.own->failed.size() : 0;
  const std::size_t flying =
      state_.own ? state_.own->in_flight.size()
                 : static_cast<std::size_t>(std::count_if(state_.slots.begin(), state_.slots.end(), [](auto number) {
                     return number != verify::state::kNoWrite;
                   }));
  std::snprintf(record.by_state, sizeof record.by_state,
                "read back by a verify state of %s: %llu writes were issued, %zu of them in flight, %zu failed",
                state_.own ? "fathom" : "fio", static_cast<unsigned long long>(state_.writes_issued), flying, failed);
}

std::size_t FollowedReads::next(std::span<io::Request> out) {
  for (;;) {
    const std::size_t made = reads_.next(out);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < made; ++i) {
      io::Request read = out[i];
      if (read.dir == io::Dir::read && !follow(read)) continue;
      out[kept++] = read;
    }
    if (kept > 0 || made == 0) return kept;
  }
}

// False: the range was not written, or the state does not show what it contains.
bool FollowedReads::follow(io::Request& read) {
  if (last_writes_ != nullptr) {
    const auto last = last_writes_->last(read.target, read.offset, read.length);
    if (last.standing == Versions::Standing::none) return false;
    io::note_write(read, last.number);
    return true;
  }
  if (!state_.is_read_back(read, number_++, record_)) return false;
  if (!paced_) io::note_write(read, number_ - 1);
  return true;
}

// Without a map of the last writes, only the reads of the first pass correspond to writes by their number.
bool FollowedReads::begin_pass() { return last_writes_ != nullptr && reads_.begin_pass(); }

}  // namespace fathom::run::checks
