// What was measured, whether its checks passed, its findings; then numbers by job and direction; then where and by what.
#include "report/page/run_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "base/text/unit_text.h"
#include "report/formats.h"
#include "report/headline/verdict.h"
#include "report/page/html.h"
#include "report/page/paging_tables.h"
#include "report/page/split_tables.h"
#include "report/parts/derived.h"
#include "report/parts/numbers.h"
#include "report/parts/shown.h"
#include "result/findings/rows.h"
#include "result/measured.h"
#include "result/sums/main_latency.h"
#include "result/sums/percentiles.h"
#include "result/sums/rates.h"
#include "result/sums/same_findings.h"

namespace fathom::report::page {
namespace {

constexpr const char* kDirNames[result::kDirs] = {"read", "write", "trim"};

std::string percentile_text(const result::Latency& latency, double p) {
  const auto value = result::percentile_of(latency, p);
  return value ? ns_text(static_cast<double>(*value)) : "-";
}

std::string meaning_id(std::string_view id, std::size_t number) { return fmt::format("result{}-{}", number, id); }

std::string verdict_html(const result::Run& run) {
  if (result::nothing_measured(run)) return "<p>Nothing was measured: there are no samples.</p>\n";
  std::string out = "<div class=\"verdict\">\n";
  constexpr std::size_t kAsLongAsItIs = 1 << 20, kIndent = 2;
  std::istringstream lines(headline::verdict(run, kAsLongAsItIs, run.repetitions));
  for (std::string line; std::getline(lines, line);) {
    const auto begin = line.find_first_not_of(' ');
    if (begin == line.npos) continue;
    const bool goes_on = begin > kIndent;  // intervals, of the line before
    const auto word = goes_on ? "" : line.substr(begin, line.find(' ', begin) - begin);
    const auto rest = line.find_first_not_of(' ', begin + word.size());
    const auto says = rest == line.npos ? "" : escaped(line.substr(rest));
    out += goes_on ? fmt::format("<p>{}</p>\n", says) : fmt::format("<p><b>{}</b> {}</p>\n", escaped(word), says);
  }
  return out + "</div>\n";
}

// Of each finding that has a row what it means, and where the documentation has it. The table links to it.
std::string meanings_html(const std::vector<std::string>& ids, std::size_t number) {
  std::string out;
  for (const auto& row : result::findings::rows()) {
    if (!result::findings::is_first(row) || std::find(ids.begin(), ids.end(), row.id) == ids.end()) continue;
    out += fmt::format("<dt id=\"{}\">{}: {}</dt>\n<dd>{} Read docs/{}, or docs/reference/findings.md#{}.</dd>\n",
                       meaning_id(row.id, number), escaped(row.id), escaped(row.title), escaped(row.why),
                       escaped(row.section), escaped(result::findings::anchor(row.id)));
  }
  return out.empty() ? ""
                     : "<details open><summary>What the findings mean</summary>\n<dl>\n" + out + "</dl></details>\n";
}

std::string findings_html(const result::Run& run, std::size_t number) {
  Table table("Findings", {"finding", "severity", "jobs", "evidence", "remedy"});
  std::vector<std::string> ids;
  for (const auto& [first, jobs] : result::sums::same_findings(run.findings)) {
    const auto& f = *first;
    const bool has_row = result::findings::has_row(f.id);
    table.row({f.id, name(f.severity), result::sums::jobs_text(jobs), f.evidence, f.remedy},
              has_row ? "#" + meaning_id(f.id, number) : "");
    ids.push_back(f.id);
  }
  return table.empty() ? "<p>No findings.</p>\n" : table.html() + meanings_html(ids, number);
}

std::string jobs_html(const result::Run& run) {
  Table table("Jobs", {"job", "direction", "#I/Os", "#IOPS", "#bandwidth", "latency", "#mean", "#p50", "#p99", "#p99.9",
                       "#max"});
  for (const auto& job : run.jobs)
    for (std::size_t d = 0; d < result::kDirs; ++d) {
      const auto& dir = job.dirs[d];
      if (!parts::used(dir)) continue;
      const auto sum = result::sums::rate_of(dir);
      const auto rate = [](std::optional<double> per_s, const char* unit) {
        return per_s ? parts::quantity_text(*per_s, unit) : std::string("-");
      };
      const auto [of, latency] = result::sums::main_latency(dir);
      const bool any = latency->moments_ns.n > 0;
      table.row({job.name, job.unified ? "all" : kDirNames[d], fmt::format("{}", dir.ios), rate(sum.iops(), "1/s"),
                 rate(sum.bytes_per_s(), "bytes/s"), any ? std::string(of) : "-",
                 any ? ns_text(latency->moments_ns.mean()) : "-", percentile_text(*latency, 50),
                 percentile_text(*latency, 99), percentile_text(*latency, 99.9),
                 any ? ns_text(static_cast<double>(latency->moments_ns.max)) : "-"});
    }
  return table.html();
}

// All that is known of each latency, beside its picture.
std::string latencies_html(const result::Run& run, std::size_t number) {
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
    out += fmt::format(
        "<section class=\"job\"><h3>{}</h3>\n<div class=\"figures\" data-result=\"{}\" data-job=\"{}\"></div>\n"
        "<details open><summary>Percentiles</summary>\n{}</details></section>\n",
        escaped(job.name), number, j, table.html());
  }
  return out;
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
  std::string out = verdict_html(run);
  out += "<h2>Findings</h2>\n" + findings_html(run, number);
  out += run.jobs.empty() ? "<h2>Measured</h2>\n" : "<h2>Jobs</h2>\n" + jobs_html(run);
  if (run.paging) out += accesses_html(*run.paging);
  out += fmt::format("<div class=\"figures\" data-result=\"{}\"></div>\n", number);
  out += latencies_html(run, number);
  if (run.breakdown) out += split_html(*run.breakdown);
  out += "<h2>Audit</h2>\n" + (run.audit ? audit_html(run) : std::string("<p>No audit was performed.</p>\n"));
  out += "<h2>Job, host and program</h2>\n<details open><summary>Options</summary>\n" + options_html(run) +
         "</details>\n" + host_html(run);
  const auto text = report_in(std::vector<std::string>{run.paging ? "text" : "normal"}, result::Stored(whole));
  // Open where no script folds it: paper has all.
  out += fmt::format("<details open class=\"text\"><summary>The report as text</summary>\n<pre>{}</pre></details>\n",
                     escaped_lines(text));
  return out;
}

}  // namespace fathom::report::page
