// One job's block. Directions that were not used are left out, as fio does.
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "report/derived.h"
#include "report/normal_latency.h"
#include "report/normal_parts.h"
#include "report/numbers.h"
#include "result/measured.h"
#include "result/percentiles.h"

namespace fathom::report {
namespace {

std::string head(const result::Run& run, const result::Job& job) {
  std::string why;
  const int error = fio_error(job);
  if (error != 0) {
    const std::string_view op = job.errors.empty() ? std::string_view("job") : std::string_view(job.errors.front().op);
    const char* text = error == EILSEQ ? "verification failed" : strerrordesc_np(error);
    why = fmt::format(" (func={}, error={})", op, text ? text : "unknown error");
  }
  std::string out = fmt::format("{}: (groupid={}, jobs={}): err={:2}{}: pid={}: {}\n", job.name, job.group_id,
                                job.members, error, why, job.pid, calendar(reported_epoch_ms(run), run.utc_offset_s));
  if (!job.description.empty()) out += fmt::format("  Description  : [{}]\n", job.description);
  return out;
}

std::string percentiles_of(std::string_view name, const result::Job& job, const result::Latency& latency) {
  std::vector<double> percentiles;
  std::vector<std::uint64_t> values_ns;
  for (const auto& [percentile, value] : result::percentiles_of(latency, job.percentile_list))
    percentiles.push_back(percentile), values_ns.push_back(value);
  return percentile_table(name, values_ns, percentiles, latency.moments_ns.n > 0 ? latency.moments_ns.max : UINT64_MAX);
}

std::string samples(const result::Direction& dir, double share_percent, Base base) {
  std::string out;
  if (dir.bw_kib_s.n > 0) {
    const auto& bw = dir.bw_kib_s;
    const double k = base == Base::k1024 ? 1024.0 : 1000.0;
    const bool mega = bw.mean * 1024.0 > k * k * k;
    const double scale = (mega ? k * k : k) / 1024.0;
    const char* unit = base == Base::k1024 ? (mega ? "MiB" : "KiB") : (mega ? "MB" : "kB");
    out += fmt::format("   bw ({:>5}/s): min={:5}, max={:5}, per={:.2f}%, avg={:5.2f}, stdev={:5.2f}, samples={}\n",
                       unit, whole(bw.min / scale), whole(bw.max / scale), share_percent, bw.mean / scale,
                       bw.stddev / scale, bw.n);
  }
  if (dir.iops.n > 0) {
    const auto& iops = dir.iops;
    out += fmt::format("   iops        : min={:5}, max={:5}, avg={:5.2f}, stdev={:5.2f}, samples={}\n", whole(iops.min),
                       whole(iops.max), iops.mean, iops.stddev, iops.n);
  }
  return out;
}

// Where two priorities have samples.
std::string priority_lines(const result::Job& job, const result::Direction& dir) {
  std::string out;
  for (const auto& p : dir.priorities)
    if (dir.priorities.size() > 1)
      out += latency_line(fmt::format("    {} prio {}/{}", job.lat_percentiles ? "lat" : "clat", p.io_class, p.level),
                          summary_of(p.latency.moments_ns));
  return out;
}

std::string priority_percentiles(const result::Job& job, const result::Direction& dir) {
  if (dir.priorities.size() < 2 || !(job.clat_percentiles || job.lat_percentiles)) return "";
  std::uint64_t all = 0;
  for (const auto& p : dir.priorities) all += p.latency.moments_ns.n;
  std::string out;
  for (const auto& p : dir.priorities)
    out += percentiles_of(
        fmt::format("{} prio {}/{} ({:.2f}% of IOs)", job.lat_percentiles ? "lat" : "clat", p.io_class, p.level,
                    100.0 * static_cast<double>(p.latency.moments_ns.n) / static_cast<double>(all)),
        job, p.latency);
  return out;
}

std::string direction_block(std::string_view name, const result::Job& job, const result::Direction& dir,
                            double share_percent) {
  const auto figures = figures_of(job);
  const std::string_view zones = name == kDirNames[1] ? "; 0 zone resets" : "";
  std::string out =
      fmt::format("  {}: IOPS={}, BW={}({}/{}msec){}\n", name,
                  scaled(whole(ios_per_s(dir)), figures.digits, Base::k1000), bandwidth(bytes_per_s(dir), figures),
                  scaled(dir.bytes, figures.digits, figures.first, "B"), dir.runtime_ms, zones);
  out += latency_line("slat", summary_of(dir.slat.moments_ns));
  out += latency_line("clat", summary_of(dir.clat.moments_ns));
  out += latency_line("lat", summary_of(dir.lat.moments_ns));
  out += priority_lines(job, dir);
  if (job.slat_percentiles) out += percentiles_of("slat", job, dir.slat);
  if (job.clat_percentiles) out += percentiles_of("clat", job, dir.clat);
  if (job.lat_percentiles) out += percentiles_of("lat", job, dir.lat);
  out += priority_percentiles(job, dir);
  return out + samples(dir, share_percent, figures.first);
}

std::string directions(const result::Run& run, const result::Job& job) {
  std::string out;
  for (std::size_t i = 0; i < result::kDirs && !only_mixed(job); ++i)
    if (used(job.dirs[i])) out += direction_block(kDirNames[i], job, job.dirs[i], share_of_group_percent(run, job, i));
  if (job.unified) out += direction_block("mixed", job, mixed(job), mixed_share_of_group_percent(run, job));
  return out;
}

// "  lat (usec)   : 50=3.12%, 100=91.41%", five to a line.
template <std::size_t N, std::size_t M>
std::string share_lines(std::string_view unit, const std::array<unsigned, N>& labels,
                        const std::array<double, M>& shares) {
  std::string out;
  unsigned on_line = 0;
  for (std::size_t i = 0; i < M; ++i) {
    if (shares[i] <= 0) continue;
    out += on_line == 0 ? fmt::format("{}  lat ({})   : ", out.empty() ? "" : "\n", unit) : ", ";
    out +=
        i < N ? fmt::format("{}={:.2f}%", labels[i], shares[i]) : fmt::format(">={}={:.2f}%", labels[N - 1], shares[i]);
    on_line = (on_line + 1) % 5;
  }
  return out.empty() ? out : out + "\n";
}

std::string latency_distribution(const result::Job& job) {
  const LatencyShares shares = latency_shares(job);
  return share_lines("nsec", kNsLabels, shares.ns) + share_lines("usec", kUsLabels, shares.us) +
         share_lines("msec", kMsLabels, shares.ms);
}

std::string sync_block(const result::Job& job) {
  if (job.sync_lat.moments_ns.n == 0) return "";
  std::string out =
      "  fsync/fdatasync/sync_file_range/syncfs:\n" + latency_line("sync", summary_of(job.sync_lat.moments_ns));
  if (job.clat_percentiles || job.lat_percentiles) out += percentiles_of("sync", job, job.sync_lat);
  return out;
}

std::string depth_line(std::string_view title, const std::array<std::string_view, 7>& labels,
                       const std::array<double, 7>& shares) {
  std::string out(title);
  for (std::size_t i = 0; i < labels.size(); ++i)
    out += fmt::format("{}{}={:.1f}%", i == 0 ? "" : ", ", labels[i], shares[i]);
  return out + "\n";
}

// "50.00us", as fio has it.
std::string time_words(std::uint64_t ns) {
  constexpr std::string_view kUnits[] = {"ns", "us", "ms", "s"};
  double value = static_cast<double>(ns);
  std::size_t unit = 0;
  for (; value >= 1000 && unit + 1 < std::size(kUnits); ++unit) value /= 1000;
  return fmt::format("{:.2f}{}", value, kUnits[unit]);
}

std::string latency_target_line(const result::Job& job) {
  const auto& target = job.latency_target;
  return fmt::format("     latency   : target={}, window={}, percentile={:.2f}%, depth={}\n",
                     time_words(target.target_ns), time_words(target.window_ns), target.percentile,
                     target.target_ns != 0 ? target.depth : job.iodepth);
}

std::string steady_state_line(const result::SteadyState& steady) {
  const bool lat = steady.criterion == "lat";
  const double mean_lat_ns = mean_of(steady.lat_ns);
  return fmt::format("  steadystate  : attained={}, bw={}, iops={}{}, {} {}={:.3f}{}\n", steady.attained ? "yes" : "no",
                     bandwidth(whole(mean_of(steady.bytes_per_s))),
                     scaled(whole(mean_of(steady.iops)), kRateDigits, Base::k1000),
                     lat ? fmt::format(", lat={}", time_words(whole(mean_lat_ns))) : "", steady.criterion,
                     steady.slope ? "slope" : "mean dev", steady.value, steady.percent ? "%" : "");
}

std::string counts_block(const result::Job& job) {
  const auto& [r, w, t] = job.dirs;
  const std::uint64_t issued = issued_total(job);
  std::string out = depth_line("  IO depths    : ", kLevelLabels, depth_shares(job.depth.level, issued));
  out += depth_line("     submit    : ", kBatchLabels, depth_shares(job.depth.submit, job.depth.submit_calls));
  out += depth_line("     complete  : ", kBatchLabels, depth_shares(job.depth.complete, job.depth.complete_calls));
  out += fmt::format("     issued rwts: total={},{},{},{} short={},{},{},0 dropped={},{},{},0\n", r.issued, w.issued,
                     t.issued, job.sync_ios, r.short_ios, w.short_ios, t.short_ios, r.dropped_ios, w.dropped_ios,
                     t.dropped_ios);
  if (job.goes_on)
    out += fmt::format("     errors    : total={}, first_error={}/<{}>\n", job.io_errors, job.first_io_error,
                       strerror(job.first_io_error));
  return out + latency_target_line(job);
}

// block_error_percentiles: fio's lines.
std::string block_lines(const result::Job& job) {
  if (!job.block_lifetimes) return "";
  std::string out, line = "   |";
  for (const double percentile : job.percentile_list) {
    if (job.block_lifetimes->by_trims.empty()) break;
    constexpr std::size_t kLineLength = 75;
    const auto part = fmt::format(" {:3.2f}th={},", percentile, trims_at(*job.block_lifetimes, percentile));
    if (line.size() + part.size() > kLineLength) out += std::exchange(line, "   |") + "\n";
    line += part;
  }
  if (line.back() == ',') {
    line.pop_back();
    out = "  block lifetime percentiles :\n" + out + line + "\n";
  }
  out += "       states               :";
  for (const auto& [name, blocks] : block_states(*job.block_lifetimes)) out += fmt::format(" {}={},", name, blocks);
  out.back() = '\n';
  return out;
}

}  // namespace

std::string job_block(const result::Run& run, const result::Job& job) {
  std::string out = head(run, job) + directions(run, job) + latency_distribution(job) + sync_block(job);
  out += fmt::format("  cpu          : usr={:.2f}%, sys={:.2f}%, ctx={}, majf={}, minf={}\n", job.usr_cpu_percent,
                     job.sys_cpu_percent, job.ctx_switches, job.major_faults, job.minor_faults);
  out += counts_block(job) + block_lines(job);
  return job.steady_state ? out + steady_state_line(*job.steady_state) : out;
}

}  // namespace fathom::report
