// Sealing and checking the blocks of a run.
#include "run/verification.h"

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/prng.h"
#include "job/errors.h"
#include "run/second_look.h"
#include "verify/damage.h"
#include "verify/words.h"
#include "workload/contents.h"
#include "workload/verify.h"

namespace fathom::run {
namespace {

constexpr std::uint64_t kNsASecond = 1'000'000'000;

// Contents that compress, repeat or are a pattern of their own come from elsewhere.
bool drawn_from_seeds(const job::Job& job) {
  const auto contents = workload::plan_contents(job);
  return contents.compress_percent == 0 && contents.dedupe_percent == 0 &&
         contents.bytes != workload::Contents::Bytes::fixed;
}

// Of fathom before it wrote fio's format: the first word of each chunk, and its length 24 bytes on.
std::uint32_t old_interval(std::span<const std::byte> io) {
  std::uint64_t magic = 0;
  std::uint32_t length = 0;
  if (io.size() < workload::kVerifyHeader) return 0;
  std::memcpy(&magic, io.data(), sizeof magic);
  std::memcpy(&length, io.data() + 24, sizeof length);
  return magic == workload::kVerifyMagic && length >= workload::kSmallestInterval ? length : 0;
}

constexpr std::size_t kFailedPlaces = 4096;  // room for that many failed writes in jobs without a map

}  // namespace

base::Expected<Verification> Verification::make(const job::Job& job, std::span<const io::Target> targets,
                                                std::uint32_t job_index, std::uint64_t generation,
                                                bool others_write_there) {
  auto tools = VerifyTools::make(job);
  if (!tools) return tools.error();
  std::optional<Versions> versions;
  if (job.changes_targets() && job.mode.writes && job.do_verify && !writes_each_place_once(job, targets)) {
    const char* folder = std::getenv("TMPDIR");
    auto made = Versions::make(targets, static_cast<std::uint32_t>(job.verify_interval),
                               folder != nullptr ? folder : "/var/tmp");
    if (!made) return made.error();
    versions = std::move(*made);
  }
  return base::Expected<Verification>(
      Verification(std::move(*tools), std::move(versions), job, targets, job_index, generation, others_write_there));
}

Verification::Verification(VerifyTools tools, std::optional<Versions> versions, const job::Job& job,
                           std::span<const io::Target> targets, std::uint32_t job_index, std::uint64_t generation,
                           bool others_write_there)
    : job_(job),
      targets_(targets),
      tools_(std::move(tools)),
      generation_(generation),
      thread_(static_cast<std::uint16_t>(job_index + 1)),
      makes_contents_(tools_.sealer.layout().has_pattern || drawn_from_seeds(job)),
      others_write_there_(others_write_there),
      versions_(std::move(versions)) {
  if (job.mode.writes && (job.do_verify || job.verify_only)) read_back_.emplace(job, targets, job_index);
}

workload::Source& Verification::begin_reading_back(WorkerRecord& record) {
  reading_back_ = true;
  if (writes_nothing()) return *read_back_;
  read_back_->limit(writes_);
  read_back_->only_where(
      [this, &record](const io::Request& read, std::uint64_t number) { return is_read_back(read, number, record); });
  return *read_back_;
}

// The smaller header has the low 16 bits of the number.
std::uint64_t Verification::seed_of(std::uint64_t numberio, std::uint16_t thread) const {
  if (tools_.sealer.layout().format == verify::Format::fio_3_33) numberio &= 0xffff;
  std::uint64_t state = generation_ ^ (numberio * 0x9e3779b97f4a7c15ull) ^ (std::uint64_t{thread} << 48);
  return base::splitmix64(state);
}

void Verification::stamp(const io::Request& request, std::byte* buffer, std::uint64_t at_ns) {
  if (request.dir != io::Dir::write) return;
  const std::span io(buffer, request.length);
  const verify::IoFacts facts{.offset = request.offset,
                              .numberio = writes_,
                              .seed = seed_of(writes_, thread_),
                              .sec = static_cast<std::uint32_t>(at_ns / kNsASecond),
                              .nsec = static_cast<std::uint32_t>(at_ns % kNsASecond),
                              .thread = thread_};
  if (versions_) versions_->issued(request, writes_);
  ++writes_;
  if (makes_contents_) return tools_.sealer.seal(io, facts);
  const std::uint32_t intervals = tools_.sealer.layout().count(io.size());
  for (std::uint32_t i = 0; i < intervals; ++i) tools_.sealer.seal_interval(io, i, facts);
}

bool Verification::ended(const io::Request& request, bool well) {
  if (versions_ && request.dir == io::Dir::trim) versions_->trimmed(request);
  if (request.dir != io::Dir::write) return true;
  if (versions_) versions_->ended(request, well);
  if (well || versions_) return true;
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

bool Verification::is_read_back(const io::Request& read, std::uint64_t number, WorkerRecord& record) const {
  if (versions_ ? versions_->is_last_somewhere(read, number) : !failed_there(read)) return true;
  (versions_ ? record.verified.overwritten : record.verified.withheld) += read.length;
  return false;
}

Versions::Last Verification::demanded(const io::Request& read, std::uint64_t offset, std::uint64_t length) const {
  if (others_write_there_) return {Versions::Standing::unordered, io::noted_write(read)};
  if (versions_) return versions_->last(read.target, offset, length);
  return {Versions::Standing::one, io::noted_write(read)};
}

// A whole block that another write has left: of another run, for its seed is not this one's, or an earlier one.
bool Verification::is_of(const verify::Header& header, const Versions::Last& last, verify::Verdict& verdict) const {
  const bool one = last.standing == Versions::Standing::one;
  const std::uint64_t number = one ? last.number : header.numberio;
  const std::uint64_t in_header = header.format == verify::Format::fio_3_33 ? number & 0xffff : number;
  const std::uint64_t seed = seed_of(number, others_write_there_ ? header.thread : thread_);
  const bool has_seed = !tools_.checker.layout().has_pattern;
  verdict.header = header;
  verdict.offset = header.offset;
  verdict.length = header.length;
  if (has_seed && header.seed != seed) {
    verdict.flaw = verify::Flaw::seed;
    verdict.found = header.seed;
    verdict.wanted = seed;
  } else if (header.numberio != in_header) {
    verdict.flaw = verify::Flaw::numberio;
    verdict.found = header.numberio;
    verdict.wanted = in_header;
  }
  return verdict.good();
}

std::uint32_t Verification::first_stranger(const io::Request& read, std::span<const std::byte> io, std::uint32_t first,
                                           std::uint32_t end, verify::Verdict& verdict, WorkerRecord& record) const {
  const auto& layout = tools_.checker.layout();
  const auto count = [&](std::uint64_t result::Verified::*kind, std::uint64_t bytes, const Versions::Last& last) {
    record.verified.*(last.number == io::noted_write(read) ? kind : &result::Verified::overwritten) += bytes;
  };
  for (std::uint32_t i = first; i < end; ++i) {
    const std::size_t begin = layout.begin(i), length = layout.length(i, io.size());
    const auto last = demanded(read, read.offset + begin, length);
    const bool one = last.standing == Versions::Standing::one;
    const bool with_header = layout.has_header() && length > layout.header() + verify::row_of(layout.method).field;
    verify::Verdict stranger;
    if (last.standing == Versions::Standing::none) {
      record.verified.overwritten += length;
      continue;
    }
    if (with_header && !is_of(verify::read_header(io.subspan(begin), layout.format), last, stranger)) {
      if (!one && !others_write_there_) {
        count(&result::Verified::withheld, length, last);
        continue;
      }
      stranger.method = layout.method;
      stranger.interval = i;
      verdict = stranger;
      return i;
    }
    count(one && with_header ? &result::Verified::exact : &result::Verified::some_version, length, last);
  }
  return end;
}

// Where the order of writes is not known a block may be of several: what is wrong in it is nobody's fault.
verify::Verdict Verification::of_these_writes(const io::Request& read, std::span<std::byte> io, WorkerRecord& record) {
  const auto& layout = tools_.checker.layout();
  const std::uint32_t count = layout.count(io.size());
  for (std::uint32_t first = 0; first < count;) {
    auto verdict = tools_.checker.check(io, {.offset = read.offset}, first);
    const std::uint32_t looked_at = verdict.good() ? count : verdict.interval;
    if (first_stranger(read, io, first, looked_at, verdict, record) != looked_at || looked_at == count) return verdict;
    const std::size_t length = layout.length(looked_at, io.size());
    const auto last = demanded(read, read.offset + layout.begin(looked_at), length);
    if (last.standing == Versions::Standing::one) return verdict;
    (last.number == io::noted_write(read) ? record.verified.withheld : record.verified.overwritten) += length;
    first = looked_at + 1;
  }
  return {};
}

bool Verification::old_block_well(const io::Request& request, std::span<const std::byte> io, std::uint32_t interval,
                                  WorkerRecord& record, std::uint32_t first_target) const {
  const auto old = workload::check_block(io, request.offset, interval, 0);
  if (old.good()) return true;
  char text[sizeof(ErrorRecord::what)];
  std::snprintf(text, sizeof text, "verify: bad %s at offset %" PRIu64 ", expected %#" PRIx64 ", found %#" PRIx64,
                workload::name(old.flaw), old.offset, old.expected, old.found);
  tell(text, request, record, first_target);
  return false;
}

bool Verification::check(const io::Request& request, std::byte* buffer, WorkerRecord& record,
                         std::uint32_t first_target) {
  if (request.dir != io::Dir::read || (job_.mode.writes && !reading_back_)) return true;
  const std::span io(buffer, request.length);
  if (!own_run()) {
    if (const std::uint32_t interval = old_interval(io); interval != 0)
      return old_block_well(request, io, interval, record, first_target);
  }
  const auto verdict =
      own_run() ? of_these_writes(request, io, record) : tools_.checker.check(io, {.offset = request.offset});
  if (verdict.good()) {
    if (!own_run()) record.verified.some_version += request.length;
    return true;
  }
  const verify::RequestedBlock requested{.file = targets_[request.target].path,
                                         .offset = request.offset,
                                         .length = request.length,
                                         .format = tools_.checker.layout().format};
  const auto lines = verify::fio_lines(verdict, requested);
  std::string text;
  for (const auto& line : lines) text += (text.empty() ? "" : "; ") + line.substr(line.find_first_not_of(' '));
  auto* const e = tell(text.c_str(), request, record, first_target);
  if (e == nullptr) return false;
  if (const auto damage = damage_of(request, io, verdict); !damage.empty())
    std::snprintf(e->what, sizeof e->what, "%s; %s", text.c_str(), damage.c_str());
  return false;
}

// The times in its header are not known; the rest follows from the write's number, or from the header that is there.
std::vector<std::byte> Verification::wanted_of(const io::Request& read, std::size_t length,
                                               const verify::Verdict& verdict) {
  const auto& layout = tools_.checker.layout();
  verify::IoFacts facts{.offset = read.offset, .thread = thread_};
  if (!makes_contents_) return {};
  if (own_run()) {
    const auto last = demanded(read, read.offset + layout.begin(verdict.interval), verdict.length);
    facts.numberio = last.number;
    facts.seed = seed_of(last.number, thread_);
  } else if (verdict.header && verdict.flaw == verify::Flaw::digest) {
    facts = verify::facts_of(*verdict.header, layout, verdict.interval);
  } else {
    return {};
  }
  std::vector<std::byte> io(length);
  tools_.sealer.seal(io, facts);
  (void)tools_.checker.check(io, {.offset = read.offset});  // brings the headers to the start of the intervals
  return io;
}

std::string Verification::damage_of(const io::Request& read, std::span<const std::byte> io,
                                    const verify::Verdict& verdict) {
  const auto& layout = tools_.checker.layout();
  const std::size_t begin = layout.begin(verdict.interval), length = layout.length(verdict.interval, io.size());
  const auto whole = wanted_of(read, io.size(), verdict);
  const auto wanted = whole.empty() ? std::span<const std::byte>() : std::span(whole).subspan(begin, length);
  const std::size_t behind_header = layout.header() + verify::row_of(layout.method).field;
  auto words = verify::in_words(verify::tell_damage(io.subspan(begin, length), wanted, behind_header, verdict));
  if (well_now(read, false))
    words = "stale: read again it is right" + (words.empty() ? "" : " (it was " + words + ")");
  else if (well_now(read, true))
    words = "stale: read past the cache it is right" + (words.empty() ? "" : " (it was " + words + ")");
  return words;
}

bool Verification::well_now(const io::Request& read, bool past_the_cache) {
  auto again = read_again(targets_[read.target], read.offset, read.length, past_the_cache);
  if (again.empty()) return false;
  const auto verdict = tools_.checker.check(again, {.offset = read.offset});
  if (!verdict.good() || !own_run()) return verdict.good();
  const auto& layout = tools_.checker.layout();
  if (!layout.has_header()) return true;
  for (std::uint32_t i = 0; i < layout.count(again.size()); ++i) {
    verify::Verdict stranger;
    const std::size_t begin = layout.begin(i), length = layout.length(i, again.size());
    if (length <= layout.header() + verify::row_of(layout.method).field) continue;
    if (!is_of(verify::read_header(std::span(again).subspan(begin), layout.format),
               demanded(read, read.offset + begin, length), stranger))
      return false;
  }
  return true;
}

ErrorRecord* Verification::tell(const char* text, const io::Request& request, WorkerRecord& record,
                                std::uint32_t first_target) const {
  const bool goes_on = job::goes_on_after(job_.of<job::Errors>(), io::Dir::read, EILSEQ);
  auto* const e = record.add_io_error(EILSEQ, goes_on, request, first_target);
  if (e != nullptr) std::snprintf(e->what, sizeof e->what, "%s", text);
  return e;
}

}  // namespace fathom::run
