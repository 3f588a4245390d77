// The first screen and the findings, then numbers by job and direction, then options, host and program.
#include "report/page/tables/run_tables.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>

#include "base/text/unit_text.h"
#include "report/page/html.h"
#include "report/page/replay_tables.h"
#include "report/page/tables/blocks.h"
#include "report/page/tables/first_screen.h"
#include "report/page/tables/paging_tables.h"
#include "report/page/tables/split_tables.h"
#include "report/page/units.h"
#include "report/parts/derived.h"
#include "report/parts/shown.h"
#include "result/sums/main_latency.h"
#include "result/sums/percentiles.h"
#include "result/sums/rates.h"

namespace fathom::report::page::tables {
namespace {

constexpr const char* kDirNames[result::kDirs] = {"read", "write", "trim"};

std::string percentile_text(const result::Latency& latency, double p) {
  const auto value = result::percentile_of(latency, p);
  return value ? ns_text(static_cast<double>(*value)) : "-";
}

constexpr std::size_t kMostUnfolded = 6;  // jobs
constexpr int kJobsSideBySide = -1;       // place of figures: assets/show.js

std::string job_id(std::size_t job, std::size_t number) { return fmt::format("result{}-job{}", number, job); }

std::string errors_html(const result::Run& run) {
  Table table("What failed", {"job", "operation", "file", "#offset", "#length", "message"});
  const auto bytes = [](std::optional<std::uint64_t> n) { return n ? fmt::format("{}", *n) : std::string("-"); };
  for (const auto& e : run.errors)
    table.row({e.job, e.op, e.file, bytes(e.offset_bytes), bytes(e.length_bytes), e.message});
  return table.html();
}

std::string jobs_html(const result::Run& run, std::size_t number) {
  Table table("Jobs", {"job", "direction", "#I/Os", "#IOPS", "#bandwidth", "latency", "#mean", "#p50", "#p99", "#p99.9",
                       "#max"});
  for (std::size_t j = 0; j < run.jobs.size(); ++j)
    for (std::size_t d = 0; d < result::kDirs; ++d) {
      const auto& job = run.jobs[j];
      const auto& dir = job.dirs[d];
      if (!parts::used(dir)) continue;
      const auto sum = result::sums::rate_of(dir);
      const auto rate = [](std::optional<double> per_s, const char* unit) {
        return per_s ? quantity(*per_s, unit) : std::string("-");
      };
      const auto [of, latency] = result::sums::main_latency(dir);
      const bool any = latency->moments_ns.n > 0;
      table.row({job.name, job.unified ? "all" : kDirNames[d], fmt::format("{}", dir.ios), rate(sum.iops(), "1/s"),
                 rate(sum.bytes_per_s(), "bytes/s"), any ? std::string(of) : "-",
                 any ? ns_text(latency->moments_ns.mean()) : "-", percentile_text(*latency, 50),
                 percentile_text(*latency, 99), percentile_text(*latency, 99.9),
                 any ? ns_text(static_cast<double>(latency->moments_ns.max)) : "-"},
                any ? "#" + job_id(j, number) : "");
    }
  if (run.jobs.size() < 2) return table.html();
  const auto beside = figures(number, kJobsSideBySide);
  return table.html() + (run.jobs.size() > kMostUnfolded ? folded("beside", "The jobs side by side", beside) : beside);
}

// The percentiles of each latency, next to its plots. If there are many jobs, each can be folded.
std::string latencies_html(const result::Run& run, std::size_t number) {
  const bool folds = run.jobs.size() > kMostUnfolded;
  std::string out;
  for (std::size_t j = 0; j < run.jobs.size(); ++j) {
    const auto& job = run.jobs[j];
    std::vector<std::pair<std::string, const result::Latency*>> columns;
    for (std::size_t d = 0; d < result::kDirs; ++d)
      if (const auto [of, latency] = result::sums::main_latency(job.dirs[d]); latency->moments_ns.n > 0)
        columns.emplace_back(fmt::format("#{} {}", job.unified ? "all" : kDirNames[d], of), latency);
    if (columns.empty()) continue;
    std::vector<std::string_view> heads = {"percentile"};
    for (const auto& column : columns) heads.emplace_back(column.first);
    Table table(fmt::format("Latency of {}", job.name), heads);
    for (const double p :
         job.percentile_list.empty() ? std::vector<double>{50, 90, 99, 99.9, 99.99} : job.percentile_list) {
      std::vector<std::string> cells = {fmt::format("{:g} %", p)};
      for (const auto& column : columns) cells.push_back(percentile_text(*column.second, p));
      table.row(cells);
    }
    const auto inside = figures(number, static_cast<int>(j)) + folded("percentiles", "Percentiles", table.html());
    const auto name = escaped(job.name);
    out += folds ? fmt::format("<details open class=\"job\" id=\"{}\"><summary>{}</summary>\n{}</details>\n",
                               job_id(j, number), name, inside)
                 : fmt::format("<section class=\"job\" id=\"{}\"><h3>{}</h3>\n{}</section>\n", job_id(j, number), name,
                               inside);
  }
  return folds ? "<div class=\"jobs\">\n" + out + "</div>\n" : out;
}

std::string audit_html(const result::Run& run) {
  if (!run.audit) return "";
  Table table("Audit: bytes of the jobs and of other counters",
              {"witness", "of", "direction", "#expected", "#seen", "verdict", "cause"});
  const auto bytes = [](double n) { return base::text::size_text(static_cast<std::uint64_t>(n)); };
  for (const auto& w : run.audit->witnesses)
    table.row(
        {w.source, w.subject, w.direction, bytes(w.expected_bytes), bytes(w.seen_bytes), name(w.verdict), w.cause});
  return fmt::format("<p>Audit: {}.</p>\n", escaped(name(run.audit->verdict))) + table.html();
}

std::string options_html(const result::Run& run) {
  Table table("Requested options of the jobs", {"job", "option", "value"});
  for (const auto& [option, value] : run.global_options) table.row({"global", option, value});
  for (const auto& job : run.jobs)
    for (const auto& [option, value] : job.options) table.row({job.name, option, value});
  return table.html();
}

std::string host_html(const result::Run& run) {
  Table table("Where", {"fact", "value"});
  const auto fact = [&](const char* what, const std::string& value) {
    if (!value.empty()) table.row({what, value});
  };
  const auto& host = run.host;
  fact("host", host.hostname), fact("CPU", host.cpu_model), fact("kernel", host.kernel),
      fact("distribution", host.distribution);
  fact("hypervisor", host.hypervisor), fact("clock source", host.clock_source), fact("governor", host.governor);
  if (host.cpus_online > 0) fact("CPUs", fmt::format("{} online, {} allowed", host.cpus_online, host.cpus_allowed));
  if (host.memory_bytes > 0) fact("memory", base::text::size_text(host.memory_bytes));
  for (const auto& device : host.devices)
    fact("target",
         fmt::format("{} ({}{}{})", device.target, device.kind, device.disk.empty() ? "" : " on " + device.disk,
                     device.model.empty() ? "" : ", " + device.model));
  fact("program", fmt::format("{} {} {}", run.program.name, run.program.version, run.program.commit));
  return table.html();
}

}  // namespace

std::string run_section(const result::Run& whole, std::size_t number) {
  const auto run = parts::shown(whole);
  Sections sections(number);
  sections.add("Findings", findings_html(run, number) + errors_html(run));
  std::string jobs = jobs_html(run, number);
  if (run.paging) jobs += configurations_html(*run.paging) + accesses_html(*run.paging);
  const auto together = figures(number);
  jobs += run.jobs.size() > kMostUnfolded ? folded("together", "All jobs together", together) : together;
  sections.add(run.jobs.empty() ? "Measured" : "Jobs", jobs + latencies_html(run, number));
  sections.add("Replay", replay_html(run));
  if (run.breakdown) sections.add("Latency breakdown", split_html(*run.breakdown));
  sections.add("Audit", run.audit ? audit_html(run) : "<p>No audit was performed.</p>\n");
  sections.add("Options and host", folded("options", "Options", options_html(run)) + host_html(run));
  return first_screen(run, whole.repetitions, number) + sections.html() + text_html(whole);
}

}  // namespace fathom::report::page::tables
