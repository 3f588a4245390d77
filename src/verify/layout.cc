// Determines the interval first, then checks that all parts fit into it.
#include "verify/layout.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

namespace fathom::verify {
namespace {

base::Error wrong(std::string what, std::string cause, std::string help) {
  return {base::ErrorKind::usage, std::move(what), std::move(cause), std::move(help), {}};
}

// 0: each I/O is one interval.
std::uint64_t settle_interval(const LayoutAsk& ask) {
  if (ask.unaligned_sizes) return 0;
  const bool one_size = ask.min_write == ask.max_write;
  if (ask.interval == 0 && one_size) return 0;
  std::uint64_t interval = ask.interval == 0 ? ask.min_write : std::min(ask.interval, ask.min_write);
  if (ask.min_read != 0) interval = std::min(interval, ask.min_read);
  if (ask.min_write % interval != 0 || ask.max_write % interval != 0) interval = std::gcd(ask.min_write, ask.max_write);
  return interval;
}

base::Expected<void> check_ranges(const LayoutAsk& ask) {
  const std::size_t header = header_size(ask.format);
  if (ask.interval != 0 && ask.interval < 2 * header)
    return wrong(fmt::format("verify_interval: min value out of range: {} ({} min)", ask.interval, 2 * header),
                 fmt::format("a header takes {} bytes of each interval", header), "write a longer verify_interval");
  if (ask.offset != 0 && ask.offset < header)
    return wrong(fmt::format("verify_offset: min value out of range: {} ({} min)", ask.offset, header),
                 "the header is exchanged with the bytes at verify_offset=, and the two must not overlap",
                 "write a larger verify_offset");
  return {};
}

// smallest: the minimum length of an interval in bytes.
base::Expected<void> check_fits(const LayoutAsk& ask, std::uint64_t smallest) {
  const auto& row = row_of(ask.method);
  const std::uint64_t used = header_size(ask.format) + row.field;
  if (smallest <= used)
    return wrong("Blocksize too small",
                 fmt::format("header and {} take {} bytes of an interval of {}", row.name, used, smallest),
                 "write a larger verify_interval or bs");
  if (ask.offset + used > smallest && ask.offset != 0)
    return wrong("cannot offset verify header beyond the verify interval.",
                 fmt::format("{} bytes from verify_offset={} on exceed an interval of {}", used, ask.offset, smallest),
                 fmt::format("write verify_offset={} or less", smallest - used));
  if (ask.offset != 0 && ask.offset < used)
    return wrong(fmt::format("verify_offset={} moves the header over a part of itself", ask.offset),
                 fmt::format("header and {} are {} bytes, and are exchanged with as many; fio writes such blocks and "
                             "reports them as damaged when it reads them",
                             row.name, used),
                 fmt::format("write verify_offset={} or more", used));
  return {};
}

}  // namespace

base::Expected<Layout> settle(const LayoutAsk& ask) {
  const auto& row = row_of(ask.method);
  if (row.copy_before_3_39 && ask.format == Format::fio_3_33 && ask.writes)
    return wrong(fmt::format("verify={} cannot be written in the format of fio 3.33", row.name),
                 "that header has a copy of some data and no hash, which detects almost no damage",
                 "omit verify_format=fio-3.33, or use sha256");
  if (row.pattern && !ask.has_pattern)
    return wrong(fmt::format("verify={} without a pattern", row.name),
                 "the pattern to compare the data with is missing", "add verify_pattern=");
  if (auto ranges = check_ranges(ask); !ranges) return ranges.error();
  const std::uint64_t interval = settle_interval(ask);
  if (row.header)
    if (auto fits = check_fits(ask, interval == 0 ? ask.min_write : interval); !fits) return fits.error();
  return Layout{.format = ask.format,
                .method = ask.method,
                .interval = static_cast<std::uint32_t>(interval),
                .offset = row.header ? static_cast<std::uint32_t>(ask.offset) : 0,
                .has_pattern = ask.has_pattern};
}

}  // namespace fathom::verify
