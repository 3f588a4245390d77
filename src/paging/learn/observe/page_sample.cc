// See page_sample.h. A page is followed if a hash of its number is below the share. So each refresh selects the same
// pages without a list.
#include "paging/learn/observe/page_sample.h"

#include <algorithm>
#include <chrono>

#include "base/prng.h"

namespace fathom::paging::learn::observe {
namespace {

constexpr std::uint64_t kGroup = 512;         // pages of one page table: the unit of repeated reads
constexpr std::uint64_t kBuffer = 128 << 10;  // words per pread
constexpr std::size_t kOverflow = 2;          // factor on the maximum number of pages

}  // namespace

bool PageSample::chosen(std::uint64_t page) const {
  if (share_ >= 1) return true;
  std::uint64_t state = page ^ seed_ * 0x9e3779b97f4a7c15ull;
  return static_cast<double>(base::splitmix64(state) >> 11) * 0x1.0p-53 < share_;
}

void PageSample::scan(const Target& target, const std::vector<Mapping>& mappings,
                      std::vector<std::uint64_t>& resident) {
  buffer_.resize(kBuffer);
  pieces_.clear();
  mapped_ = 0;
  for (const Mapping& mapping : mappings) {
    mapped_ += mapping.bytes();
    const std::uint64_t end = mapping.end / kPageBytes;
    for (std::uint64_t page = mapping.begin / kPageBytes; page < end;) {
      const std::uint64_t count = std::min(kBuffer - page % kGroup, end - page);
      target.read_pagemap(page, {buffer_.data(), count});
      for (std::uint64_t i = 0; i < count; ++i) {
        if ((buffer_[i] & (kPresent | kSwapped)) == 0) continue;
        resident.push_back(page + i);
        const std::uint64_t group = (page + i) / kGroup * kGroup;
        if (!pieces_.empty() && pieces_.back().page + pieces_.back().count > page + i) continue;
        if (!pieces_.empty() && pieces_.back().page + pieces_.back().count == group &&
            pieces_.back().count + kGroup <= kBuffer)
          pieces_.back().count += kGroup;
        else
          pieces_.push_back({group, kGroup});
      }
      page += count;
    }
  }
}

void PageSample::follow(const std::vector<std::uint64_t>& resident) {
  if (share_ == 0)
    share_ = resident.size() > most_ ? static_cast<double>(most_) / static_cast<double>(resident.size()) : 1;
  const std::size_t old = by_page_.size();
  for (const std::uint64_t page : resident) {
    if (!chosen(page)) continue;
    const auto end = by_page_.begin() + static_cast<std::ptrdiff_t>(old);
    const auto found = std::lower_bound(by_page_.begin(), end, page, [](auto& f, auto p) { return f.page < p; });
    if (found != end && found->page == page) continue;
    overflowed_ = pages_.size() >= kOverflow * most_;
    if (overflowed_) break;
    by_page_.push_back({page, static_cast<std::uint32_t>(pages_.size())});
    pages_.push_back(page);
  }
  std::sort(by_page_.begin(), by_page_.end(), [](auto& a, auto& b) { return a.page < b.page; });
}

bool PageSample::refresh(Target& target) {
  const auto begin = std::chrono::steady_clock::now();
  if (!target.reopen()) return false;
  const auto mappings = target.mappings(false);
  if (mappings.empty()) return false;
  std::vector<std::uint64_t> resident;
  scan(target, mappings, resident);
  if (resident.empty()) return !target.ended();
  resident_ = resident.size();
  follow(resident);
  refresh_s_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return true;
}

void PageSample::read(const Target& target, std::vector<std::uint64_t>& words) {
  words.assign(pages_.size(), 0);
  auto next = by_page_.begin();
  for (const Piece& piece : pieces_) {
    target.read_pagemap(piece.page, {buffer_.data(), piece.count});
    while (next != by_page_.end() && next->page < piece.page) ++next;
    for (; next != by_page_.end() && next->page < piece.page + piece.count; ++next)
      words[next->number] = buffer_[next->page - piece.page];
  }
}

}  // namespace fathom::paging::learn::observe
