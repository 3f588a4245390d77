// Numbers as fio's text prints them: limited to a number of characters, and scaled by 1000 or 1024 until they fit, so
// that columns are aligned and a script's regular expression matches. The rules were found by running fio 3.33 on some
// thousand values; tests/report/observed/ has those pairs. Pure functions.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fathom::report::parts {

// The whole part of a number that should not be negative: 0 if it is negative or not a number, the largest value if it
// does not fit.
std::uint64_t whole(double value);

enum class Base { k1000, k1024 };

// At most `digits` characters before the scale letter, including the decimal point: 16243, 4 -> "16.2k"; 1048576, 4,
// 1024, "B" -> "1024KiB".
std::string scaled(std::uint64_t value, unsigned digits, Base base, std::string_view unit = "");

inline constexpr unsigned kRateDigits = 4;     // IOPS, bandwidth, sizes
inline constexpr unsigned kLatencyDigits = 6;  // minimum and maximum of a latency

// Number format of a job: significant_figures, kb_base, unit_base.
struct Figures {
  unsigned digits = kRateDigits;
  Base first = Base::k1024;
  bool bits = false;  // rates
  Base second() const { return first == Base::k1024 ? Base::k1000 : Base::k1024; }
};

// "683MiB/s", in the requested base.
std::string rate(std::uint64_t bytes_per_s, Base base, const Figures& figures);
// "683MiB/s (716MB/s)".
std::string bandwidth(std::uint64_t bytes_per_s, const Figures& figures = {});
// "528KiB (541kB)".
std::string size_pair(std::uint64_t bytes, const Figures& figures = {});

// The unit in which a set of latencies is shown.
struct TimeUnit {
  std::string_view name;  // "nsec", "usec", "msec"
  unsigned thousands;     // number of divisions of ns by 1000
  double ns;              // nanoseconds in one unit
};
// For a line of minimum, maximum, mean and deviation: a larger unit as soon as no significant digit is lost.
TimeUnit line_unit(std::uint64_t min_ns, std::uint64_t max_ns, double stddev_ns);
// For a table of percentiles.
TimeUnit table_unit(std::uint64_t lowest_ns, std::uint64_t highest_ns);

// A number of the result for a reader, with three digits: 12345 "ns" -> "12.3 us", 145210 "1/s" -> "145 k", 6e8
// "bytes/s" -> "600 MB/s".
std::string quantity_text(double value, std::string_view unit);

// "Fri Jul 26 13:18:32 2024", at this offset east of UTC; nullopt: in the local time zone.
std::string calendar(std::uint64_t epoch_ms, std::optional<int> utc_offset_s);
std::string date_and_minute(std::uint64_t epoch_ms);  // "2024-07-26 13:18", in the local time zone

}  // namespace fathom::report::parts
