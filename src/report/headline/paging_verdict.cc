// The six lines of `fathom paging`: the touched memory, the accesses per second with their interval, and the slow
// accesses with their share of the time. `fathom paging breakdown` compares configurations and has one line for each.
#include <fmt/format.h>

#include <string>
#include <utility>

#include "report/headline/verdict_parts.h"
#include "result/sums/paging_sums.h"

namespace fathom::report::headline {
namespace {

namespace text = base::text;
using result::AccessClass;

constexpr std::size_t kMostColumns = 4;

std::string what_of(const result::Paging& p) {
  std::string out = p.pattern;
  if (p.read_percent >= 0) out += fmt::format(", {:g} % reads", p.read_percent);
  const std::size_t threads = result::jobs(p);
  out += fmt::format(", {} {}, {} {}", text::size_text(p.set_bytes), p.memory.empty() ? "anonymous" : p.memory, threads,
                     threads == 1 ? "thread" : "threads");
  if (p.window_ns == 0) return out;
  return out + ", " + text::duration_text(static_cast<double>(p.window_ns));
}

// In an imported file, the position of a value below the end of the first bin is unknown.
std::string at_text(const result::Paging& p, const result::AccessLatency& latency, double percentile) {
  const double ns = result::percentile_ns(latency, percentile);
  return p.imported && ns < result::kFirstBin_ns ? "<" + time_text(result::kFirstBin_ns) : time_text(ns);
}

std::string percentiles(const result::Paging& p, const result::AccessLatency& latency) {
  if (latency.histogram_ns.empty()) return "";
  return fmt::format("; p50 {}, p99 {}", at_text(p, latency, 50), at_text(p, latency, 99));
}

// The interval of the score. For two repetitions, it is the smaller and the larger value.
std::string interval(const result::PagingScore& score) {
  if (score.high <= score.low) return "";
  std::string out = range_text(score.low, score.high, text::kRateLive) + " per second";
  const std::string sure = score.confidence > 0 ? fmt::format("{:.0f} %, ", 100 * score.confidence) : "";
  return score.how.empty() ? out : fmt::format("{} ({}{})", out, sure, score.how);
}

double accesses_per_s(const result::Paging& p) {
  const double seconds = static_cast<double>(p.window_ns) / 1e9;
  const double counted = seconds > 0 ? static_cast<double>(result::accesses(p)) / seconds : 0;
  return p.score.accesses_per_s > 0 ? p.score.accesses_per_s : counted;
}

bool is_table_alone(const result::Paging& p) { return !p.table2.empty() && p.workers.empty(); }

std::string share_text(double percent) { return percent < 0.1 ? "<0.1 %" : fmt::format("{:.3g} %", percent); }

// The faults of a class: their share of all accesses and of the time of all accesses.
std::string class_line(const result::Paging& p, AccessClass of, const Lines& lines) {
  const auto all = result::of_all(p.latency).moments_ns;
  const auto latency = result::of_class(p.latency, of);
  if (latency.moments_ns.n == 0) return "";
  const auto share = [](double part, double whole) { return share_text(result::percent_of(part, whole)); };
  return lines.one(name(of),
                   fmt::format("{} of accesses, {} of their time{}",
                               share(static_cast<double>(latency.moments_ns.n), static_cast<double>(all.n)),
                               share(static_cast<double>(latency.moments_ns.sum), static_cast<double>(all.sum)),
                               percentiles(p, latency)));
}

std::string rows(const result::Paging& p, const Lines& lines) {
  std::string out =
      lines.one("accesses", fmt::format("{} per second{}", text::unit_text(accesses_per_s(p), text::kRateLive),
                                        percentiles(p, result::of_all(p.latency))));
  if (const auto sure = interval(p.score); !sure.empty()) out += lines.one("", sure);
  if (!p.classified) return out;
  const std::string major = class_line(p, AccessClass::major, lines);
  return out + (major.empty() ? class_line(p, AccessClass::minor, lines) : major);
}

std::string value_text(const result::PagingRow& row) {
  if (row.values.empty()) return "-";
  if (result::is_wide(row)) return range_text(row.low, row.high, text::kTimeLive);
  const double half = result::half_width(row);
  return time_text(row.mean) + (half > 0 ? " ± " + time_text(half) : "");
}

std::string short_name(const std::string& name) {
  constexpr std::size_t kMost = 15;
  if (name.size() > kMost) return ".." + name.substr(name.size() + 2 - kMost) + ": ";
  return name.size() > 8 ? name + ": " : name;
}

std::string table2_rows(const result::Paging& p, const Lines& lines) {
  std::string out;
  for (std::size_t c = 0; c < p.table2.size() && c < kMostColumns; ++c) {
    const auto& column = p.table2[c];
    out += lines.one(short_name(column.name), fmt::format("an access {}, a major fault {}", value_text(column.rows[0]),
                                                          value_text(column.rows[2])));
  }
  if (p.table2.size() > kMostColumns)
    out += lines.one("", fmt::format("and {} more in the report", p.table2.size() - kMostColumns));
  return out;
}

void add_configurations(const result::Paging& p, Pieces& pieces) {
  for (std::size_t c = 0; c < p.table2.size() && c < kMostColumns; ++c) {
    const auto& column = p.table2[c];
    pieces.numbers.push_back(
        {column.name, {{"an access", value_text(column.rows[0])}, {"a major fault", value_text(column.rows[2])}}, ""});
  }
  pieces.more = p.table2.size() - pieces.numbers.size();
}

}  // namespace

bool is_repeated(const result::Paging& p) {
  return is_table_alone(p) || p.imported || p.score.how.find("repetition") != std::string::npos;
}

std::string paging_verdict(const result::Run& run, const Lines& lines) {
  const auto& p = *run.paging;
  return lines.one("measured", what_of(p)) + (is_table_alone(p) ? table2_rows(p, lines) : rows(p, lines)) +
         checks_lines(run, lines, is_repeated(p));
}

void add_paging(const result::Paging& p, Pieces& pieces) {
  pieces.measured = what_of(p);
  if (is_table_alone(p)) return add_configurations(p, pieces);
  const auto all = result::of_all(p.latency);
  NumbersOf accesses{
      "accesses", {{"per second", text::unit_text(accesses_per_s(p), text::kRateLive)}}, interval(p.score)};
  const auto add_p99 = [&](NumbersOf& of, const result::AccessLatency& latency) {
    if (!latency.histogram_ns.empty()) of.numbers.push_back({"p99", at_text(p, latency, 99)});
  };
  add_p99(accesses, all);
  pieces.numbers.push_back(std::move(accesses));
  for (const auto of_class : {AccessClass::minor, AccessClass::major}) {
    const auto latency = result::of_class(p.latency, of_class);
    if (!p.classified || latency.moments_ns.n == 0) continue;
    const auto share = [](double part, double whole) { return share_text(result::percent_of(part, whole)); };
    NumbersOf faults{
        fmt::format("{} faults", name(of_class)),
        {{"of the accesses", share(static_cast<double>(latency.moments_ns.n), static_cast<double>(all.moments_ns.n))},
         {"of their time",
          share(static_cast<double>(latency.moments_ns.sum), static_cast<double>(all.moments_ns.sum))}},
        ""};
    add_p99(faults, latency);
    pieces.numbers.push_back(std::move(faults));
  }
}

}  // namespace fathom::report::headline
