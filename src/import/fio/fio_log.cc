// Two passes: the first finds the layout and errors in lines, the second adds up.
#include "import/fio/fio_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <vector>

#include "import/fio/reported.h"
#include "import/place.h"
#include "result/findings/rows.h"

namespace fathom::import::fio {
namespace {

using result::Direction;
using result::kDirs;
using Kind = LogName::Kind;

struct KindName {
  std::string_view name;
  Kind kind;
};
constexpr KindName kKinds[] = {{"_clat_hist.", Kind::clat_hist}, {"_bw.", Kind::bw},     {"_iops.", Kind::iops},
                               {"_slat.", Kind::slat},           {"_clat.", Kind::clat}, {"_lat.", Kind::lat}};
// fio's default percentiles.
constexpr double kUsualPercentiles[] = {1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99, 99.5, 99.9, 99.95, 99.99};
constexpr std::size_t kFewest = 4, kMost = 8, kHistogramHead = 3;
constexpr std::uint64_t kMost_ms = std::uint64_t{1} << 43, kNsPerMilli = 1'000'000;

bool is_latency(Kind kind) { return kind != Kind::bw && kind != Kind::iops; }

// The columns of the numbers that are used.
struct Layout {
  std::size_t columns = 0, value = 1, max = 0, ddir = 2, bs = 3;  // max 0: no such column
  bool assumed = false;
};
constexpr Layout kPlain{}, kWithMax{.value = 1, .max = 2, .ddir = 3, .bs = 4};

struct Row {
  std::uint64_t ms = 0, value = 0, bytes = 0;
  std::size_t dir = 0;
};

// Iterates over the lines.
class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text) {}
  // nullopt: no further line. Empty lines are skipped.
  std::optional<std::string_view> next() {
    while (at_ < text_.size()) {
      const std::size_t end = std::min(text_.find('\n', at_), text_.size());
      auto line = text_.substr(at_, end - at_);
      at_ = end + 1;
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (!line.empty()) return line;
    }
    return std::nullopt;
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

// Parses the numbers of a line into `out`, also "0x0004". count: their number. wrong_at: position of the first cell
// that is not a number; npos: all are numbers.
struct Split {
  std::size_t count = 0, wrong_at = std::string_view::npos;
};
Split split(std::string_view line, std::vector<std::uint64_t>& out) {
  Split found;
  out.clear();
  for (std::size_t at = 0;;) {
    while (at < line.size() && line[at] == ' ') ++at;
    const bool hex = line.substr(at).starts_with("0x");
    const char* const begin = line.data() + at + (hex ? 2 : 0);
    std::uint64_t value = 0;
    const auto [behind, error] = std::from_chars(begin, line.data() + line.size(), value, hex ? 16 : 10);
    if (error != std::errc()) return found.wrong_at = at, found;
    out.push_back(value), ++found.count;
    at = static_cast<std::size_t>(behind - line.data());
    if (at == line.size()) return found;
    if (line[at] != ',') return found.wrong_at = at, found;
    ++at;
  }
}

base::Error wrong(std::string_view text, const std::string& file_name, const char* at, std::string what,
                  std::string cause) {
  base::Error error;
  error.what = std::move(what), error.cause = std::move(cause);
  error.place = place_in(text, file_name, static_cast<std::size_t>(at - text.data()));
  return error;
}

base::Error mistake(std::string what, std::string cause, std::string help) {
  return {base::ErrorKind::usage, std::move(what), std::move(cause), std::move(help), std::nullopt};
}

// The layout that --log-columns names.
base::Expected<Layout> named_layout(const std::string& columns) {
  static constexpr std::string_view kNames[] = {"ms", "value", "max", "ddir", "bs", "offset", "prio", "issue"};
  Layout layout{.value = 0, .ddir = 0, .bs = 0};
  for (std::size_t at = 0; at <= columns.size(); ++layout.columns) {
    const auto end = std::min(columns.find(',', at), columns.size());
    const auto name = std::string_view(columns).substr(at, end - at);
    if (std::find(std::begin(kNames), std::end(kNames), name) == std::end(kNames))
      return mistake(fmt::format("--log-columns: unknown column `{}`", name), "",
                     fmt::format("choose from {}", fmt::join(kNames, ", ")));
    for (const auto& [known, place] :
         {std::pair("value", &layout.value), {"max", &layout.max}, {"ddir", &layout.ddir}, {"bs", &layout.bs}})
      if (name == known) *place = layout.columns;
    at = end + 1;
  }
  if (!columns.starts_with("ms,") || layout.value == 0 || layout.ddir == 0 || layout.bs == 0)
    return mistake("--log-columns lacks a column", fmt::format("it is `{}`", columns),
                   "write ms first, and include value, ddir and bs");
  return layout;
}

// The layouts that all lines of a log can have.
struct Possible {
  bool plain = true, with_max = true;
  void see(const std::vector<std::uint64_t>& numbers) {
    plain = plain && numbers[kPlain.ddir] < kDirs;
    with_max = with_max && numbers.size() >= 6 && numbers[kWithMax.ddir] < kDirs && numbers[kWithMax.bs] == 0 &&
               numbers[kWithMax.max] >= numbers[kWithMax.value];
  }
};

base::Expected<Layout> find_layout(std::string_view text, const std::string& file_name, const std::string& columns) {
  Layout layout;
  if (!columns.empty()) {
    auto named = named_layout(columns);
    if (!named) return named.error();
    layout = *named;
  }
  Possible possible;
  std::vector<std::uint64_t> numbers;
  Lines lines(text);
  while (const auto line = lines.next()) {
    const auto [count, wrong_at] = split(*line, numbers);
    if (wrong_at != line->npos)
      return wrong(text, file_name, line->data() + wrong_at, "not a line of a log", "whole numbers between commas");
    if (layout.columns == 0) layout.columns = count;
    if (count != layout.columns)
      return wrong(
          text, file_name, line->data(), fmt::format("a line of {} columns", count),
          fmt::format("{} have {}", columns.empty() ? "the lines before it" : "--log-columns", layout.columns));
    if (count < kFewest || count > kMost)
      return wrong(text, file_name, line->data(), fmt::format("a line of {} columns", count),
                   fmt::format("fio's logs have {} to {}", kFewest, kMost));
    const std::size_t ddir = numbers[columns.empty() ? kPlain.ddir : layout.ddir];
    possible.see(numbers);
    if (columns.empty() ? !possible.plain && !possible.with_max : ddir >= kDirs)
      return wrong(text, file_name, line->data(), fmt::format("no direction {}", ddir), "0 read, 1 write, 2 trim");
    if (numbers[0] > kMost_ms) return wrong(text, file_name, line->data(), "a time out of range", "in ms");
  }
  if (!columns.empty()) return layout;
  const std::size_t count = layout.columns;
  layout = possible.plain ? kPlain : kWithMax;
  layout.columns = count, layout.assumed = count >= 6;
  return layout;
}

// Builds a job from the lines of a log, of either layout.
class Adder {
 public:
  Adder(Kind kind, result::Run& run) : kind_(kind), run_(run), job_(run.jobs.emplace_back()) {}

  void add(const Row& row) {
    see(row.ms, row.dir);
    auto& dir = job_.dirs[row.dir];
    used_[row.dir] = true;
    row.bytes > 0 ? add_io(row, dir) : add_window(row, dir);
  }
  void add_histogram(std::uint64_t ms, std::size_t dir, std::uint64_t bytes, const stats::Histogram& counts) {
    used_[dir] = true;
    see(ms, dir);
    // The first window ended with the first line, and was as long as the second window.
    if (epoch_ms_ > 0 && windows_ == 0 && last_ms_ > epoch_ms_) windows_ = 1, epoch_ms_ -= last_ms_ - epoch_ms_;
    for (const auto& [bucket, count] : counts.bins())
      add_latency(job_.dirs[dir], dir, stats::bucket_value(bucket), count);
    job_.dirs[dir].ios += counts.total(), job_.dirs[dir].bytes += counts.total() * bytes;
  }
  void finish() {
    const std::uint64_t time_ms = last_ms_ - epoch_ms_;
    run_.time_epoch_ms = epoch_ms_ > 0 ? last_ms_ : 0;
    job_.job_runtime_ms = time_ms;
    for (std::size_t d = 0; d < kDirs; ++d) {
      if (!used_[d]) continue;
      auto& dir = job_.dirs[d];
      dir.issued = dir.ios;
      dir.runtime_ms = time_ms, dir.runtime_ns = time_ms * kNsPerMilli;
      dir.begin_ns = 0, dir.end_ns = dir.runtime_ns;
      if (auto* latency = latency_of(dir)) latency->histogram_ns = stats::Histogram(counts_[d]);
      finish_samples(d);
    }
    take_what_it_did(job_);
  }
  std::uint64_t windows() const { return windows_; }
  std::uint64_t jobs() const { return jobs_; }

 private:
  static constexpr std::uint64_t kAYear_ms = std::uint64_t{365} * 24 * 3600 * 1000;  // later times count from 1970

  // With log_unix_epoch, times are dates; they are converted to times since the first. With per_job_logs=0, the lines
  // of one job follow those of another, and each job's times count from its own begin.
  void see(std::uint64_t ms, std::size_t dir) {
    if (!begun_) begun_ = true, epoch_ms_ = ms > kAYear_ms ? ms : 0, last_ms_ = now_ms_ = before_ms_ = epoch_ms_;
    if (ms < now_ms_) ++jobs_, before_ms_ = now_ms_ = epoch_ms_ > 0 ? ms : 0;
    if (ms != now_ms_) {
      // The lines of one window, one per direction, may be about a millisecond apart.
      constexpr std::uint64_t kFar = 4;
      const bool same_window = !seen_now_[dir] && kFar * (ms - now_ms_) < now_ms_ - before_ms_;
      if (!same_window) before_ms_ = now_ms_, seen_now_ = {};
      now_ms_ = ms;
    }
    seen_now_[dir] = true;
    last_ms_ = std::max(ms, last_ms_);
  }
  result::Latency* latency_of(Direction& dir) {
    return kind_ == Kind::slat ? &dir.slat : kind_ == Kind::lat ? &dir.lat : is_latency(kind_) ? &dir.clat : nullptr;
  }
  void add_latency(Direction& dir, std::size_t d, std::uint64_t ns, std::uint64_t times = 1) {
    auto* latency = latency_of(dir);
    if (!latency) return;
    latency->moments_ns.add_many(ns, times);
    counts_[d].resize(stats::kBuckets);
    counts_[d][stats::bucket_of(ns)] += times;
  }
  void add_io(const Row& row, Direction& dir) {
    ++dir.ios, dir.bytes += row.bytes;
    add_latency(dir, row.dir, row.value);
  }
  // A window extends from the line before to its own line. An idle direction has no line.
  void add_window(const Row& row, Direction& dir) {
    const std::size_t d = row.dir;
    ++windows_;
    add_latency(dir, d, row.value);
    if (is_latency(kind_)) return;
    const double seconds = static_cast<double>(now_ms_ - before_ms_) / 1e3;
    values_[d].push_back(static_cast<double>(row.value));
    amounts_[d] += static_cast<double>(row.value) * seconds * (kind_ == Kind::bw ? 1024 : 1);
  }
  void finish_samples(std::size_t d) {
    auto& dir = job_.dirs[d];
    const auto& values = values_[d];
    if (values.empty()) return;
    auto& samples = kind_ == Kind::bw ? dir.bw_kib_s : dir.iops;
    double sum = 0, squares = 0;
    for (const double value : values) sum += value;
    samples.n = values.size(), samples.mean = sum / static_cast<double>(values.size());
    for (const double value : values) squares += (value - samples.mean) * (value - samples.mean);
    samples.stddev = values.size() > 1 ? std::sqrt(squares / static_cast<double>(values.size() - 1)) : 0;
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    samples.min = *least, samples.max = *most;
    const auto amount = static_cast<std::uint64_t>(std::llround(amounts_[d]));
    (kind_ == Kind::bw ? dir.bytes : dir.ios) += amount;
  }

  Kind kind_;
  result::Run& run_;
  result::Job& job_;
  bool begun_ = false;
  std::uint64_t epoch_ms_ = 0, before_ms_ = 0, now_ms_ = 0, last_ms_ = 0, windows_ = 0, jobs_ = 1;
  std::array<bool, kDirs> used_ = {}, seen_now_ = {};
  std::array<std::vector<std::uint64_t>, kDirs> counts_;
  std::array<std::vector<double>, kDirs> values_;
  std::array<double, kDirs> amounts_ = {};
};

// Each count is the sum of 2^coarseness neighboring buckets, and is added to the middle one.
base::Expected<void> add_histograms(std::string_view text, const std::string& file_name, Adder& adder) {
  std::vector<std::uint64_t> numbers;
  Lines lines(text);
  std::size_t columns = 0;
  while (const auto line = lines.next()) {
    const auto [count, wrong_at] = split(*line, numbers);
    if (wrong_at != line->npos)
      return wrong(text, file_name, line->data() + wrong_at, "not a line of a log", "whole numbers between commas");
    if (columns == 0) columns = count;
    const std::size_t counts = count < kHistogramHead ? 0 : count - kHistogramHead;
    const std::size_t each = counts == 0 ? 0 : stats::kFioBuckets / counts;
    if (count != columns || each == 0 || each * counts != stats::kFioBuckets || !std::has_single_bit(each))
      return wrong(text, file_name, line->data(), fmt::format("a histogram of {} counts", counts),
                   columns != count ? fmt::format("the lines before it have {}", columns - kHistogramHead)
                                    : fmt::format("expected {}, or a half, a quarter ...", stats::kFioBuckets));
    if (numbers[1] >= kDirs)
      return wrong(text, file_name, line->data(), fmt::format("no direction {}", numbers[1]),
                   "0 read, 1 write, 2 trim");
    stats::Histogram histogram;
    for (std::size_t i = 0; i < counts; ++i)
      if (const auto n = numbers[kHistogramHead + i]; n > 0) histogram.add(stats::bucket_value(i * each + each / 2), n);
    adder.add_histogram(numbers[0], numbers[1], numbers[2], histogram);
  }
  return {};
}

void add_rows(std::string_view text, const Layout& layout, Adder& adder) {
  std::vector<std::uint64_t> numbers;
  Lines lines(text);
  while (const auto line = lines.next()) {
    split(*line, numbers);
    adder.add({numbers[0], numbers[layout.value], numbers[layout.bs], numbers[layout.ddir]});
  }
}

void find(result::Run& run, Kind kind, const Layout& layout, const Adder& adder) {
  using result::findings::found;
  const char* const variant = kind == Kind::clat_hist ? "histograms"
                              : adder.windows() == 0  ? is_latency(kind) ? "" : "rates"
                              : kind == Kind::bw      ? "bandwidth"
                              : kind == Kind::iops    ? "iops"
                                                      : "windows";
  run.findings.push_back(found("import.log", {.variant = variant}));
  if (adder.jobs() > 1)
    run.findings.push_back(found("import.begins", {.variant = "log", .values = {{"count", adder.jobs()}}}));
  if (layout.assumed)
    run.findings.push_back(
        found("import.log_columns", {.variant = layout.max > 0 ? "max" : "", .values = {{"columns", layout.columns}}}));
}

}  // namespace

std::optional<LogName> log_name(std::string_view file_name) {
  file_name.remove_prefix(std::min(file_name.rfind('/') + 1, file_name.size()));
  for (const auto& [ending, kind] : kKinds) {
    const auto at = file_name.rfind(ending);
    if (at != file_name.npos && file_name.substr(at + ending.size() - 1).find(".log") != file_name.npos)
      return LogName{kind, std::string(file_name.substr(0, at))};
  }
  return std::nullopt;
}

bool is_fio_log(std::string_view text) {
  Lines lines(text);
  const auto line = lines.next();
  std::vector<std::uint64_t> numbers;
  return line && split(*line, numbers).count >= kHistogramHead;
}

base::Expected<result::Run> read_fio_log(std::string_view text, const std::string& file_name,
                                         const std::string& columns) {
  const auto name = log_name(file_name);
  if (!name)
    return mistake(fmt::format("{}: unknown kind of log", file_name),
                   "fio records the kind only in the name of the file",
                   "rename the file as fio does: NAME_bw.1.log, _iops, _slat, _clat, _lat or _clat_hist");
  result::Run run;
  run.program = {};
  run.program.name = "fio";
  Adder adder(name->kind, run);
  run.jobs[0].name = name->prefix;
  auto& job = run.jobs[0];
  job.percentile_list.assign(std::begin(kUsualPercentiles), std::end(kUsualPercentiles));
  job.clat_percentiles = name->kind == LogName::Kind::clat || name->kind == LogName::Kind::clat_hist;
  job.lat_percentiles = name->kind == LogName::Kind::lat, job.slat_percentiles = name->kind == LogName::Kind::slat;
  Layout layout;
  if (name->kind == Kind::clat_hist) {
    if (auto ok = add_histograms(text, file_name, adder); !ok) return ok.error();
  } else {
    auto found = find_layout(text, file_name, columns);
    if (!found) return found.error();
    layout = *found;
    add_rows(text, layout, adder);
  }
  adder.finish();
  find(run, name->kind, layout, adder);
  return run;
}

}  // namespace fathom::import::fio
