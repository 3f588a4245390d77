// Writes that can be checked, and their check. Sealer generates all bytes of an I/O: first the contents, from a seed or
// a pattern, over the whole I/O; then a header per interval, with the method's field behind it. With verify_offset,
// header and field are swapped with the bytes at that offset. Checker reverses this, and reports the first mismatch in
// fio's order. The seed is in the header, so the expected bytes can be regenerated from a read block alone (facts_of,
// Sealer::seal).
//
//   const auto layout = settle(ask);                         once per job
//   auto sealer = Sealer::make(*layout, pattern);            once per worker; a Checker likewise
//   sealer->seal(io, {.offset = ..., .numberio = ...});      for each write
//   checker->check(io, {.offset = ...});                     for each read
//
// The remainder behind an I/O's last whole interval is a shorter interval, if it is longer than a header and a field.
// Otherwise it has contents only, and is not checked.
// Sealer and Checker have one owner each. No call but make() allocates. Exception: OpenSSL 3.0 allocates in SHA-3, as
// it creates a context at each start of a hash (400 bytes, freed at once).
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

// Facts of one write.
struct IoFacts {
  std::uint64_t offset = 0, numberio = 0;
  std::uint64_t seed = 0;  // of the contents; meaningless with a pattern
  std::uint32_t sec = 0, nsec = 0;
  std::uint16_t thread = 1;
};

class Sealer {
 public:
  static base::Expected<Sealer> make(const Layout& layout, PatternBytes pattern = {});
  // fill(), then seal_interval() for every interval.
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

// The expected values of a read. nullopt: any value.
struct Wanted {
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> numberio = {}, seed = {};
};

// Result for one interval. offset and length: its position in the file, in bytes.
struct Verdict {
  Flaw flaw = Flaw::none;
  bool proves_little = false;    // matched, but only the sha512 field of fio 3.33 to 3.38, which is no hash
  Method method = Method::meta;  // the checked one
  std::uint32_t interval = 0;    // number in the I/O; the check can continue at the next one
  std::uint32_t length = 0;
  std::uint64_t offset = 0;
  std::uint64_t found = 0, wanted = 0;  // value of a header field, or byte of the pattern
  std::size_t pattern_at = 0;           // position of that byte, counted from the end of the header
  std::optional<Header> header;         // as read; nullopt: the method has no header
  // For Flaw::digest: the stored field and the hash of the data, row_of(method).field bytes each.
  std::array<std::byte, kLargestField> digest_stored, digest_of_data;

  bool good() const { return flaw == Flaw::none; }
  // A flaw in the header: the other results are then meaningless.
  bool of_header() const { return flaw >= Flaw::magic && flaw <= Flaw::header_crc; }
};

class Checker {
 public:
  static base::Expected<Checker> make(const Layout& layout, PatternBytes pattern = {});
  // Checks the intervals from `first` up to the first wrong one. It reads both header forms, regardless of the
  // layout's. It moves the header of each checked interval to the interval's start, as in fio's dumps.
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

// The facts of the write that left `header` in interval number `interval` of its I/O.
IoFacts facts_of(const Header& header, const Layout& layout, std::uint32_t interval);

// Checks that trimmed data read as zeroes. `found` is the first nonzero byte, pattern_at its position.
Verdict check_zeroes(std::span<const std::byte> io, std::uint64_t offset);

}  // namespace fathom::verify
