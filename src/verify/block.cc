// Seals and checks blocks.
#include "verify/block.h"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>

#include "base/random_fill.h"

namespace fathom::verify {
namespace {

// verify_offset: exchanges the header and its field with the bytes at `offset`. The two ranges do not overlap (settle).
// A second call restores the block.
void move_header(std::span<std::byte> block, std::uint32_t offset, std::size_t size) {
  if (offset == 0 || offset + size > block.size()) return;
  std::swap_ranges(block.begin(), block.begin() + static_cast<std::ptrdiff_t>(size), block.begin() + offset);
}

}  // namespace

base::Expected<Sealer> Sealer::make(const Layout& layout, PatternBytes pattern) {
  auto hash = HashState::make(layout.method);
  if (!hash) return hash.error();
  return Sealer(layout, std::move(pattern), std::move(*hash));
}

void Sealer::fill(std::span<std::byte> io, const IoFacts& facts) {
  if (pattern_.empty())
    base::fill_streams(io, facts.seed);
  else
    pattern_.fill(io, facts.offset);
}

void Sealer::seal(std::span<std::byte> io, const IoFacts& facts) {
  fill(io, facts);
  if (!row_->header) return;
  const std::uint32_t count = layout_.count(io.size());
  for (std::uint32_t i = 0; i < count; ++i) seal_interval(io, i, facts);
}

void Sealer::seal_interval(std::span<std::byte> io, std::uint32_t interval, const IoFacts& facts) {
  const auto& row = *row_;
  const auto block = io.subspan(layout_.begin(interval), layout_.length(interval, io.size()));
  const std::size_t header = header_size(layout_.format), data = header + row.field;
  if (block.size() <= data) return;
  write_header(block, {.format = layout_.format,
                       .type = static_cast<std::uint16_t>(row.method),
                       .thread = facts.thread,
                       .length = static_cast<std::uint32_t>(block.size()),
                       .sec = facts.sec,
                       .nsec = facts.nsec,
                       .seed = pattern_.empty() ? facts.seed : 0,
                       .offset = facts.offset + layout_.begin(interval),
                       .numberio = facts.numberio});
  if (row.digest != nullptr) row.digest(hash_, block.subspan(data), block.data() + header);
  move_header(block, layout_.offset, data);
}

base::Expected<Checker> Checker::make(const Layout& layout, PatternBytes pattern) {
  auto hash = HashState::make(layout.method);
  if (!hash) return hash.error();
  return Checker(layout, std::move(pattern), std::move(*hash));
}

Verdict Checker::check(std::span<std::byte> io, const Wanted& wanted, std::uint32_t first) {
  Verdict verdict;
  bool proves_little = false;
  const std::uint32_t count = layout_.count(io.size());
  for (std::uint32_t i = first; i < count && verdict.good(); ++i) {
    verdict.interval = i;
    check_interval(io, wanted, verdict);
    proves_little |= verdict.proves_little;
  }
  verdict.proves_little = proves_little;
  return verdict;
}

void Checker::check_interval(std::span<std::byte> io, const Wanted& wanted, Verdict& verdict) {
  const auto& row = *row_;
  const std::size_t begin = layout_.begin(verdict.interval);
  const auto block = io.subspan(begin, layout_.length(verdict.interval, io.size()));
  verdict.method = row.method;
  verdict.offset = wanted.offset + begin;
  verdict.length = static_cast<std::uint32_t>(block.size());
  std::size_t header = 0;
  if (row.header) {
    if (block.size() <= header_size(Format::fio_3_33) + row.field) return;
    const Format format = form_of(block);
    header = header_size(format);
    move_header(block, layout_.offset, header + row.field);
    verdict.header = read_header(block, format);
    const auto field = check_header(
        *verdict.header, block,
        {.length = verdict.length, .offset = verdict.offset, .seed = wanted.seed, .numberio = wanted.numberio});
    std::tie(verdict.flaw, verdict.found, verdict.wanted) = std::tie(field.flaw, field.found, field.wanted);
  }
  if (!verdict.good()) return;
  if (row.digest != nullptr) return check_digest(block, header, verdict);
  if (!pattern_.empty() && row.method != Method::null)
    check_pattern(block.subspan(header), begin + header, wanted.offset, verdict);
}

// A block with space only for the smaller header has no larger one.
Format Checker::form_of(std::span<const std::byte> block) const {
  const std::size_t field = row_->field;
  if (block.size() <= header_size(Format::fio_3_42) + field) return Format::fio_3_33;
  const std::size_t at = layout_.offset + header_size(Format::fio_3_33) <= block.size() ? layout_.offset : 0;
  return told_apart(block.subspan(at));
}

void Checker::check_digest(std::span<const std::byte> block, std::size_t header, Verdict& verdict) {
  const auto& row = *row_;
  const auto field = block.subspan(header, row.field);
  const auto data = block.subspan(header + row.field);
  auto& computed = verdict.digest_of_data;
  row.digest(hash_, data, computed.data());
  if (std::memcmp(computed.data(), field.data(), field.size()) == 0) return;
  auto& stored = verdict.digest_stored;
  std::memcpy(stored.data(), field.data(), field.size());
  if (row.copy_before_3_39 && verdict.header->format == Format::fio_3_33) {
    std::array<std::byte, kLargestField> copy = stored;
    sha512_copy(data, copy.data());
    verdict.proves_little = copy == stored;
    if (verdict.proves_little) return;
  }
  verdict.flaw = Flaw::digest;
}

void Checker::check_pattern(std::span<const std::byte> data, std::size_t begin, std::uint64_t io_offset,
                            Verdict& verdict) {
  const auto different = pattern_.check(data, begin, io_offset);
  if (!different) return;
  verdict.flaw = Flaw::pattern;
  verdict.pattern_at = different->at;
  verdict.found = std::to_integer<std::uint64_t>(different->found);
  verdict.wanted = std::to_integer<std::uint64_t>(different->wanted);
}

IoFacts facts_of(const Header& header, const Layout& layout, std::uint32_t interval) {
  return {.offset = header.offset - layout.begin(interval),
          .numberio = header.numberio,
          .seed = header.seed,
          .sec = header.sec,
          .nsec = header.nsec,
          .thread = header.thread};
}

Verdict check_zeroes(std::span<const std::byte> io, std::uint64_t offset) {
  Verdict verdict;
  verdict.offset = offset;
  verdict.length = static_cast<std::uint32_t>(io.size());
  // A range contains only zeroes if its first byte is zero, and each other byte equals its predecessor.
  if (io.empty() || (io[0] == std::byte{0} && std::memcmp(io.data(), io.data() + 1, io.size() - 1) == 0))
    return verdict;
  const auto first = std::find_if(io.begin(), io.end(), [](std::byte byte) { return byte != std::byte{0}; });
  verdict.flaw = Flaw::zeroes;
  verdict.found = std::to_integer<std::uint64_t>(*first);
  verdict.pattern_at = static_cast<std::size_t>(first - io.begin());
  return verdict;
}

}  // namespace fathom::verify
