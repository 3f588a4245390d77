// Writes that can be checked, and their check. Sealing an I/O makes all of its bytes: the contents, drawn from a seed
// or a pattern over the whole of it, then in each interval a header, the method's field behind it, and, with
// verify_offset, both changed in place with the bytes there. Checking goes the same way back, and tells the first thing
// that is wrong in the order in which fio looks. As the seed stands in the header, what should have been there can be
// made again from nothing but a block that was read (facts_of, Sealer::seal).
//
//   const auto layout = settle(ask);                         once a job
//   auto sealer = Sealer::make(*layout, pattern);            once a worker; a Checker likewise
//   sealer->seal(io, {.offset = ..., .numberio = ...});      for each write
//   checker->check(io, {.offset = ...});                     for each read
//
// What is left of an I/O behind its last whole interval is a shorter one, if it is longer than a header and a field;
// otherwise it has contents only, and is not looked at.
// Sealer and Checker have one owner each. No call but make() allocates; OpenSSL 3.0 itself does in SHA-3, whose context
// it makes anew each time that it begins (400 bytes, freed at once).
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "base/error.h"
#include "verify/header.h"
#include "verify/layout.h"
#include "verify/methods.h"
#include "verify/pattern_bytes.h"

namespace fathom::verify {

// Of one write.
struct IoFacts {
  std::uint64_t offset = 0, numberio = 0;
  std::uint64_t seed = 0;  // of the contents; without a meaning with a pattern
  std::uint32_t sec = 0, nsec = 0;
  std::uint16_t thread = 1;
};

class Sealer {
 public:
  static base::Expected<Sealer> make(const Layout& layout, PatternBytes pattern = {});
  // fill() and seal_interval() of all.
  void seal(std::span<std::byte> io, const IoFacts& facts);
  // The contents, without headers.
  void fill(std::span<std::byte> io, const IoFacts& facts);
  void seal_interval(std::span<std::byte> io, std::uint32_t interval, const IoFacts& facts);
  const Layout& layout() const { return layout_; }

 private:
  Sealer(const Layout& layout, PatternBytes pattern, HashState hash)
      : layout_(layout), row_(&row_of(layout.method)), pattern_(std::move(pattern)), hash_(std::move(hash)) {}
  Layout layout_;
  const MethodRow* row_;  // of the layout's method
  PatternBytes pattern_;
  HashState hash_;
};

// What a read is to hold. None: any.
struct Wanted {
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> numberio = {}, seed = {};
};

// Of one interval. offset and length: where it lies in the file.
struct Verdict {
  Flaw flaw = Flaw::none;
  bool proves_little = false;    // was good, but by sha512 of fio 3.33, which is no hash
  Method method = Method::meta;  // that was checked
  std::uint32_t interval = 0;    // number in the I/O; the next one is where a check can go on
  std::uint32_t length = 0;
  std::uint64_t offset = 0;
  std::uint64_t found = 0, wanted = 0;  // a field's value; a byte of the pattern
  std::size_t pattern_at = 0;           // where that byte is, counted from behind the header
  std::optional<Header> header;         // as it was read; none: the method has no header
  // Of flaw digest, row_of(method).field bytes of each: what stands behind the header, and what the data come to.
  std::array<std::byte, kLargestField> digest_stored, digest_of_data;

  bool good() const { return flaw == Flaw::none; }
  bool of_header() const { return flaw >= Flaw::magic && flaw <= Flaw::header_crc; }  // the rest tells nothing then
};

class Checker {
 public:
  static base::Expected<Checker> make(const Layout& layout, PatternBytes pattern = {});
  // Looks at the intervals from `first` on up to the first that is wrong. Either form of the header is read, whichever
  // the layout has. What has been looked at has its header at its start afterwards, as fio's dumps have it.
  Verdict check(std::span<std::byte> io, const Wanted& wanted, std::uint32_t first = 0);
  const Layout& layout() const { return layout_; }

 private:
  Checker(const Layout& layout, PatternBytes pattern, HashState hash)
      : layout_(layout), row_(&row_of(layout.method)), pattern_(std::move(pattern)), hash_(std::move(hash)) {}
  void check_interval(std::span<std::byte> io, const Wanted& wanted, Verdict& verdict);
  Format form_of(std::span<const std::byte> block) const;
  void check_digest(std::span<const std::byte> block, std::size_t header, Verdict& verdict);
  void check_pattern(std::span<const std::byte> data, std::size_t begin, std::uint64_t io_offset, Verdict& verdict);
  Layout layout_;
  const MethodRow* row_;
  PatternBytes pattern_;
  HashState hash_;
};

// Of the write that left `header` in the interval number `interval` of its I/O.
IoFacts facts_of(const Header& header, const Layout& layout, std::uint32_t interval);

// What was trimmed has to read as zeroes: `found` is the first byte that is none, pattern_at its place.
Verdict check_zeroes(std::span<const std::byte> io, std::uint64_t offset);

}  // namespace fathom::verify
