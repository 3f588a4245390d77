// The position of headers in a job's I/Os. An I/O is divided into intervals of equal length, each with a header at its
// start; without verify_interval=, the I/O is one interval. An interval must have the same length in every write.
// Otherwise a smaller write over part of a larger one would leave a header that describes overwritten data. The rules
// are fio's, even the surprising ones (an interval that does not divide the sizes is replaced, not refused).
// Computed once before the start. Pure; errors use fio's wording.
#pragma once
#include <cstddef>
#include <cstdint>

#include "base/error.h"
#include "verify/header.h"
#include "verify/methods.h"

namespace fathom::verify {

// Options of the job, in bytes.
struct LayoutAsk {
  Format format = Format::fio_3_42;
  Method method = Method::crc32c;
  std::uint64_t interval = 0;  // verify_interval; 0: not given
  std::uint64_t offset = 0;    // verify_offset: position of the header in its interval
  std::uint64_t min_write = 4096, max_write = 4096;
  std::uint64_t min_read = 0;    // of a job that also reads; 0: no reads
  bool unaligned_sizes = false;  // bs_unaligned: each I/O is one interval
  bool has_pattern = false;      // verify_pattern is given
  bool writes = true;            // sha512 of fio 3.33 is read-only
};

struct Layout {
  Format format = Format::fio_3_42;
  Method method = Method::crc32c;
  std::uint32_t interval = 0;  // bytes; 0: the whole I/O
  std::uint32_t offset = 0;
  bool has_pattern = false;

  bool has_header() const { return row_of(method).header; }
  std::size_t header() const { return has_header() ? header_size(format) : 0; }
  // begin and length of interval i, in an I/O of `io` bytes. The last interval can be shorter.
  std::size_t begin(std::uint32_t i) const { return std::size_t{i} * interval; }
  std::size_t length(std::uint32_t i, std::size_t io) const {
    const std::size_t rest = io - begin(i);
    return interval == 0 || rest < interval ? rest : interval;
  }
  std::uint32_t count(std::size_t io) const {
    if (interval == 0 || io <= interval) return 1;
    return static_cast<std::uint32_t>((io + interval - 1) / interval);
  }
};

base::Expected<Layout> settle(const LayoutAsk& ask);

}  // namespace fathom::verify
