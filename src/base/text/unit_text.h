// Bytes, times and rates as text. A scale is a list of steps, the largest first. The first step that is not above the
// value gives the unit and the number of digits. Texts differ on purpose (a column of three digits, a sentence with an
// exact limit, an axis). So every format in use is a scale in this file, where they can be compared, and one function
// serves all. fio's text has a separate rule: report/parts/numbers.h. Pure.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace fathom::base::text {

enum class Digits {
  none,           // 683
  none_from_ten,  // 683, 68; below ten up to three digits: 2.33, 2
  one,            // 683.0
  one_if_any,     // 683, 1.5
  three,          // 683, 68.3, 6.83; a value that is rounded up to 100 has no more digits than 100
  three_short,    // the same; from 100,000 on 1.2e+05
  three_cut,      // the same, by the value before rounding: 99.96 is 100.0
  general,        // as %g
  none_up,        // 683, rounded up
  one_up,         // 68.4, rounded up
};

struct UnitStep {
  double from = 0;  // smallest magnitude shown in this unit; 0 in the last step
  double size = 1;  // size of one unit
  std::string_view unit;
  Digits digits = Digits::none;
};

const UnitStep& step_of(double value, std::span<const UnitStep> scale);
std::string unit_text(double value, std::span<const UnitStep> scale);

// Units from the smallest on, each `base` times the previous one. carry: the fraction of a unit at which its use starts.
// It is slightly less than 1 where a value rounded up to 1000 must become one of the next unit.
template <std::size_t N>
constexpr std::array<UnitStep, N> unit_scale(const std::array<std::string_view, N>& units, double base, double carry,
                                             Digits first, Digits others) {
  std::array<UnitStep, N> steps{};
  double size = 1;
  for (std::size_t i = 0; i < N; ++i, size *= base)
    steps[N - 1 - i] = {i == 0 ? 0 : size * carry, size, units[i], i == 0 ? first : others};
  return steps;
}

inline constexpr std::array<std::string_view, 7> kByteUnits{" B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"};
inline constexpr std::array<std::string_view, 6> kByteUnitsToPiB{" B", " KiB", " MiB", " GiB", " TiB", " PiB"};
inline constexpr std::array<std::string_view, 6> kByteRateUnits{"B/s", "KiB/s", "MiB/s", "GiB/s", "TiB/s", "PiB/s"};
inline constexpr std::array<std::string_view, 4> kTimeUnits{"ns", "us", "ms", "s"},
    kTimeUnitsApart{" ns", " us", " ms", " s"};
inline constexpr double kRounded = 0.9995;  // 999.5 of 1000

// Bytes.
inline constexpr auto kBytes = unit_scale(kByteUnits, 1024, 1, Digits::one_if_any, Digits::one_if_any);  // 4 KiB
inline constexpr auto kBytesColumn = unit_scale(kByteUnits, 1024, kRounded, Digits::none, Digits::one_if_any);
inline constexpr auto kBytesOne = unit_scale(kByteUnits, 1024, 1, Digits::none, Digits::one);  // 4.0 KiB
inline constexpr auto kBytesThree =
    unit_scale(kByteUnitsToPiB, 1024, 999.5 / 1024, Digits::none, Digits::three);  // 4.00 KiB, 0.98 MiB
inline constexpr std::array kMib{UnitStep{0, 0x1p20, " MiB", Digits::one}};        // 4.0 MiB, at any size
inline constexpr std::array kGib{UnitStep{0, 0x1p30, " GiB", Digits::one}};

// Times, from nanoseconds.
inline constexpr auto kTimeColumn =
    unit_scale(kTimeUnits, 1000, kRounded, Digits::none, Digits::three_short);                               // 1.02ms
inline constexpr auto kTimeLive = unit_scale(kTimeUnitsApart, 1000, kRounded, Digits::none, Digits::three);  // 1.02 ms
inline constexpr auto kTimeExact =
    unit_scale(kTimeUnitsApart, 1000, kRounded, Digits::three, Digits::three);                  // 1.02 ns
inline constexpr auto kTimeAxis = unit_scale(kTimeUnits, 1000, 1, Digits::none, Digits::none);  // 100us
inline constexpr std::array kTime{UnitStep{kRounded * 1e9, 1e9, " s", Digits::three},  // nanoseconds up to 1000
                                  UnitStep{kRounded * 1e6, 1e6, " ms", Digits::three},
                                  UnitStep{1e3, 1e3, " us", Digits::three}, UnitStep{0, 1, " ns", Digits::none}};
inline constexpr std::array kTimeLimit{UnitStep{1e6, 1e6, " ms", Digits::general},  // 10 us
                                       UnitStep{0, 1e3, " us", Digits::general}};
inline constexpr std::array kTimeAtMost{UnitStep{10'000, 1e3, " us", Digits::one_up},  // rounded up, never down
                                        UnitStep{0, 1, " ns", Digits::none_up}};
// Times, from seconds.
inline constexpr std::array kSeconds{UnitStep{1, 1, "s", Digits::general}, UnitStep{1e-3, 1e-3, "ms", Digits::general},
                                     UnitStep{0, 1e-6, "us", Digits::general}};

// Counts, and counts per second.
inline constexpr std::array kCountColumn{// 1234567, 12.3M
                                         UnitStep{kRounded * 1e18, 1e18, "E", Digits::three_short},
                                         UnitStep{kRounded * 1e15, 1e15, "P", Digits::three_short},
                                         UnitStep{kRounded * 1e12, 1e12, "T", Digits::three_short},
                                         UnitStep{kRounded * 1e9, 1e9, "G", Digits::three_short},
                                         UnitStep{1e7, 1e6, "M", Digits::three_short},
                                         UnitStep{0, 1, "", Digits::none}};
inline constexpr auto kRateLive = unit_scale(std::array<std::string_view, 5>{"", "k", "M", "G", "T"}, 1000, kRounded,
                                             Digits::none_from_ten, Digits::three);  // 8.10k, 810, 8.1
inline constexpr auto kRateExact = unit_scale(std::array<std::string_view, 4>{"", " k", " M", " G"}, 1000, kRounded,
                                              Digits::three, Digits::three);  // 8.10 k
inline constexpr auto kByteRateExact = unit_scale(std::array<std::string_view, 4>{" B/s", " kB/s", " MB/s", " GB/s"},
                                                  1000, kRounded, Digits::three, Digits::three);  // 600 MB/s
// fio's status line.
inline constexpr auto kByteRateStatus = unit_scale(kByteRateUnits, 1024, 1, Digits::none, Digits::three_cut);
inline constexpr auto kRateStatus =
    unit_scale(std::array<std::string_view, 6>{"", "k", "M", "G", "T", "P"}, 1000, 1, Digits::none, Digits::three_cut);

// Exact if a size is a whole number of units, else one decimal.
inline std::string size_text(std::uint64_t bytes) { return unit_text(static_cast<double>(bytes), kBytes); }

inline std::string mib_text(std::uint64_t bytes) { return unit_text(static_cast<double>(bytes), kMib); }
inline std::string gib_text(std::uint64_t bytes) { return unit_text(static_cast<double>(bytes), kGib); }

// How long something takes, rounded up: "45 s", "7 min", "1.5 h".
std::string minutes_text(double seconds);

// How long something took: "950 ms", "59.5 s", from a minute on "1 min 30 s", "2 h 5 min".
std::string duration_text(double ns);

// "1,234,567"; with `fraction`, "0.74" with two digits.
std::string with_commas(double value, bool fraction);

}  // namespace fathom::base::text
