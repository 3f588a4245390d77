// Sealing and checking the blocks of a run.
#include "run/verification.h"

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/prng.h"
#include "job/errors.h"
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

}  // namespace

Verification::Verification(VerifyTools tools, const job::Job& job, std::span<const io::Target> targets,
                           std::uint32_t job_index, std::uint64_t generation)
    : job_(job),
      targets_(targets),
      tools_(std::move(tools)),
      generation_(generation),
      thread_(static_cast<std::uint16_t>(job_index + 1)),
      makes_contents_(tools_.sealer.layout().has_pattern || drawn_from_seeds(job)) {
  if (job.mode.writes && (job.do_verify || job.verify_only)) read_back_.emplace(job, targets, job_index);
}

// The smaller header has the low 16 bits of the number.
std::uint64_t Verification::seed_of(std::uint64_t numberio) const {
  if (tools_.sealer.layout().format == verify::Format::fio_3_33) numberio &= 0xffff;
  std::uint64_t state = generation_ ^ (numberio * 0x9e3779b97f4a7c15ull) ^ (std::uint64_t{thread_} << 48);
  return base::splitmix64(state);
}

void Verification::stamp(const io::Request& request, std::byte* buffer, std::uint64_t at_ns) {
  if (request.dir != io::Dir::write) return;
  const std::span io(buffer, request.length);
  const verify::IoFacts facts{.offset = request.offset,
                              .numberio = writes_,
                              .seed = seed_of(writes_),
                              .sec = static_cast<std::uint32_t>(at_ns / kNsASecond),
                              .nsec = static_cast<std::uint32_t>(at_ns % kNsASecond),
                              .thread = thread_};
  ++writes_;
  if (makes_contents_) return tools_.sealer.seal(io, facts);
  const std::uint32_t intervals = tools_.sealer.layout().count(io.size());
  for (std::uint32_t i = 0; i < intervals; ++i) tools_.sealer.seal_interval(io, i, facts);
}

// Whole blocks that another run has left, under what this one wrote: the seed in their headers is not this run's.
// Patterns have no seed.
verify::Verdict Verification::of_this_run(std::span<const std::byte> io, verify::Verdict verdict) const {
  const auto& layout = tools_.checker.layout();
  if (layout.has_pattern || !layout.has_header()) return verdict;
  for (std::uint32_t i = 0; i < layout.count(io.size()); ++i) {
    const std::size_t begin = layout.begin(i), length = layout.length(i, io.size());
    if (length <= layout.header() + verify::row_of(layout.method).field) continue;
    const auto header = verify::read_header(io.subspan(begin), layout.format);
    if (header.seed == seed_of(header.numberio)) continue;
    verdict.flaw = verify::Flaw::seed;
    verdict.interval = i;
    verdict.offset = header.offset;
    verdict.length = header.length;
    verdict.found = header.seed;
    verdict.wanted = seed_of(header.numberio);
    verdict.header = header;
    return verdict;
  }
  return verdict;
}

verify::Verdict Verification::verdict_of(std::span<std::byte> io, std::uint64_t offset) {
  const auto verdict = tools_.checker.check(io, {.offset = offset});
  const bool own = job_.mode.writes && !job_.verify_only;
  return own && verdict.good() ? of_this_run(io, verdict) : verdict;
}

bool Verification::check(const io::Request& request, std::byte* buffer, WorkerRecord& record,
                         std::uint32_t first_target) {
  if (request.dir != io::Dir::read || (job_.mode.writes && !reading_back_)) return true;
  const std::span io(buffer, request.length);
  if (const std::uint32_t interval = old_interval(io); interval != 0 && (!job_.mode.writes || job_.verify_only)) {
    const auto old = workload::check_block(io, request.offset, interval, 0);
    if (old.good()) return true;
    char text[sizeof(ErrorRecord::what)];
    std::snprintf(text, sizeof text, "verify: bad %s at offset %" PRIu64 ", expected %#" PRIx64 ", found %#" PRIx64,
                  workload::name(old.flaw), old.offset, old.expected, old.found);
    tell(text, request, record, first_target);
    return false;
  }
  const auto verdict = verdict_of(io, request.offset);
  if (verdict.good()) return true;
  const verify::RequestedBlock requested{.file = targets_[request.target].path,
                                         .offset = request.offset,
                                         .length = request.length,
                                         .format = tools_.checker.layout().format};
  const auto lines = verify::fio_lines(verdict, requested);
  std::string text;
  for (const auto& line : lines) text += (text.empty() ? "" : "; ") + line.substr(line.find_first_not_of(' '));
  tell(text.c_str(), request, record, first_target);
  return false;
}

void Verification::tell(const char* text, const io::Request& request, WorkerRecord& record,
                        std::uint32_t first_target) const {
  const bool goes_on = job::goes_on_after(job_.of<job::Errors>(), io::Dir::read, EILSEQ);
  if (auto* e = record.add_io_error(EILSEQ, goes_on, request, first_target))
    std::snprintf(e->what, sizeof e->what, "%s", text);
}

}  // namespace fathom::run
