// Options are stored as written, except those that every job has. They are taken from the job, so that `bs=4096` and
// `bs=4k` are equal.
#include "compare/setup.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "base/text/unit_text.h"
#include "result/option_of.h"

namespace fathom::compare {
namespace {

enum PartOf { kJob, kHost, kProgram, kFindings };
constexpr std::array<const char*, 4> kParts = {"job", "host", "program", "findings"};

const std::string kInNoRun = "no run";  // value of a finding

using base::text::size_text;

// Options that are taken from the job itself, or that affect only reports.
const std::set<std::string, std::less<>> kNotShown = {"name",
                                                      "description",
                                                      "rw",
                                                      "readwrite",
                                                      "bs",
                                                      "blocksize",
                                                      "ioengine",
                                                      "iodepth",
                                                      "numjobs",
                                                      "group_reporting",
                                                      "stonewall",
                                                      "percentile_list",
                                                      "clat_percentiles",
                                                      "lat_percentiles",
                                                      "slat_percentiles",
                                                      "write_bw_log",
                                                      "write_lat_log",
                                                      "write_iops_log",
                                                      "write_hist_log",
                                                      "log_avg_msec",
                                                      "per_job_logs",
                                                      "significant_figures",
                                                      "unified_rw_reporting"};
// Options with which the job is the same, but has other targets or resources, or runs at another time.
const std::set<std::string, std::less<>> kElsewhere = {
    "filename",    "directory",      "filename_format", "clocksource", "cpus_allowed", "cpus_allowed_policy",
    "cpumask",     "numa_cpu_nodes", "numa_mem_policy", "nice",        "prio",         "prioclass",
    "runtime",     "timeout",        "ramp_time",       "randseed",    "startdelay",   "hostname",
    "ioscheduler", "gtod_cpu",       "sim_seed"};

std::string sizes(const result::Job& job) {
  std::set<std::string> all;
  for (std::size_t d = 0; d < result::kDirs; ++d)
    if (job.dirs[d].ios > 0 && job.bs_max[d] > 0)
      all.insert(job.bs_min[d] == job.bs_max[d] ? size_text(job.bs_min[d])
                                                : size_text(job.bs_min[d]) + " to " + size_text(job.bs_max[d]));
  return fmt::format("{}", fmt::join(all, ", "));
}

std::string joined(const std::vector<result::DeviceFacts>& devices, const auto& value) {
  std::set<std::string> all;
  for (const auto& device : devices)
    if (const std::string text = value(device); !text.empty()) all.insert(text);
  return fmt::format("{}", fmt::join(all, ", "));
}

}  // namespace

void Setup::put(int part, const std::string& name, const std::string& value, bool unlike) {
  auto& fact = facts_[{part, name}];
  fact.unlike = unlike;
  ++fact.values[value];
}

void Setup::put_jobs(const result::Run& run) {
  std::map<std::string, std::size_t> clones;
  for (const auto& job : run.jobs) clones[job.name] += static_cast<std::size_t>(std::max(job.members, 1));
  std::set<std::string> done;
  for (const auto& job : run.jobs) {
    if (!done.insert(job.name).second) continue;
    const auto before = clones.size() > 1 ? job.name + " " : std::string();
    const auto known = [&](const char* name, const std::string& value) {
      if (!value.empty()) put(kJob, before + name, value, true);
    };
    known("rw", job.rw), known("ioengine", job.engine);
    known("iodepth", job.iodepth == 0 ? "" : fmt::format("{}", job.iodepth));
    const auto bs = sizes(job);
    const auto* as_written = result::option_of(run, job, "bs");
    known("bs", !bs.empty() || !as_written ? bs : *as_written);
    known("numjobs", fmt::format("{}", clones[job.name]));
    const auto& globals = result::globals_of(run, job);
    std::map<std::string, std::string> options(globals.begin(), globals.end());
    for (const auto& [name, value] : job.options) options[name] = value;
    for (const auto& [name, value] : options)
      if (!kNotShown.contains(name)) put(kJob, before + name, value.empty() ? "1" : value, !kElsewhere.contains(name));
    if (!job.clock.source.empty()) put(kProgram, "clock source", job.clock.source);
  }
}

void Setup::put_paging(const result::Paging& paging) {
  const auto put_job = [&](const char* name, const std::string& value) {
    if (!value.empty()) put(kJob, name, value, true);
  };
  put_job("map", size_text(paging.map_bytes)), put_job("set", size_text(paging.set_bytes));
  put_job("pattern", paging.pattern), put_job("memory", paging.memory), put_job("access", paging.access);
  put_job("shape", fmt::format("{:g}", paging.shape)), put_job("fill", paging.fill);
  put_job("read", paging.read_percent < 0 ? "as traced" : fmt::format("{:g} %", paging.read_percent));
  put_job("threads", fmt::format("{}", paging.threads)), put_job("processes", fmt::format("{}", paging.processes));
  put_job("page", size_text(paging.page_bytes)), put_job("delay", fmt::format("{}", paging.delay_ticks));
  if (paging.cold) put_job("cold", "1");
  for (const auto& [name, value] : paging.conditions) put_job(name.c_str(), value.empty() ? "1" : value);
  put(kJob, "duration", fmt::format("{:g} s", paging.duration_s));
  if (paging.pressure.known) {
    put(kJob, "limit", paging.pressure.limit_bytes == 0 ? "none" : size_text(paging.pressure.limit_bytes));
    for (const auto& swap : paging.pressure.swaps) put(kJob, "swap", swap.name.empty() ? swap.kind : swap.name);
    for (const auto& [name, value] : paging.pressure.settings) put(kHost, name, value);
  }
  put(kProgram, "timed by", paging.imported ? "pmbench " + paging.imported->program : "fathom");
}

void Setup::put_host(const result::HostFacts& host) {
  const auto known = [&](const char* name, const std::string& value) {
    if (!value.empty()) put(kHost, name, value);
  };
  known("host", host.hostname), known("kernel", host.kernel), known("machine", host.machine);
  known("cpu", host.cpu_model), known("distribution", host.distribution), known("governor", host.governor);
  known("hypervisor", host.hypervisor), known("kernel clock", host.clock_source);
  if (host.cpus_online > 0) known("cpus online", fmt::format("{}", host.cpus_online));
  if (host.cpus_allowed > 0) known("cpus allowed", fmt::format("{}", host.cpus_allowed));
  if (host.memory_bytes > 0) known("memory", size_text(host.memory_bytes));
  known("disk", joined(host.devices, [](const auto& device) { return device.disk; }));
  known("disk model", joined(host.devices, [](const auto& device) { return device.model; }));
  known("scheduler", joined(host.devices, [](const auto& device) { return device.scheduler; }));
  known("file system", joined(host.devices, [](const auto& device) { return device.file_system; }));
  known("mount options", joined(host.devices, [](const auto& device) { return device.mount_options; }));
}

void Setup::add(const result::Run& run, const result::Run& whole) {
  ++runs_;
  run.paging ? put_paging(*run.paging) : put_jobs(run);
  put_host(run.host != result::HostFacts{} ? run.host : whole.host);
  const auto& program = !run.program.version.empty() ? run.program : whole.program;
  if (program.version.empty()) return;  // a result of pmbench
  const auto commit = program.commit.empty() ? "" : " " + program.commit;
  put(kProgram, "version", fmt::format("{} {}{}", program.name, program.version, commit));
  if (program.name != "fathom") return;  // other programs have no findings
  ++runs_with_findings_;
  std::set<std::string> ids;
  for (const auto& finding : run.findings)
    if (!finding.id.starts_with("import.")) ids.insert(finding.id);
  for (const auto& id : ids) put(kFindings, id, "found");
}

// The values of the side's runs, separated by slashes; nullopt: unknown from the results.
std::optional<std::string> Setup::value_at(const Place& place) const {
  const auto found = facts_.find(place);
  const Fact fact = found == facts_.end() ? Fact() : found->second;
  std::size_t told = 0;
  std::vector<std::string> texts;
  for (const auto& [value, runs] : fact.values) told += runs, texts.push_back(value);
  if (place.first == kFindings) {
    if (runs_with_findings_ == 0) return std::nullopt;
    return told == 0 ? kInNoRun : fmt::format("{} of {} runs", told, runs_);
  }
  if (told == 0 && place.first != kJob) return std::nullopt;
  if (told < runs_) texts.emplace_back("-");
  return fmt::format("{}", fmt::join(texts, " / "));
}

std::vector<result::SetupDifference> differences(const std::vector<const Setup*>& sides) {
  std::map<Setup::Place, bool> places;
  for (const auto* side : sides)
    for (const auto& [place, fact] : side->facts_) places[place] = places[place] || fact.unlike;
  std::vector<result::SetupDifference> out;
  for (const auto& [place, unlike] : places) {
    result::SetupDifference difference{kParts[static_cast<std::size_t>(place.first)], place.second, unlike, {}};
    const bool finding = place.first == kFindings;
    for (const auto* side : sides)
      if (auto value = side->value_at(place)) difference.values.push_back(std::move(*value));
    if (difference.values.size() < sides.size()) continue;
    const auto& first = difference.values.front();
    const bool same = std::all_of(difference.values.begin(), difference.values.end(), [&](const std::string& value) {
      return value == first || (finding && (value == kInNoRun) == (first == kInNoRun));
    });
    if (!same) out.push_back(std::move(difference));
  }
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.unlike && !b.unlike; });
  return out;
}

}  // namespace fathom::compare
