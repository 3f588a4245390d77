// A line is a job, or a group of jobs. With --status-interval, a job has several lines, and the last is read.
#include "import/fio/fio_terse.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "import/fio/reported.h"
#include "import/json_fields.h"
#include "import/place.h"
#include "import/xml_reader.h"

namespace fathom::import::fio {
namespace {

constexpr std::size_t kPercentiles = 20, kMostNs = std::size_t{1} << 62;
constexpr double kKiB = 1024, kNsInMicro = 1000;

// Reads the fields of a line in order, and keeps the first error.
class Fields {
 public:
  Fields(std::string_view text, const std::string& file_name, std::string_view line)
      : text_(text), file_name_(file_name), left_(line), at_(line.data() - text.data()) {}

  std::string_view next() {
    if (ended_) {
      fail("the line is cut short", fmt::format("field {} is missing", read_ + 1));
      return {};
    }
    const auto end = left_.find(';');
    const auto field = left_.substr(0, end);
    field_at_ = at_;
    ended_ = end == left_.npos;
    left_.remove_prefix(ended_ ? left_.size() : end + 1);
    at_ += static_cast<std::ptrdiff_t>(field.size()) + 1;
    ++read_;
    return field;
  }
  double number() {
    const auto field = next();
    if (error_) return 0;
    const auto value = to_real(field);
    if (!value) fail(fmt::format("`{:.40}` is not a number", field), fmt::format("field {}", read_));
    return value.value_or(0);
  }
  double percent() {
    auto field = next();
    if (field.ends_with('%')) field.remove_suffix(1);
    const auto value = to_real(field);
    if (!value && !error_) fail(fmt::format("`{:.40}` is not a percentage", field), fmt::format("field {}", read_));
    return value.value_or(0);
  }
  // "99.000000%=17", larger than the percentile before; nullopt: a percentile that was not requested.
  std::optional<std::pair<double, double>> pair(double before) {
    const auto field = next();
    const auto equals = field.find("%=");
    const auto of = to_real(field.substr(0, std::min(equals, field.size())));
    const auto value = equals == field.npos ? std::nullopt : to_real(field.substr(equals + 2));
    const bool in_order = of && (*of == 0 || (*of > before && *of <= 100));
    if (!error_ && (!in_order || !value))
      fail(fmt::format("`{:.40}` is not a percentile", field),
           fmt::format("field {}: percentiles must rise, up to 100", read_));
    return in_order && value && *of > 0 ? std::optional(std::pair(*of, *value)) : std::nullopt;
  }
  void skip(unsigned n) {
    while (n-- > 0) next();
  }
  void fail(std::string what, std::string cause) {
    if (error_) return;
    error_.emplace();
    error_->what = ended_ ? "the line is cut short" : std::move(what), error_->cause = std::move(cause);
    error_->place = place_in(text_, file_name_, static_cast<std::size_t>(field_at_));
  }
  const std::optional<base::Error>& error() const { return error_; }

 private:
  std::string_view text_;
  const std::string& file_name_;
  std::string_view left_;
  std::ptrdiff_t at_, field_at_ = 0;
  std::size_t read_ = 0;
  bool ended_ = false;
  std::optional<base::Error> error_;
};

std::uint64_t whole(double value) {
  return value > 0 ? static_cast<std::uint64_t>(std::llround(std::min(value, static_cast<double>(kMostNs)))) : 0;
}

void read_moments(Fields& fields, std::uint64_t ios, result::Latency& latency) {
  const double min = fields.number(), max = fields.number(), mean = fields.number(), stddev = fields.number();
  auto& moments = latency.moments_ns;
  if (max <= 0 && mean <= 0) return;
  moments.n = ios;
  moments.min_inverted = ~whole(min * kNsInMicro), moments.max = whole(max * kNsInMicro);
  set_sums(moments, mean * kNsInMicro, stddev * kNsInMicro);
}

void read_direction(Fields& fields, int version, result::Direction& dir) {
  dir.bytes = whole(fields.number() * kKiB);
  fields.skip(1);  // bandwidth, which follows from bytes and time
  const double iops = fields.number();
  dir.runtime_ms = whole(fields.number()), dir.runtime_ns = dir.runtime_ms * 1'000'000;
  dir.ios = dir.issued = whole(iops * static_cast<double>(dir.runtime_ms) / 1e3);
  read_moments(fields, dir.ios, dir.slat);
  read_moments(fields, dir.ios, dir.clat);
  double before = 0;
  for (std::size_t i = 0; i < kPercentiles; ++i) {
    const auto one = fields.pair(before);
    if (one) before = one->first;
    if (one && dir.ios > 0) dir.clat.percentiles_ns.emplace_back(one->first, whole(one->second * kNsInMicro));
  }
  read_moments(fields, dir.ios, dir.lat);
  fields.skip(version == 5 ? 11 : 5);  // samples of bandwidth and, since 5, of IOPS
}

// Shares of depths, and of latencies by fio's labels, which begin at 2 us here.
void read_shares(Fields& fields, result::Job& job) {
  constexpr std::size_t kLabelsOfNs = 10, kLabels = 32;
  const auto issued = static_cast<double>(job.dirs[0].ios + job.dirs[1].ios + job.dirs[2].ios);
  for (auto& level : job.depth.level) level = whole(fields.percent() / 100 * issued);
  job.latency_shares.assign(kLabelsOfNs, 0);
  while (job.latency_shares.size() < kLabels) job.latency_shares.push_back(fields.percent());
}

result::Job read_line(Fields& fields, int version, std::string& of_fio) {
  result::Job job;
  fields.skip(1);
  of_fio = std::string(fields.next());
  job.name = std::string(fields.next());
  job.group_id = static_cast<int>(fields.number()), job.error = static_cast<int>(fields.number());
  const std::size_t dirs = version == 3 ? 2 : 3;
  for (std::size_t d = 0; d < dirs; ++d) read_direction(fields, version, job.dirs[d]);
  job.usr_cpu_percent = fields.percent(), job.sys_cpu_percent = fields.percent();
  job.ctx_switches = whole(fields.number());
  job.major_faults = whole(fields.number()), job.minor_faults = whole(fields.number());
  read_shares(fields, job);
  take_what_it_did(job);
  return job;
}

// "3;fio-3.33;...": 3. 0: not a line of a job.
int version_of_line(std::string_view line) {
  return line.size() > 6 && line[0] >= '2' && line[0] <= '9' && line.substr(1, 5) == ";fio-" ? line[0] - '0' : 0;
}

std::uint64_t bytes_of(const result::Job& job) { return job.dirs[0].bytes + job.dirs[1].bytes + job.dirs[2].bytes; }
std::uint64_t time_ms(const result::Job& job) {
  return std::max({job.dirs[0].runtime_ms, job.dirs[1].runtime_ms, job.dirs[2].runtime_ms});
}

// Lines with the same name and group are either clones (numjobs) or reports of one job (--status-interval). Each report
// has moved more than the one before, and the last ran over 2 % longer than the first. Returns the indexes of the first
// such job.
std::optional<std::vector<std::size_t>> first_reports(const std::vector<result::Job>& jobs) {
  for (std::size_t first = 0; first < jobs.size(); ++first) {
    std::vector<std::size_t> same{first};
    bool rising = true;
    for (std::size_t i = first + 1; i < jobs.size(); ++i) {
      if (jobs[i].name != jobs[first].name || jobs[i].group_id != jobs[first].group_id) continue;
      rising =
          rising && bytes_of(jobs[i]) > bytes_of(jobs[same.back()]) && time_ms(jobs[i]) > time_ms(jobs[same.back()]);
      same.push_back(i);
    }
    if (same.size() > 1 && rising && time_ms(jobs[same.back()]) * 50 > time_ms(jobs[first]) * 51) return same;
  }
  return std::nullopt;
}

template <class Take>
void each_line(std::string_view text, const Take& take) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    auto line = text.substr(at, end - at);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!take(line)) return;
    at = end + 1;
  }
}

}  // namespace

bool is_fio_terse(std::string_view text) {
  bool found = false;
  each_line(text, [&](std::string_view line) { return !(found = version_of_line(line) > 0); });
  return found;
}

base::Expected<result::Run> read_fio_terse(std::string_view text, const std::string& file_name) {
  result::Run run;
  run.program.name = "fio";
  int version = 0;
  std::optional<base::Error> error;
  each_line(text, [&](std::string_view line) {
    const int own = version_of_line(line);
    if (own == 0) return true;
    Fields fields(text, file_name, line);
    std::string of_fio;
    if (own > 5 || own < 3) fields.fail(fmt::format("terse version {}", own), "versions 3 to 5 are read");
    if (version != 0 && own != version)
      fields.fail("lines of two terse versions", fmt::format("{} and {}", version, own));
    version = own;
    auto job = fields.error() ? result::Job() : read_line(fields, own, of_fio);
    if (fields.error()) return !(error = fields.error());
    run.program.version = of_fio.starts_with("fio-") ? of_fio.substr(4) : of_fio;
    run.jobs.push_back(std::move(job));
    return true;
  });
  if (error) return *error;
  Source source{.is_json = false};
  while (const auto reports = first_reports(run.jobs)) {
    source.documents = std::max(source.documents, reports->size());
    for (auto i = reports->rbegin() + 1; i != reports->rend(); ++i)
      run.jobs.erase(run.jobs.begin() + static_cast<std::ptrdiff_t>(*i));
  }
  complete_reported(run, source);
  return run;
}

}  // namespace fathom::import::fio
