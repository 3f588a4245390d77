// Decides whether the data read are correct.
#include "run/checks/verify_judge.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "base/prng.h"
#include "base/system/fd.h"
#include "io/target.h"
#include "run/checks/state_follow.h"
#include "run/checks/verify_dump.h"
#include "run/records/process_io.h"
#include "run/records/record.h"
#include "verify/damage.h"
#include "verify/fio_lines.h"
#include "workload/bytes/verify.h"
#include "workload/stream.h"

namespace fathom::run::checks {
namespace {

// Reads a wrong block again through a separate descriptor: from the page cache, or with O_DIRECT. If only the first
// read was wrong, or only the page cache, the storage did not lose the data. Any thread. Empty: no second read is
// possible. Causes: neither a file nor a block device, no O_DIRECT, not aligned to 512 bytes, an error.
std::vector<std::byte> read_again(const io::Target& target, std::uint64_t offset, std::size_t length,
                                  bool past_the_cache, bool direct_job) {
  constexpr std::size_t kAlignment = 4096, kSector = 512;
  if (target.kind != io::TargetKind::regular && target.kind != io::TargetKind::block) return {};
  if (past_the_cache && (offset % kSector != 0 || length % kSector != 0)) return {};
  const base::system::UniqueFd fd(::open(target.path.c_str(), O_RDONLY | O_CLOEXEC | (past_the_cache ? O_DIRECT : 0)));
  if (fd.get() < 0) return {};
  const std::size_t room = (length + kAlignment - 1) / kAlignment * kAlignment;
  const std::unique_ptr<void, decltype(&std::free)> memory(std::aligned_alloc(kAlignment, room), &std::free);
  if (memory == nullptr) return {};
  if (!past_the_cache) ::posix_fadvise(fd.get(), 0, 0, POSIX_FADV_RANDOM);  // no read-ahead
  if (::pread(fd.get(), memory.get(), length, static_cast<off_t>(offset)) != static_cast<ssize_t>(length)) return {};
  // A direct job's pages were not in the cache before this read: drop them again.
  if (direct_job && !past_the_cache)
    ::posix_fadvise(fd.get(), static_cast<off_t>(offset), static_cast<off_t>(length), POSIX_FADV_DONTNEED);
  std::vector<std::byte> bytes(length);
  std::memcpy(bytes.data(), memory.get(), length);
  return bytes;
}

// The interval of a block in fathom's former format, from before it wrote fio's format. The magic number is the first
// word of each chunk, and the chunk's length is at byte 24. 0: another format.
std::uint32_t old_interval(std::span<const std::byte> io) {
  std::uint64_t magic = 0;
  std::uint32_t length = 0;
  if (io.size() < workload::bytes::kVerifyHeader) return 0;
  std::memcpy(&magic, io.data(), sizeof magic);
  std::memcpy(&length, io.data() + 24, sizeof length);
  return magic == workload::bytes::kVerifyMagic && length >= workload::bytes::kSmallestInterval ? length : 0;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += (text.empty() ? "" : "\n") + line;
  return text;
}

constexpr std::uint32_t kMostTold = 16;  // maximum of reported wrong intervals per I/O

}  // namespace

std::unique_ptr<workload::Source> VerifyFacts::writes() const {
  if (written) return std::make_unique<workload::WrittenAgain>(*written);
  return std::make_unique<workload::Stream>(job, targets, index);
}

std::uint64_t VerifyFacts::seed_of(std::uint64_t numberio, std::uint16_t of_thread) const {
  if (format == verify::Format::fio_3_33) numberio &= 0xffff;
  std::uint64_t state = generation ^ (numberio * 0x9e3779b97f4a7c15ull) ^ (std::uint64_t{of_thread} << 48);
  return base::splitmix64(state);
}

bool Judge::has_own_header(std::size_t length) const {
  return layout().has_header() && length > layout().header() + verify::row_of(layout().method).field;
}

Judged Judge::judge(const io::Request& read, std::span<std::byte> io, Against against) {
  if (against == Against::zeroes) return zeroes(read, io);
  if (!facts_.own_run()) {
    if (const std::uint32_t interval = old_interval(io); interval != 0) return of_old_format(read, io, interval);
  }
  return of_intervals(read, io, against);
}

// Every path returns the same object. The compiler then constructs it in the caller's frame, and its text is not moved.
Judged Judge::of_intervals(const io::Request& read, std::span<std::byte> io, Against against) {
  Judged out;
  for (std::uint32_t first = 0, told = 0; told < kMostTold; ++told) {
    const auto verdict = look(read, io, against, first, out.counts);
    if (verdict.good()) break;
    if (facts_.followed != nullptr && facts_.followed->excuses(read, verdict)) {
      out.counts.withheld += read.length;
      return out;
    }
    tell(read, io, verdict, against, out);
    first = verdict.interval + 1;
    if (first >= layout().count(io.size())) break;
  }
  if (out.well && !facts_.own_run()) out.counts.some_version += read.length;
  return out;
}

verify::Verdict Judge::look(const io::Request& read, std::span<std::byte> io, Against against, std::uint32_t first,
                            result::Verified& counts) {
  if (facts_.own_run()) return of_these_writes(read, io, against, first, counts);
  return tools_.checker.check(io, {.offset = read.offset}, first);
}

Judged Judge::zeroes(const io::Request& read, std::span<const std::byte> io) const {
  Judged out;
  const auto verdict = verify::check_zeroes(io, read.offset);
  out.well = verdict.good();
  if (out.well) {
    out.counts.exact += read.length;
    return out;
  }
  out.offset = read.offset;
  out.length = read.length;
  out.text = joined(verify::fio_lines(verdict, {.file = facts_.targets[read.target].path,
                                                .offset = read.offset,
                                                .length = read.length,
                                                .format = layout().format}));
  return out;
}

Judged Judge::of_old_format(const io::Request& read, std::span<const std::byte> io, std::uint32_t interval) const {
  Judged out;
  const auto old = workload::bytes::check_block(io, read.offset, interval, 0);
  out.well = old.good();
  if (out.well) return out;
  out.offset = read.offset;
  out.length = read.length;
  out.text = fmt::format("verify: bad {} at offset {}, expected {:#x}, found {:#x}", workload::bytes::name(old.flaw),
                         old.offset, old.expected, old.found);
  return out;
}

Versions::Last Judge::demanded(const io::Request& read, std::uint64_t offset, std::uint64_t length,
                               Against against) const {
  const std::uint64_t own = io::noted_write(read);
  if (facts_.others_write_there || facts_.any_version || facts_.order_unknown)
    return {Versions::Standing::unordered, own};
  if (!facts_.versions) return {Versions::Standing::one, own};
  const auto last = facts_.versions->last(read.target, offset, length);
  // A later write there is in flight, or was issued after this read.
  if (against == Against::mid_run && (last.standing != Versions::Standing::one || last.number != own))
    return {Versions::Standing::none, ~own};
  return last;
}

// A job that writes reads a place once for each write that is the last one in a part of it. Each part counts once.
bool Judge::counts_for(const io::Request& read, const Versions::Last& last) const {
  return !facts_.job.mode.writes || last.number == io::noted_write(read);
}

// Whether the block comes from the expected write. False: an intact block of another run (another seed) or of an
// earlier write.
bool Judge::is_of(const verify::Header& header, const Versions::Last& last, verify::Verdict& verdict) const {
  const bool one = last.standing == Versions::Standing::one;
  const std::uint64_t number = one ? last.number : header.numberio;
  const std::uint64_t in_header = header.format == verify::Format::fio_3_33 ? number & 0xffff : number;
  const std::uint64_t seed = facts_.seed_of(number, facts_.others_write_there ? header.thread : facts_.thread);
  const bool has_seed = !layout().has_pattern && facts_.options.header_seed;
  verdict.header = header;
  verdict.offset = header.offset;
  verdict.length = header.length;
  if (has_seed && header.seed != seed) {
    verdict.flaw = verify::Flaw::seed;
    verdict.found = header.seed;
    verdict.wanted = seed;
  } else if (facts_.options.write_sequence && header.numberio != in_header) {
    verdict.flaw = verify::Flaw::numberio;
    verdict.found = header.numberio;
    verdict.wanted = in_header;
  }
  return verdict.good();
}

std::uint32_t Judge::first_foreign(const io::Request& read, std::span<const std::byte> io, std::uint32_t first,
                                   std::uint32_t end, Against against, verify::Verdict& verdict,
                                   result::Verified& counts) const {
  const auto count = [&](std::uint64_t result::Verified::*kind, std::uint64_t bytes, const Versions::Last& last) {
    counts.*(counts_for(read, last) ? kind : &result::Verified::overwritten) += bytes;
  };
  for (std::uint32_t i = first; i < end; ++i) {
    const std::size_t begin = layout().begin(i), length = layout().length(i, io.size());
    const auto last = demanded(read, read.offset + begin, length, against);
    const bool one = last.standing == Versions::Standing::one;
    const bool with_header = has_own_header(length);
    verify::Verdict foreign;
    if (last.standing == Versions::Standing::none) {
      counts.overwritten += length;
      continue;
    }
    if (with_header && !is_of(verify::read_header(io.subspan(begin), layout().format), last, foreign)) {
      if (!one && !facts_.others_write_there && !facts_.any_version) {
        count(&result::Verified::withheld, length, last);
        continue;
      }
      foreign.method = layout().method;
      foreign.interval = i;
      verdict = foreign;
      return i;
    }
    count(one && with_header ? &result::Verified::exact : &result::Verified::some_version, length, last);
  }
  return end;
}

// If the order of writes is unknown, a block may contain parts of several writes. A wrong block is then counted as
// withheld, and is not an error.
verify::Verdict Judge::of_these_writes(const io::Request& read, std::span<std::byte> io, Against against,
                                       std::uint32_t first, result::Verified& counts) {
  const std::uint32_t count = layout().count(io.size());
  while (first < count) {
    auto verdict = tools_.checker.check(io, {.offset = read.offset}, first);
    const std::uint32_t looked_at = verdict.good() ? count : verdict.interval;
    if (first_foreign(read, io, first, looked_at, against, verdict, counts) != looked_at || looked_at == count)
      return verdict;
    const std::size_t length = layout().length(looked_at, io.size());
    const auto last = demanded(read, read.offset + layout().begin(looked_at), length, against);
    if (last.standing == Versions::Standing::one) return verdict;
    (counts_for(read, last) ? counts.withheld : counts.overwritten) += length;
    first = looked_at + 1;
  }
  return {};
}

void Judge::tell(const io::Request& read, std::span<const std::byte> io, const verify::Verdict& verdict,
                 Against against, Judged& out) {
  const std::string& path = facts_.targets[read.target].path;
  const std::size_t begin = layout().begin(verdict.interval), length = layout().length(verdict.interval, io.size());
  if (out.well) {
    out.offset = read.offset + begin;
    out.length = static_cast<std::uint32_t>(length);
  }
  out.well = false;
  auto lines = verify::fio_lines(
      verdict, {.file = path, .offset = read.offset, .length = read.length, .format = layout().format});
  const auto whole = wanted_of(read, io.size(), verdict, against);
  const auto wanted = whole.empty() ? std::span<const std::byte>() : std::span(whole).subspan(begin, length);
  if (facts_.options.dump) {
    const DumpedBlock block{path, read.offset + begin, io.subspan(begin, length), wanted, verdict};
    for (auto& line : dump_block(block, facts_.options.aux_path)) lines.push_back(std::move(line));
  }
  out.text += (out.text.empty() ? "" : "\n") + joined(lines);
  const char* between = "\n";
  const auto add = [&](const std::string& text) { out.text += std::exchange(between, "; ") + text; };
  if (verdict.header && !verdict.of_header())
    add(fmt::format("from write {} of job {}, {}.{:09} s after its start", verdict.header->numberio,
                    verdict.header->thread, verdict.header->sec, verdict.header->nsec));
  if (const auto damage = damage_of(read, io, verdict, wanted, against, out.reread_bytes); !damage.empty()) add(damage);
  if (verdict.flaw == verify::Flaw::seed && !of_this_run(*verdict.header))
    add("the block is from another run: an earlier run, or another program that writes to this target");
}

bool Judge::of_this_run(const verify::Header& header) const {
  return header.seed == facts_.seed_of(header.numberio, header.thread);
}

// The expected bytes. The times in the header are copied from the header that was read. The rest follows from the
// number of the last write, or from the header that was read.
std::vector<std::byte> Judge::wanted_of(const io::Request& read, std::size_t length, const verify::Verdict& verdict,
                                        Against against) {
  verify::IoFacts facts{.offset = read.offset, .thread = facts_.thread};
  if (!facts_.makes_contents) return {};
  if (facts_.own_run() && !facts_.any_version && !facts_.order_unknown) {
    const auto last = demanded(read, read.offset + layout().begin(verdict.interval), verdict.length, against);
    facts.numberio = last.number;
    facts.seed = facts_.seed_of(last.number, facts_.thread);
    if (verdict.header) {
      facts.sec = verdict.header->sec;
      facts.nsec = verdict.header->nsec;
    }
  } else if (verdict.header && verdict.flaw == verify::Flaw::digest) {
    facts = verify::facts_of(*verdict.header, layout(), verdict.interval);
  } else {
    return {};
  }
  // A block in another version of fio's format is generated in that format.
  const auto form = verdict.header && verdict.flaw == verify::Flaw::digest ? verdict.header->format : layout().format;
  auto other =
      form == layout().format ? base::Expected<VerifyTools>(base::Error{}) : VerifyTools::make(facts_.job, form);
  VerifyTools& tools = other ? *other : tools_;
  std::vector<std::byte> io(length);
  tools.sealer.seal(io, facts);
  (void)tools.checker.check(io, {.offset = read.offset});  // moves each header to the start of its interval
  return io;
}

std::string Judge::damage_of(const io::Request& read, std::span<const std::byte> io, const verify::Verdict& verdict,
                             std::span<const std::byte> wanted, Against against, std::uint64_t& reread_bytes) {
  const std::size_t begin = layout().begin(verdict.interval), length = layout().length(verdict.interval, io.size());
  const std::size_t behind_header = layout().header() + verify::row_of(layout().method).field;
  auto text = verify::damage_text(verify::tell_damage(io.subspan(begin, length), wanted, behind_header, verdict));
  if (++reread_blocks_ > records::kErrorRecords) return text;  // the texts of later blocks are not kept
  const auto before = records::read_process_io(true);
  const bool well_from_cache = well_now(read, false, against);
  const bool well_past_it = !well_from_cache && well_now(read, true, against);
  reread_bytes += records::grown(before, records::read_process_io(true)).read_bytes;
  if (well_from_cache)
    text = "stale: correct on a second read" + (text.empty() ? "" : " (it was " + text + ")");
  else if (well_past_it)
    text = "stale: correct when read past the cache" + (text.empty() ? "" : " (it was " + text + ")");
  return text;
}

bool Judge::well_now(const io::Request& read, bool past_the_cache, Against against) {
  auto again = read_again(facts_.targets[read.target], read.offset, read.length, past_the_cache, facts_.job.direct);
  if (again.empty()) return false;
  const auto verdict = tools_.checker.check(again, {.offset = read.offset});
  if (!verdict.good() || !facts_.own_run()) return verdict.good();
  if (!layout().has_header()) return true;
  for (std::uint32_t i = 0; i < layout().count(again.size()); ++i) {
    verify::Verdict foreign;
    const std::size_t begin = layout().begin(i), length = layout().length(i, again.size());
    if (!has_own_header(length)) continue;
    if (!is_of(verify::read_header(std::span(again).subspan(begin), layout().format),
               demanded(read, read.offset + begin, length, against), foreign))
      return false;
  }
  return true;
}

}  // namespace fathom::run::checks
