// The order of the text: first the lines that a reader of fio's report expects, then fathom's.
#include "report/normal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "report/formats.h"
#include "report/headline/verdict.h"
#include "report/normal_latency.h"
#include "report/normal_parts.h"
#include "report/parts/derived.h"
#include "report/parts/disks.h"
#include "report/parts/numbers.h"
#include "report/parts/shown.h"
#include "result/measured.h"
#include "result/option_of.h"
#include "result/sums/checks.h"
#include "result/sums/percentiles.h"
#include "result/sums/rates.h"

namespace fathom::report {

// fio puts as many percentiles on a line of 80 columns as fit. A table has one unit; values are rounded up to it.

namespace {

constexpr unsigned kTableColumns = 73;  // 80 minus the left border

// The decimals that the longest percentile needs.
unsigned decimals_of(std::span<const double> percentiles) {
  unsigned most = 0;
  for (double p : percentiles) {
    unsigned decimals = 0;
    double scale = 1;
    while (decimals < 8 && std::abs(std::round(p * scale) / scale - p) > 1e-10) {
      scale *= 10;
      ++decimals;
    }
    most = std::max(most, decimals);
  }
  return most;
}

std::uint64_t rounded_up(std::uint64_t ns, parts::TimeUnit unit) {
  for (unsigned i = 0; i < unit.thousands; ++i) ns = (ns + 999) / 1000;
  return ns;
}

}  // namespace

LatencySummary summary_of(const stats::Moments& moments_ns) {
  return {moments_ns.n, moments_ns.min(), moments_ns.max, moments_ns.mean(), moments_ns.stddev()};
}

std::string latency_line(std::string_view name, const LatencySummary& summary) {
  if (summary.n == 0) return "";
  const parts::TimeUnit unit = parts::line_unit(summary.min_ns, summary.max_ns, summary.stddev_ns);
  const auto divisor = static_cast<std::uint64_t>(unit.ns);
  return fmt::format("{:>8} ({}): min={}, max={}, avg={:5.2f}, stdev={:5.2f}\n", name, unit.name,
                     parts::scaled(summary.min_ns / divisor, parts::kLatencyDigits, parts::Base::k1000),
                     parts::scaled(summary.max_ns / divisor, parts::kLatencyDigits, parts::Base::k1000),
                     summary.mean_ns / unit.ns, summary.stddev_ns / unit.ns);
}

std::string percentile_table(std::string_view name, std::span<const std::uint64_t> values_ns,
                             std::span<const double> percentiles, std::uint64_t max_ns) {
  if (values_ns.empty() || values_ns.size() != percentiles.size()) return "";
  const auto [lowest, highest] = std::minmax_element(values_ns.begin(), values_ns.end());
  const parts::TimeUnit unit = parts::table_unit(*lowest, *highest);
  const auto in_unit = [&](std::uint64_t ns) {
    return std::min(rounded_up(ns, unit), max_ns / static_cast<std::uint64_t>(unit.ns));
  };
  const std::size_t width = std::max<std::size_t>(5, fmt::formatted_size("{}", in_unit(*highest)));
  const unsigned decimals = decimals_of(percentiles);
  const std::size_t per_line = std::max<std::size_t>(1, kTableColumns / (decimals + 10 + width));

  std::string out = fmt::format("    {} percentiles ({}):\n     |", name, unit.name);
  for (std::size_t i = 0; i < values_ns.size(); ++i) {
    if (i != 0 && i % per_line == 0) out += "\n     |";
    out += fmt::format(" {:{}.{}f}th=[{:{}}]{}", percentiles[i], decimals + 3, decimals, in_unit(values_ns[i]), width,
                       i + 1 == values_ns.size() ? "" : ",");
  }
  return out + "\n";
}

std::string program_text(const result::Program& program) {
  return fmt::format("{} {}{}", program.name, program.version,
                     program.commit.empty() ? "" : " (commit " + program.commit + ")");
}

// The lines that fio prints before it starts.

namespace {

std::string block_sizes(const result::Job& job) {
  constexpr char kLetters[] = {'R', 'W', 'T'};
  std::string out;
  for (std::size_t i = 0; i < result::kDirs; ++i) {
    const auto text = [](std::uint64_t bytes) {
      return bytes == 0 ? "?"
                        : parts::scaled(bytes, parts::kRateDigits, parts::Base::k1024,
                                        "B");  // 0: an older file omits it
    };
    out += fmt::format("{}({}) {}-{}", i == 0 ? "" : ", ", kLetters[i], text(job.bs_min[i]), text(job.bs_max[i]));
  }
  return out;
}

std::string counted(std::size_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string starting(const std::vector<const result::Job*>& jobs) {
  std::size_t threads = 0;
  for (const auto* job : jobs) threads += job->thread ? 1 : 0;
  const std::size_t processes = jobs.size() - threads;
  std::string out = "Starting ";
  if (threads > 0) out += counted(threads, "thread", "threads");
  if (threads > 0 && processes > 0) out += " and ";
  if (processes > 0) out += counted(processes, "process", "processes");
  return out + "\n";
}

// exec_prerun, exec_postrun: one line per job. An omitted job has no postrun.
std::string commands(const result::Run& run, const std::vector<const result::Job*>& jobs) {
  std::string out;
  for (const std::string which : {"prerun", "postrun"})
    for (const auto* job : jobs) {
      const bool left_out = std::any_of(run.findings.begin(), run.findings.end(), [&](const auto& finding) {
        return finding.id == "run.left_out" && finding.job == job->name;
      });
      const std::string option = "exec_" + which;
      if (result::option_of(run, *job, option) == nullptr) continue;
      if (which == "prerun" || !left_out)
        out += fmt::format("{0} : Saving output of {1} in {0}.{1}.txt\n", job->name, which);
    }
  return out;
}

bool clones(const result::Job& a, const result::Job& b) { return a.section == b.section && a.name == b.name; }

}  // namespace

std::string preamble(const result::Run& as_it_is) {
  const auto run = parts::shown(as_it_is);
  const auto jobs = result::single_jobs(run);
  std::string out;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const auto& job = *jobs[i];
    if (i > 0 && clones(*jobs[i - 1], job)) {
      const bool second = i == 1 || !clones(*jobs[i - 2], job);
      if (second) out += "...\n";
      continue;
    }
    out += fmt::format("{}: (g={}): rw={}, bs={}, ioengine={}, iodepth={}\n", job.name, job.group_id, job.rw,
                       block_sizes(job), job.engine.empty() ? "?" : job.engine,
                       job.iodepth == 0 ? "?" : fmt::format("{}", job.iodepth));
  }
  out += (result::sums::is_reported(run) ? "" : run.program.fio_version + "\n") + program_text(run.program) + "\n";
  out += starting(jobs);
  for (const auto& l : run.layouts)
    out += l.files == 1
               ? fmt::format("{}: Laying out IO file (1 file / {}MiB)\n", l.job, l.bytes >> 20)
               : fmt::format("{}: Laying out IO files ({} files / total {}MiB)\n", l.job, l.files, l.bytes >> 20);
  return out + commands(run, jobs);
}

// The block of one job. Unused directions are omitted, as in fio.

namespace {

std::string head(const result::Run& run, const result::Job& job) {
  std::string why;
  const int error = parts::fio_error(job);
  if (error != 0) {
    const std::string_view op = job.errors.empty() ? std::string_view("job") : std::string_view(job.errors.front().op);
    const char* text = error == EILSEQ ? "verification failed" : strerrordesc_np(error);
    why = fmt::format(" (func={}, error={})", op, text ? text : "unknown error");
  }
  const auto epoch_ms = reported_epoch_ms(run);  // 0: fio's terse lines and logs omit it
  const auto date = epoch_ms == 0 ? std::string("?") : parts::calendar(epoch_ms, run.utc_offset_s);
  std::string out = fmt::format("{}: (groupid={}, jobs={}): err={:2}{}: pid={}: {}\n", job.name, job.group_id,
                                job.members, error, why, job.pid, date);
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

std::string samples(const result::Direction& dir, double share_percent, parts::Base base) {
  std::string out;
  if (dir.bw_kib_s.n > 0) {
    const auto& bw = dir.bw_kib_s;
    const double k = base == parts::Base::k1024 ? 1024.0 : 1000.0;
    const bool mega = bw.mean * 1024.0 > k * k * k;
    const double scale = (mega ? k * k : k) / 1024.0;
    const char* unit = base == parts::Base::k1024 ? (mega ? "MiB" : "KiB") : (mega ? "MB" : "kB");
    out += fmt::format("   bw ({:>5}/s): min={:5}, max={:5}, per={:.2f}%, avg={:5.2f}, stdev={:5.2f}, samples={}\n",
                       unit, parts::whole(bw.min / scale), parts::whole(bw.max / scale), share_percent, bw.mean / scale,
                       bw.stddev / scale, bw.n);
  }
  if (dir.iops.n > 0) {
    const auto& iops = dir.iops;
    out += fmt::format("   iops        : min={:5}, max={:5}, avg={:5.2f}, stdev={:5.2f}, samples={}\n",
                       parts::whole(iops.min), parts::whole(iops.max), iops.mean, iops.stddev, iops.n);
  }
  return out;
}

// Empty for fewer than two priorities with samples.
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
  const auto figures = parts::figures_of(job);
  // fio shows zone resets with the writes, or with the trims of a job that does not write.
  const bool shows_resets = name == parts::kDirNames[1] || (name == parts::kDirNames[2] && job.zone_resets);
  const std::string zones = shows_resets ? fmt::format("; {} zone resets", job.zone_resets.value_or(0)) : "";
  const bool known = dir.runtime_ms > 0 || dir.runtime_ns > 0;  // a result of fio may have 0
  const auto rate = result::sums::rate_of(dir);
  std::string out = fmt::format(
      "  {}: IOPS={}, BW={}({}/{}msec){}\n", name,
      known && rate.iops() ? parts::scaled(parts::whole(parts::ios_per_s(dir)), figures.digits, parts::Base::k1000)
                           : "?",
      known && rate.bytes_per_s() ? parts::bandwidth(parts::bytes_per_s(dir), figures) : "? ",
      parts::scaled(dir.bytes, figures.digits, figures.first, "B"), dir.runtime_ms, zones);
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
  for (std::size_t i = 0; i < result::kDirs && !parts::only_mixed(job); ++i)
    if (parts::used(job.dirs[i]))
      out += direction_block(parts::kDirNames[i], job, job.dirs[i], parts::share_of_group_percent(run, job, i));
  if (job.unified)
    out += direction_block("mixed", job, parts::mixed(job), parts::mixed_share_of_group_percent(run, job));
  return out;
}

// "  lat (usec)   : 50=3.12%, 100=91.41%", five per line.
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
  const parts::LatencyShares shares = parts::latency_shares(job);
  return share_lines("nsec", parts::kNsLabels, shares.ns) + share_lines("usec", parts::kUsLabels, shares.us) +
         share_lines("msec", parts::kMsLabels, shares.ms);
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

// "50.00us", as fio prints it.
std::string whole_time_text(std::uint64_t ns) {
  constexpr std::string_view kUnits[] = {"ns", "us", "ms", "s"};
  double value = static_cast<double>(ns);
  std::size_t unit = 0;
  for (; value >= 1000 && unit + 1 < std::size(kUnits); ++unit) value /= 1000;
  return fmt::format("{:.2f}{}", value, kUnits[unit]);
}

std::string latency_target_line(const result::Job& job) {
  const auto& target = job.latency_target;
  return fmt::format("     latency   : target={}, window={}, percentile={:.2f}%, depth={}\n",
                     whole_time_text(target.target_ns), whole_time_text(target.window_ns), target.percentile,
                     target.target_ns != 0 ? target.depth : job.iodepth);
}

std::string steady_state_line(const result::SteadyState& steady) {
  const bool lat = steady.criterion == "lat";
  const double mean_lat_ns = parts::mean_of(steady.lat_ns);
  return fmt::format("  steadystate  : attained={}, bw={}, iops={}{}, {} {}={:.3f}{}\n", steady.attained ? "yes" : "no",
                     parts::bandwidth(parts::whole(parts::mean_of(steady.bytes_per_s))),
                     parts::scaled(parts::whole(parts::mean_of(steady.iops)), parts::kRateDigits, parts::Base::k1000),
                     lat ? fmt::format(", lat={}", whole_time_text(parts::whole(mean_lat_ns))) : "", steady.criterion,
                     steady.slope ? "slope" : "mean dev", steady.value, steady.percent ? "%" : "");
}

std::string counts_block(const result::Job& job) {
  const auto& [r, w, t] = job.dirs;
  const std::uint64_t issued = parts::issued_total(job);
  std::string out = depth_line("  IO depths    : ", parts::kLevelLabels, parts::depth_shares(job.depth.level, issued));
  out += depth_line("     submit    : ", parts::kBatchLabels,
                    parts::depth_shares(job.depth.submit, job.depth.submit_calls));
  out += depth_line("     complete  : ", parts::kBatchLabels,
                    parts::depth_shares(job.depth.complete, job.depth.complete_calls));
  out += fmt::format("     issued rwts: total={},{},{},{} short={},{},{},0 dropped={},{},{},0\n", r.issued, w.issued,
                     t.issued, job.sync_ios, r.short_ios, w.short_ios, t.short_ios, r.dropped_ios, w.dropped_ios,
                     t.dropped_ios);
  if (job.goes_on)
    out += fmt::format("     errors    : total={}, first_error={}/<{}>\n", job.io_errors, job.first_io_error,
                       strerror(job.first_io_error));
  return out + latency_target_line(job);
}

// fio's lines for block_error_percentiles.
std::string block_lines(const result::Job& job) {
  if (!job.block_lifetimes) return "";
  std::string out, line = "   |";
  for (const double percentile : job.percentile_list) {
    if (job.block_lifetimes->by_trims.empty()) break;
    constexpr std::size_t kLineLength = 75;
    const auto part = fmt::format(" {:3.2f}th={},", percentile, parts::trims_at(*job.block_lifetimes, percentile));
    if (line.size() + part.size() > kLineLength) out += std::exchange(line, "   |") + "\n";
    line += part;
  }
  if (line.back() == ',') {
    line.pop_back();
    out = "  block lifetime percentiles :\n" + out + line + "\n";
  }
  out += "       states               :";
  for (const auto& [name, blocks] : parts::block_states(*job.block_lifetimes))
    out += fmt::format(" {}={},", name, blocks);
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

// "Run status group" and "Disk stats": sums over jobs, and the kernel's block statistics for the time of the run.

namespace {

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

// The reporting options of the group's last job apply to the group.
const result::Job* last_of(const result::Run& run, int group_id) {
  const result::Job* last = nullptr;
  for (const auto& job : run.jobs)
    if (job.group_id == group_id && !job.reporting.hidden) last = &job;
  return last;
}

std::string direction_line(std::string_view name, const result::GroupDirection& dir, const parts::Figures& figures) {
  const auto range = [&](parts::Base base) {
    return parts::rate(parts::whole(dir.min_bytes_per_s), base, figures) + "-" +
           parts::rate(parts::whole(dir.max_bytes_per_s), base, figures);
  };
  return fmt::format("{:>7}: bw={}, {} ({}), io={}, run={}-{}msec\n", name,
                     parts::bandwidth(parts::whole(dir.agg_bytes_per_s), figures), range(figures.first),
                     range(figures.second()), parts::size_pair(dir.bytes, figures), dir.min_run_ms, dir.max_run_ms);
}

std::string disk_counters(const result::Disk& disk, std::string_view prefix) {
  return fmt::format(
      "{0}ios={1}/{2}, {0}sectors={3}/{4}, {0}merge={5}/{6}, {0}ticks={7}/{8}, {0}in_queue={9}, {0}util={10:.2f}%",
      prefix, disk.read_ios, disk.write_ios, disk.read_sectors, disk.write_sectors, disk.read_merges, disk.write_merges,
      disk.read_ticks_ms, disk.write_ticks_ms, disk.in_queue_ms, disk.util_percent);
}

}  // namespace

std::string group_block(const result::Run& run, const result::Group& group) {
  std::string out = fmt::format("\nRun status group {} (all jobs):\n", group.id);
  const auto* last = last_of(run, group.id);
  const auto figures = last ? parts::figures_of(*last) : parts::Figures{};
  for (std::size_t i = 0; i < result::kDirs && !(last && parts::only_mixed(*last)); ++i)
    if (group.dirs[i].used) out += direction_line(upper(parts::kDirNames[i]), group.dirs[i], figures);
  const auto mixed = parts::mixed_group(run, group);
  if (last && last->unified && mixed.used) out += direction_line("MIXED", mixed, figures);
  return out;
}

std::string disk_block(const result::Run& run) {
  const auto rows = parts::disk_rows(run.disks);
  if (rows.empty()) return "";
  std::string out = "\nDisk stats (read/write):\n";
  for (const auto& row : rows) {
    out += row.members ? "    " : "  ";
    out += row.disk->name + ": " + disk_counters(*row.disk, "");
    if (row.members) out += ", " + disk_counters(*row.members, "aggr");
    out += "\n";
  }
  return out;
}

// --idle-prof, at the end of fio's text.

std::string idleness_block(const result::Run& run) {
  if (!run.cpu_idleness) return "";
  const auto& idle = *run.cpu_idleness;
  std::string out = fmt::format("\nCPU idleness:\n  system: {:3.2f}%\n", idle.system_percent);
  for (std::size_t i = 0; i < idle.cpu_percent.size() && idle.each; ++i)
    out += fmt::format("{}{:3.2f}%", i == 0 ? "  percpu: " : ", ", idle.cpu_percent[i]);
  if (idle.each && !idle.cpu_percent.empty()) out += "\n";
  return out + fmt::format("  unit work: mean={:3.2f}us, stddev={:3.2f}\n", idle.unit_mean_us, idle.unit_stddev_us);
}

std::string results(const result::Run& as_it_is) {
  const auto run = parts::shown(as_it_is);
  std::string out;
  for (const auto& error : run.errors) out += error.message + "\n";
  out += "\n";
  for (const auto& job : run.jobs)
    if (!job.reporting.hidden) out += job_block(run, job);
  for (const auto& group : run.groups) out += group_block(run, group);
  out += disk_block(run) + idleness_block(run);
  out += fathom_block(run);
  return out;
}

std::string brief(const result::Run& run, std::size_t columns) {
  return headline::verdict(parts::shown(run), columns, run.repetitions);
}

std::string brief(const result::Run& run) { return brief(run, headline::kUsualColumns); }

std::string opening(const result::Run& run, std::size_t columns) {
  if (run.program.fio_mode) return "";
  return headline::verdict(parts::shown(run), columns, run.repetitions);
}

std::string normal(const result::Run& run) { return opening(run) + preamble(run) + results(run); }

}  // namespace fathom::report
