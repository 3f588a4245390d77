// Seals the blocks that a run writes, and records the results of checking them.
#include "run/checks/verification.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include "io/engines.h"
#include "io/request.h"
#include "job/fields/errors.h"
#include "run/checks/each_write.h"
#include "run/checks/state_follow.h"
#include "run/checks/state_keeper.h"
#include "run/checks/verify_judge.h"
#include "workload/bytes/contents.h"
#include "workload/read_back.h"

namespace fathom::run::checks {
namespace {

// Returns how many times a wrong block was written, and by which write last. This is the first question in a search for
// the cause. The run stores nothing for it: the job's requests are generated again, and the writes to the block are
// counted. This takes about a second for 20 million writes. Beyond that number, the text names only the write that was
// read back. Any thread.

// Example: "written there 3 times, last by write 306 of job 1". writes: the number of writes that the job has issued.
std::string history_text(const VerifyFacts& facts, std::uint64_t writes, const io::Request& read, const Judged& judged);

constexpr std::uint64_t kMostWrites = 20'000'000;

std::string history_text(const VerifyFacts& facts, std::uint64_t writes, const io::Request& read,
                         const Judged& judged) {
  if (writes > kMostWrites)
    return fmt::format("the block belongs to write {} of job {}", io::noted_write(read), facts.thread);
  workload::ReadBack all(facts.writes());
  std::uint64_t times = 0, last = 0;
  while (const auto write = all.next_below(writes)) {
    const bool there = write->target == read.target && write->offset < judged.offset + judged.length &&
                       judged.offset < write->offset + write->length;
    if (!there) continue;
    ++times;
    last = io::noted_write(*write);
  }
  if (times == 0) return "this job wrote nothing to this block";
  return fmt::format("written there {}, last by write {} of job {}",
                     times == 1 ? std::string("once") : fmt::format("{} times", times), last, facts.thread);
}

constexpr std::uint64_t kNsASecond = 1'000'000'000;

// False for contents that compress, repeat or have a fixed pattern: these do not depend on the seed of a write alone.
bool drawn_from_seeds(const job::Job& job) {
  const auto contents = workload::bytes::plan_contents(job);
  return contents.compress_percent == 0 && contents.dedupe_percent == 0 &&
         contents.bytes != workload::bytes::Contents::Bytes::fixed;
}

constexpr std::size_t kFailedPlaces = 4096;  // failed writes recorded by a job without a map

base::Expected<Versions> map_of(const job::Job& job, std::span<const io::Target> targets) {
  const char* folder = std::getenv("TMPDIR");
  return Versions::make(targets, static_cast<std::uint32_t>(job.verify_interval),
                        folder != nullptr ? folder : "/var/tmp");
}

// verify_only without a state: a place that the job writes several times is read once, after its last write. The write
// that its header shows is not compared: it is unknown whether the writing job has done all of its writes.
base::Expected<void> add_map_of_dry_run(VerifyFacts& facts) {
  if (facts.options.experimental || writes_each_place_once(facts.job, facts.targets)) return {};
  auto made = map_of(facts.job, facts.targets);
  if (!made) return made.error();
  facts.versions = std::move(*made);
  each_write(
      facts.job, facts.index, facts.targets, ~std::uint64_t{0},
      [&](const io::Request& write, std::uint64_t number) {
        facts.versions->issued(write, number);
        facts.versions->ended(write, true);
      },
      [&](const io::Request& trim) {
        facts.versions->trim_issued(trim);
        facts.versions->ended(trim, true);
      });
  return {};
}

// A job that writes some place more than once needs the map. A job that only saves a state continues without it: the
// state then has no order of writes.
base::Expected<void> add_map(VerifyFacts& facts, const VerifyState& state) {
  const auto& job = facts.job;
  if (job.verify_only && job.mode.writes && state.followed == nullptr && facts.keeps_data)
    return add_map_of_dry_run(facts);
  const bool reads_by_map = !job.mode.writes && state.is_exact() && state.followed->needs_map();
  const bool looks_back = job.do_verify || facts.options.reads_between() || state.is_exact();
  facts.order_unknown = state.is_exact() && state.followed->order_unknown();
  if (!facts.own_run() || !facts.keeps_data || (!looks_back && state.kept == nullptr)) return {};
  if (!reads_by_map && (!job.mode.writes || writes_each_place_once(job, facts.targets))) return {};
  facts.any_version = facts.options.experimental;
  if (facts.any_version) return {};
  auto made = map_of(job, facts.targets);
  if (!made && looks_back) return made.error();
  if (!made)
    state.kept->lose_order();
  else
    facts.versions = std::move(*made);
  if (state.is_exact()) state.followed->repeat_writes(job, facts.index, facts.targets, *facts.versions);
  return {};
}

}  // namespace

bool VerifyState::is_exact() const { return followed != nullptr && followed->is_exact(); }

base::Expected<Verification> Verification::make(const job::Job& job, std::span<const io::Target> targets,
                                                std::uint32_t job_index, std::uint64_t generation,
                                                bool others_write_there, VerifyState state) {
  auto tools = VerifyTools::make(state.is_exact() ? state.followed->as_written(job) : job);
  if (!tools) return tools.error();
  const auto& options = job.of<job::fields::VerifyOptions>();
  const auto& layout = tools->sealer.layout();
  const auto& engine = io::traits_of(job.ioengine);
  std::unique_ptr<VerifyFacts> facts(
      new VerifyFacts{.job = job,
                      .options = options,
                      .targets = targets,
                      .generation = state.is_exact() ? state.followed->generation() : generation,
                      .thread = static_cast<std::uint16_t>(job_index + 1),
                      .index = job_index,
                      .others_write_there = others_write_there,
                      .makes_contents = layout.has_pattern || drawn_from_seeds(job),
                      .keeps_data = engine.keeps_data && engine.needs_files,
                      .format = layout.format,
                      .versions = std::nullopt,
                      .written = workload::WrittenLog::make_if_needed(job, targets),
                      .followed = state.followed,
                      .exact_state = state.is_exact()});
  if (auto ok = add_map(*facts, state); !ok) return ok.error();
  const bool trims = job.mode.trims || options.trims_between();
  // the state does not list trims
  if (state.kept != nullptr && (trims || facts->any_version || facts->written)) state.kept->lose_order();
  Verification made(std::move(facts), std::move(*tools), state.kept);
  if (options.async_threads == 0) return base::Expected<Verification>(std::move(made));
  auto threads = VerifyThreads::start(*made.facts_, *std::max_element(job.bs_max.begin(), job.bs_max.end()));
  if (!threads) return threads.error();
  made.threads_ = std::move(*threads);
  return base::Expected<Verification>(std::move(made));
}

Verification::Verification(std::unique_ptr<VerifyFacts> facts, VerifyTools tools, StateKeeper* kept)
    : facts_(std::move(facts)), judge_(*facts_, std::move(tools)), kept_(kept) {
  if (reads_back()) read_back_.emplace(facts_->writes());
}

workload::Source* Verification::between(workload::Source& requests, records::WorkerRecord& record) {
  if (!VerifyTurns::needed(*facts_)) return &requests;
  turns_ = std::make_unique<VerifyTurns>(
      requests, *facts_,
      [this, &record](const io::Request& read, std::uint64_t number) { return is_read_back(read, number, record); });
  read_back_.reset();
  return turns_.get();
}

std::uint64_t Verification::writes_to_read_back() const {
  if (facts_->followed != nullptr) return facts_->followed->writes_issued();
  return writes_nothing() ? ~std::uint64_t{0} : writes_;
}

workload::Source& Verification::begin_reading_back(records::WorkerRecord& record) {
  reading_back_ = true;
  if (turns_ != nullptr) {
    turns_->begin_the_end(writes_to_read_back());
    return *turns_;
  }
  read_back_->limit(writes_to_read_back());
  read_back_->only_where(
      [this, &record](const io::Request& read, std::uint64_t number) { return is_read_back(read, number, record); });
  return *read_back_;
}

void Verification::not_issued(const io::Request& request) {
  if (turns_ != nullptr) turns_->not_issued(request);
}

void Verification::data_gone(const io::Request& zone) {
  if (!facts_->versions) return;
  facts_->versions->trim_issued(zone);
  facts_->versions->ended(zone, true);
}

void Verification::stamp(const io::Request& request, std::byte* buffer, std::uint64_t at_ns) {
  if (request.dir != io::Dir::write) return;
  const std::span io(buffer, request.length);
  const verify::IoFacts write{.offset = request.offset,
                              .numberio = writes_,
                              .seed = facts_->seed_of(writes_, facts_->thread),
                              .sec = static_cast<std::uint32_t>(at_ns / kNsASecond),
                              .nsec = static_cast<std::uint32_t>(at_ns % kNsASecond),
                              .thread = facts_->thread};
  auto& versions = facts_->versions;
  const bool overlaps = versions && versions->issued(request, writes_);
  if (facts_->written) facts_->written->add(request);
  if (kept_ != nullptr) kept_->issued(writes_, request, versions ? &*versions : nullptr, overlaps);
  if (turns_ != nullptr) turns_->issued(request, writes_);
  ++writes_;
  auto& sealer = judge_.sealer();
  if (makes_contents()) return sealer.seal(io, write);
  const std::uint32_t intervals = sealer.layout().count(io.size());
  for (std::uint32_t i = 0; i < intervals; ++i) sealer.seal_interval(io, i, write);
}

bool Verification::ended(const io::Request& request, bool well) {
  if (turns_ != nullptr) turns_->ended(request, well);
  if (request.dir != io::Dir::write && request.dir != io::Dir::trim) return true;
  auto& versions = facts_->versions;
  if (versions) versions->ended(request, well);
  if (kept_ != nullptr && request.dir == io::Dir::write) kept_->ended(request, well);
  if (well || versions) return true;
  all_doubtful_ |= failed_.size() == kFailedPlaces;
  if (!all_doubtful_) failed_.push_back({request.target, request.offset, request.offset + request.length});
  return true;
}

bool Verification::failed_there(const io::Request& request) const {
  const std::uint64_t end = request.offset + request.length;
  return all_doubtful_ || std::any_of(failed_.begin(), failed_.end(), [&](const Place& place) {
           return place.target == request.target && place.begin < end && request.offset < place.end;
         });
}

bool Verification::is_read_back(const io::Request& read, std::uint64_t number, records::WorkerRecord& record) const {
  const auto no = [&](std::uint64_t result::Verified::*kind) {
    record.verified.*kind += read.length;
    return false;
  };
  const bool of_turns = turns_ != nullptr;
  if (facts_->followed != nullptr && !facts_->followed->is_read_back(read, number, record)) return false;
  if (writes_nothing() && of_turns && turns_->may_be_trimmed(number)) return no(&result::Verified::withheld);
  if (!facts_->own_run())
    return !facts_->versions || facts_->versions->is_last_somewhere(read, number) || no(&result::Verified::overwritten);
  if (of_turns && number >= turns_->fsynced()) return no(&result::Verified::withheld);
  if (!facts_->versions && failed_there(read)) return no(&result::Verified::withheld);
  if (of_turns && turns_->is_trimmed(read))
    return facts_->options.trim_verify_zero || no(&result::Verified::overwritten);
  if (!facts_->versions || facts_->versions->is_last_somewhere(read, number)) return true;
  return no(&result::Verified::overwritten);
}

Against Verification::against(const io::Request& read) const {
  if (!reading_back_ && facts_->job.mode.writes) return Against::mid_run;
  return turns_ != nullptr && turns_->is_trimmed(read) ? Against::zeroes : Against::standing;
}

// The error's record contains the same text. When the job has enough records, there is no further record.
bool Verification::book(const io::Request& read, const Judged& judged, records::WorkerRecord& record,
                        std::uint32_t first_target) {
  record.verified.add(judged.counts);
  record.wrong_bytes += judged.reread_bytes;
  if (judged.well) return true;
  ++wrong_;
  const bool goes_on = job::fields::goes_on_after(facts_->job.of<job::fields::Errors>(), io::Dir::read, EILSEQ);
  auto* const e = record.add_io_error(EILSEQ, goes_on, read, first_target);
  if (e == nullptr) return false;
  std::string text = judged.text;
  if (facts_->own_run() && !facts_->others_write_there) text += "\n" + history_text(*facts_, writes_, read, judged);
  std::snprintf(e->what, sizeof e->what, "%s", text.c_str());
  return false;
}

VerifyThreads::Told Verification::booking(records::WorkerRecord& record) {
  return [this, &record](const VerifyThreads::Read& read, const Judged& judged) {
    book(read.request, judged, record, read.first_target);
  };
}

bool Verification::check(const io::Request& request, std::byte* buffer, records::WorkerRecord& record,
                         std::uint32_t first_target) {
  if (request.dir != io::Dir::read || (facts_->job.mode.writes && !io::is_noted(request))) return true;
  if (!facts_->keeps_data) return true;
  const std::span io(buffer, request.length);
  if (threads_ == nullptr) return book(request, judge_.judge(request, io, against(request)), record, first_target);
  threads_->take({request, against(request), first_target}, io, booking(record));
  return true;
}

void Verification::count_dry_run(records::WorkerRecord& record) {
  if (!writes_nothing()) return;
  const auto& now = turns_ != nullptr ? turns_->reads().generated() : read_back_->generated();
  for (std::size_t d = 0; d < io::kDataDirs; ++d) record.dry_ios[d] += now[d] - counted_[d];
  counted_ = now;
}

void Verification::settle(records::WorkerRecord& record) {
  count_dry_run(record);
  if (threads_ != nullptr) threads_->finish(booking(record));
}

}  // namespace fathom::run::checks
