// The pages of the process that are followed one by one, each under a number that it keeps. All pages that are resident
// or swapped out, or a random part of them if there are too many (the exponent of a random part's ranks is that of
// all). Pagemap is read in large pieces, and only around pages that existed at the last refresh: a terabyte mapped and
// not used costs nothing between refreshes. Thread rule: one thread.
#pragma once
#include <cstdint>
#include <vector>

#include "paging/learn/observe/target.h"

namespace fathom::paging::learn::observe {

class PageSample {
 public:
  PageSample(std::size_t most, std::uint64_t seed) : most_(most), seed_(seed) {}

  // Searches for pages again; pages never lose their number. False: the process has ended.
  bool refresh(Target& target);
  // Pagemap's words by page number; 0: neither resident nor swapped out now.
  void read(const Target& target, std::vector<std::uint64_t>& words);

  std::size_t size() const { return pages_.size(); }
  std::uint64_t address(std::size_t number) const { return pages_[number] * kPageBytes; }
  std::uint64_t resident_pages() const { return resident_; }  // at the last refresh, with swapped-out pages
  std::uint64_t mapped_bytes() const { return mapped_; }
  double share() const { return share_; }  // of these pages: the followed ones
  double refresh_s() const { return refresh_s_; }
  bool overflowed() const { return overflowed_; }  // it grew too much: new pages are no longer followed

 private:
  struct Piece {  // of pages next to each other
    std::uint64_t page = 0, count = 0;
  };
  struct Followed {
    std::uint64_t page;
    std::uint32_t number;
  };
  bool chosen(std::uint64_t page) const;
  void scan(const Target& target, const std::vector<Mapping>& mappings, std::vector<std::uint64_t>& resident);
  void follow(const std::vector<std::uint64_t>& resident);

  std::size_t most_;
  std::uint64_t seed_;
  double share_ = 0;  // 0: not chosen yet
  std::uint64_t resident_ = 0, mapped_ = 0;
  double refresh_s_ = 0;
  bool overflowed_ = false;
  std::vector<std::uint64_t> pages_;  // by number
  std::vector<Followed> by_page_;     // sorted by page
  std::vector<Piece> pieces_;
  std::vector<std::uint64_t> buffer_;
};

}  // namespace fathom::paging::learn::observe
