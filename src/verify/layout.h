// Where in a job's I/Os the headers stand. An I/O is cut into intervals of the same length and each begins with a
// header; without verify_interval= an I/O has one. Each interval has to be as long in every write, or a smaller write
// over a part of a larger one would leave a header behind that describes what is no longer there: hence the rules,
// which are fio's, the surprising ones too (an interval that does not divide the sizes is replaced, not refused).
// Settled once before the start. Pure; errors are in fio's words.
#pragma once
#include <cstddef>
#include <cstdint>

#include "base/error.h"
#include "verify/header.h"
#include "verify/methods.h"

namespace fathom::verify {

// What a job says. Bytes.
struct LayoutAsk {
  Format format = Format::fio_3_42;
  Method method = Method::crc32c;
  std::uint64_t interval = 0;  // verify_interval; 0: not given
  std::uint64_t offset = 0;    // verify_offset: the header's place in its interval
  std::uint64_t min_write = 4096, max_write = 4096;
  std::uint64_t min_read = 0;    // of a job that reads too; 0: it does not
  bool unaligned_sizes = false;  // bs_unaligned: each I/O is one interval
  bool has_pattern = false;      // verify_pattern is given
  bool writes = true;            // sha512 of fio 3.33 can be read only
};

struct Layout {
  Format format = Format::fio_3_42;
  Method method = Method::crc32c;
  std::uint32_t interval = 0;  // bytes; 0: the whole I/O
  std::uint32_t offset = 0;
  bool has_pattern = false;

  bool has_header() const { return row_of(method).header; }
  std::size_t header() const { return has_header() ? header_size(format) : 0; }
  // Of the interval number i of an I/O of `length` bytes: the last may be shorter.
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
