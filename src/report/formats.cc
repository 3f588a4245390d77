// The rows of format_rows.inc as one table per kind of result.
#include "report/formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <utility>

#include "report/compare/compare_formats.h"
#include "report/details/details.h"
#include "report/history/history_formats.h"
#include "report/normal.h"
#include "report/paging_formats.h"
#include "report/parts/shown.h"
#include "report/plots/run_plots.h"
#include "report/sweep/sweep_formats.h"

namespace fathom::report {
namespace {

constexpr std::string_view kRun = "a run", kPaging = "`fathom paging`";

// Calls each(KIND, NAME, SUMMARY, RENDER) for every row.
void each_row(const auto& each) {
#define FATHOM_FORMAT(KIND, TYPE, NAME, RENDER, SUMMARY) \
  each(KIND, NAME, SUMMARY, static_cast<std::string (*)(const result::TYPE&)>(RENDER));
#include "report/format_rows.inc"
#undef FATHOM_FORMAT
}

template <class T>
std::vector<FormatOf<T>> table(std::string_view kind) {
  std::vector<FormatOf<T>> formats;
  each_row([&]<class Of>(std::string_view of, const char* name, const char* summary, std::string (*render)(const Of&)) {
    if constexpr (std::is_same_v<Of, T>)
      if (of == kind) formats.push_back({name, summary, render});
  });
  return formats;
}

std::string quoted(const char* format) { return fmt::format("`{}`", format); }
std::string kind_of_result(const result::Run& run) { return std::string(run.paging ? kPaging : kRun); }
template <class T>
std::string kind_of_result(const T&) {
  return quoted(T::kFormat);
}

std::span<const Format> formats_of(const result::Run& run) { return run.paging ? paging_formats() : formats(); }
template <class T>
std::span<const FormatOf<T>> formats_of(const T&) {
  static const auto formats = table<T>(quoted(T::kFormat));
  return formats;
}

template <class T>
const FormatOf<T>* find_in(std::span<const FormatOf<T>> formats, std::string_view name) {
  const auto found =
      std::find_if(formats.begin(), formats.end(), [&](const auto& format) { return format.name == name; });
  return found == formats.end() ? nullptr : &*found;
}

}  // namespace

std::span<const Format> formats() {
  static const auto formats = table<result::Run>(kRun);
  return formats;
}

std::span<const Format> paging_formats() {
  static const auto formats = table<result::Run>(kPaging);
  return formats;
}

const Format* find_format(std::string_view name) { return find_in(formats(), name); }
const Format* find_paging_format(std::string_view name) { return find_in(paging_formats(), name); }

std::string described(std::span<const Format> formats) {
  std::string out;
  for (const auto& format : formats)
    out += fmt::format("{}{} ({})", out.empty() ? "" : ", ", format.name, format.summary);
  return out;
}

namespace {

// These have a fixed order: the two halves of fio's text, the details that `verbose` adds, the plots.
constexpr std::string_view kNormal = "normal", kVerbose = "verbose", kPlot = "plot", kPlotAscii = "plot-ascii",
                           kBrief = "brief", kText = "text";

bool asks_for(std::span<const std::string> formats, std::string_view name) {
  return std::find(formats.begin(), formats.end(), name) != formats.end();
}

std::string report_after(const std::string& before, std::span<const std::string> formats, const result::Run& run,
                         const Canvas& canvas) {
  std::string others, drawn;
  for (const bool terse : {true, false})
    for (const auto& name : formats) {
      const bool placed = name == kNormal || name == kVerbose || name == kPlot || name == kPlotAscii;
      if (placed || name.starts_with("terse") != terse) continue;
      others += name == kBrief ? brief(run, canvas.width) : find_format(name)->render(run);
    }
  for (const auto plot : {kPlot, kPlotAscii})
    if (asks_for(formats, plot)) drawn += plots::drawn(parts::shown(run), {canvas.utf8 && plot == kPlot, canvas.width});
  const bool verbose = asks_for(formats, kVerbose);
  const bool nothing = others.empty() && drawn.empty() && !asks_for(formats, kBrief);
  const bool text = verbose || asks_for(formats, kNormal) || nothing;
  return (text ? before + others + results(run) : others) + (verbose ? details::details(parts::shown(run)) : "") +
         drawn;
}

}  // namespace

bool is_for_people(std::string_view format) {
  constexpr std::string_view kAll[] = {kNormal, kVerbose, kPlot, kPlotAscii, kBrief, kText, "text-ascii"};
  return std::find(std::begin(kAll), std::end(kAll), format) != std::end(kAll);
}

Following following(std::string_view format) {
  if (format == "rows-csv") return Following::without_first_line;
  return format == "openmetrics" ? Following::never : Following::whole;
}

namespace {

// A text is fitted to its canvas.
template <class T>
std::string rendered(std::string_view name, const T& result, const Canvas& canvas) {
  const bool text = name == kText;
  if constexpr (std::is_same_v<T, result::Compare>)
    if (text) return compare::text_of(result, canvas);
  if constexpr (std::is_same_v<T, result::Sweep>)
    if (text) return sweep::text_of(result, canvas);
  if constexpr (std::is_same_v<T, result::HistoryList> || std::is_same_v<T, result::HistoryCheck>)
    if (text) return history::text_of(result, canvas);
  if constexpr (std::is_same_v<T, result::Run>) {
    if (text) return paging_text(result, {canvas.utf8, CountAxis::logarithmic, canvas.width});
    if (name == kBrief) return brief(result, canvas.width);
  }
  return find_in(formats_of(result), name)->render(result);
}

template <class T>
std::string each_of(std::span<const std::string> formats, const T& result, const Canvas& canvas) {
  std::string out;
  for (const auto& name : formats) out += rendered(name, result, canvas);
  return out;
}

}  // namespace

std::string report_in(std::span<const std::string> formats, const result::Run& run, const Canvas& canvas) {
  if (run.paging) return each_of(formats, run, canvas);
  return report_after(opening(run, canvas.width) + preamble(run), formats, run, canvas);
}

std::string report_again_in(std::span<const std::string> formats, const result::Run& run, const Canvas& canvas) {
  return report_after(opening(run, canvas.width), formats, run, canvas);
}

std::string kind_of(const result::Stored& stored) {
  return std::visit([](const auto& result) { return kind_of_result(result); }, stored);
}

std::vector<std::string_view> format_names(const result::Stored& stored) {
  std::vector<std::string_view> names;
  std::visit(
      [&](const auto& result) {
        for (const auto& format : formats_of(result)) names.push_back(format.name);
      },
      stored);
  return names;
}

std::string report_in(std::span<const std::string> formats, const result::Stored& stored, const Canvas& canvas) {
  if (const auto* run = std::get_if<result::Run>(&stored)) return report_in(formats, *run, canvas);
  return std::visit([&](const auto& result) { return each_of(formats, result, canvas); }, stored);
}

std::string answer_of(const result::Stored& stored, const Canvas& canvas) {
  if (const auto* run = std::get_if<result::Run>(&stored)) return brief(*run, canvas.width);
  if (const auto* compared = std::get_if<result::Compare>(&stored)) return compare::answer(*compared, canvas);
  if (const auto* checked = std::get_if<result::HistoryCheck>(&stored)) return history::answer(*checked, canvas);
  const auto* swept = std::get_if<result::Sweep>(&stored);
  return swept == nullptr ? "" : sweep::answer(*swept, canvas);
}

std::string all_formats() {
  std::vector<std::pair<std::string_view, std::string>> kinds;
  each_row([&](std::string_view kind, std::string_view name, auto...) {
    const auto known = std::find_if(kinds.begin(), kinds.end(), [&](const auto& other) { return other.first == kind; });
    if (known == kinds.end())
      kinds.emplace_back(kind, name);
    else
      known->second += fmt::format(", {}", name);
  });
  std::string out;
  for (const auto& [kind, names] : kinds) out += fmt::format("{}of {}: {}", out.empty() ? "" : "; ", kind, names);
  return out;
}

}  // namespace fathom::report
