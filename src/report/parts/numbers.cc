// A loop divides until the integer fits. The remainder of the last division gives the decimals that still fit.
#include "report/parts/numbers.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <ctime>

#include "base/text/unit_text.h"

namespace fathom::report::parts {
namespace {

constexpr std::array<std::string_view, 7> kPrefix1000 = {"", "k", "M", "G", "T", "P", "E"};
constexpr std::array<std::string_view, 7> kPrefix1024 = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};

constexpr TimeUnit kNsec{"nsec", 0, 1.0}, kUsec{"usec", 1, 1e3}, kMsec{"msec", 2, 1e6};

std::size_t width_of(std::uint64_t value) { return fmt::formatted_size("{}", value); }

// Formats the value and the remainder of the last division in `digits` characters. The fraction is rounded by itself,
// as in fio: 99 and 0.95 (slightly less in binary) become 99.9.
std::string rounded(std::uint64_t units, double fraction, unsigned digits) {
  const std::size_t width = width_of(units);
  if (width + 1 >= digits) return fmt::format("{}", units + (fraction >= 0.5 ? 1 : 0));
  const std::string decimals = fmt::format("{:.{}f}", fraction, digits - width - 1);
  return fmt::format("{}{}", units + (decimals[0] == '1' ? 1 : 0), decimals.substr(1));
}

}  // namespace

std::uint64_t whole(double value) {
  constexpr double kTooLarge = 18446744073709551616.0;
  if (!(value > 0)) return 0;
  return value < kTooLarge ? static_cast<std::uint64_t>(value) : UINT64_MAX;
}

std::string scaled(std::uint64_t value, unsigned digits, Base base, std::string_view unit) {
  const std::uint64_t step = base == Base::k1024 ? 1024 : 1000;
  const auto& prefixes = base == Base::k1024 ? kPrefix1024 : kPrefix1000;
  std::size_t steps = 0;
  std::uint64_t remainder = 0;
  while (width_of(value) > digits && steps + 1 < prefixes.size()) {
    remainder = value % step;
    value /= step;
    ++steps;
  }
  if (steps == 0) return fmt::format("{}{}", value, unit);
  return rounded(value, static_cast<double>(remainder) / static_cast<double>(step), digits) +
         std::string(prefixes[steps]) + std::string(unit);
}

std::string rate(std::uint64_t bytes_per_s, Base base, const Figures& figures) {
  return figures.bits ? scaled(bytes_per_s * 8, figures.digits, base, "bit/s")
                      : scaled(bytes_per_s, figures.digits, base, "B/s");
}

std::string bandwidth(std::uint64_t bytes_per_s, const Figures& figures) {
  return rate(bytes_per_s, figures.first, figures) + " (" + rate(bytes_per_s, figures.second(), figures) + ")";
}

std::string size_pair(std::uint64_t bytes, const Figures& figures) {
  return scaled(bytes, figures.digits, figures.first, "B") + " (" +
         scaled(bytes, figures.digits, figures.second(), "B") + ")";
}

TimeUnit line_unit(std::uint64_t min_ns, std::uint64_t max_ns, double stddev_ns) {
  if (min_ns > 2'000'000 && max_ns > 99'999'999 && stddev_ns > 1e6) return kMsec;
  if (min_ns > 2'000 && max_ns > 99'999 && stddev_ns > 1e3) return kUsec;
  return kNsec;
}

TimeUnit table_unit(std::uint64_t lowest_ns, std::uint64_t highest_ns) {
  if (lowest_ns > 2'000'000 && highest_ns > 99'999'999) return kMsec;
  if (lowest_ns > 2'000 && highest_ns > 99'999) return kUsec;
  return kNsec;
}

std::string quantity_text(double value, std::string_view unit) {
  if (unit == "ns") return base::text::unit_text(value, base::text::kTimeExact);
  if (unit == "1/s") return base::text::unit_text(value, base::text::kRateExact);
  if (unit == "bytes/s") return base::text::unit_text(value, base::text::kByteRateExact);
  return fmt::format("{:.3g} {}", value, unit);
}

namespace {

std::string time_text(std::uint64_t epoch_ms, std::optional<int> utc_offset_s, const char* form) {
  const auto seconds = static_cast<std::time_t>(epoch_ms / 1000) + utc_offset_s.value_or(0);
  std::tm local{};
  utc_offset_s ? gmtime_r(&seconds, &local) : localtime_r(&seconds, &local);
  std::array<char, 64> text{};
  const std::size_t length = std::strftime(text.data(), text.size(), form, &local);
  return {text.data(), length};
}

}  // namespace

std::string calendar(std::uint64_t epoch_ms, std::optional<int> utc_offset_s) {
  return time_text(epoch_ms, utc_offset_s, "%a %b %e %H:%M:%S %Y");
}

std::string date_and_minute(std::uint64_t epoch_ms) { return time_text(epoch_ms, std::nullopt, "%Y-%m-%d %H:%M"); }

}  // namespace fathom::report::parts
