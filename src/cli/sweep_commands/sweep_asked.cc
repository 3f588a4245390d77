// From words to a plan.
#include "cli/sweep_commands/sweep_asked.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text/shell_word.h"
#include "base/text/unit_text.h"
#include "cli/report_commands/own_runs.h"
#include "cli/report_commands/text_formats.h"
#include "cli/subcommand.h"
#include "job/command.h"
#include "job/fields/steady.h"
#include "job/switches.h"
#include "options/live_row.h"
#include "options/rows.h"
#include "sweep/outcome.h"

namespace fathom::cli::sweep_commands {
namespace {

constexpr std::size_t kMostRuns = 20'000;

std::string set_word(const std::string& option, const std::string& value) {
  return fmt::format("--set={}={}", option, value);
}

// Reads the job as a run would; only the job file is opened.
base::Expected<job::Command> read_as_run(const SweepPlan& plan, const sweep::Setting& setting) {
  auto words = plan.words;
  for (const auto& [option, value] : setting) words.push_back(set_word(option, value));
  words.push_back(plan.job);
  auto command = job::parse_command(words, job::Environment::of_this_process());
  if (command && command->jobs.jobs.empty()) return usage_error("no job in `" + plan.job + "`", "", "");
  return command;
}

base::Expected<void> read_axes(const SweepAsked& given, SweepPlan& plan) {
  if (given.over.empty())
    return usage_error("--over is missing", "", "write for example `--over=iodepth=1..256` or `--over=rate_iops`");
  for (const auto& text : given.over) {
    auto axis = sweep::axis_of(text);
    if (!axis) return axis.error();
    for (const auto& other : plan.asked.axes)
      if (other.option == axis->option)
        return usage_error(fmt::format("--over: `{}` occurs twice", axis->option), "",
                           "write all its values in one --over");
    plan.asked.axes.push_back(std::move(*axis));
  }
  plan.asked.load = sweep::load_axis(plan.asked.axes);
  plan.asked.open_loop = plan.asked.load && plan.asked.axes[*plan.asked.load].kind == sweep::LoadKind::rate;
  for (std::size_t i = 0; i < plan.asked.axes.size(); ++i)
    if (plan.asked.axes[i].shares && i != plan.asked.load)
      return usage_error(fmt::format("--over: `{}` has percentages and is not the load", plan.asked.axes[i].written),
                         "another rate is the load, and only the load accepts percentages",
                         "write its values as numbers");
  return {};
}

// from_start: for jobs with a rate, latency counts from the time when an I/O was due.
base::Expected<void> choose_latency(const SweepAsked& given, bool from_start, sweep::Asked& asked) {
  const std::string name = asked.slo ? asked.slo->metric.name : given.metric.empty() ? "lat_p99" : given.metric;
  auto latency = sweep::latency_named(name, from_start);
  if (!latency) return latency.error();
  asked.metrics = sweep::metrics_with(*latency, from_start);
  return {};
}

base::Expected<void> read_latency(const SweepAsked& given, SweepPlan& plan) {
  auto& asked = plan.asked;
  if (!given.slo.empty()) {
    auto slo = sweep::slo_of(given.slo);
    if (!slo) return slo.error();
    if (!asked.load)
      return usage_error("--slo: no varied option is a load",
                         "the search looks for the highest load that meets the limit",
                         "vary rate_iops, rate, iodepth or numjobs as well");
    asked.slo = std::move(*slo);
  }
  if (asked.slo && !given.metric.empty() && given.metric != asked.slo->metric.name)
    return usage_error("--metric and --slo name two latencies", "", "omit --metric: the limit's latency is used");
  return choose_latency(given, asked.open_loop, asked);
}

// The point after `setting` in the order of a table; false: `setting` was the last.
bool next_point(const std::vector<const sweep::Axis*>& axes, std::vector<std::size_t>& at, sweep::Setting& setting) {
  for (std::size_t i = 0; i < axes.size(); ++i) {
    at[i] = at[i] + 1 < axes[i]->values.size() ? at[i] + 1 : 0;
    setting[i].second = axes[i]->values[at[i]];
    if (at[i] > 0) return true;
  }
  return false;
}

// Includes the longest point in the facts, which are reported before the sweep. A point that cannot run fails in its
// turn.
void look_at_points(SweepPlan& plan) {
  std::vector<const sweep::Axis*> axes;
  sweep::Setting setting;
  for (const auto& axis : plan.asked.axes) {
    if (axis.shares) continue;
    axes.push_back(&axis);
    setting.emplace_back(axis.option, axis.values[0]);
  }
  std::vector<std::size_t> at(axes.size());
  if (axes.size() < 2) return;
  do {
    if (const auto command = read_as_run(plan, setting))
      plan.facts = sweep::most_of(plan.facts, sweep::facts_of(command->jobs));
  } while (next_point(axes, at, setting));
}

// Tries each value of each axis once, with the first values of the other axes. So an invalid value is reported before
// the first run.
base::Expected<void> try_values(SweepPlan& plan) {
  bool any = false;
  sweep::Setting first;
  for (const auto& axis : plan.asked.axes)
    if (!axis.shares) first.emplace_back(axis.option, axis.values[0]);
  for (std::size_t i = 0; i < first.size(); ++i) {
    const auto& axis = *std::find_if(plan.asked.axes.begin(), plan.asked.axes.end(),
                                     [&](const auto& a) { return a.option == first[i].first; });
    for (const auto& value : axis.values) {
      auto setting = first;
      setting[i].second = value;
      const auto command = read_as_run(plan, setting);
      if (!command) return command.error();
      const auto facts = sweep::facts_of(command->jobs);
      plan.facts = any ? sweep::most_of(plan.facts, facts) : facts;
      any = true;
    }
  }
  return {};
}

// The options of the jobs as they were read, with variables and includes resolved.
void name_jobs(const job::JobSet& jobs, std::vector<std::string>& named) {
  for (const auto& [option, value] : jobs.global_echo) named.push_back(fmt::format("global {}={}", option, value));
  for (const auto& job : jobs.jobs) {
    for (const auto& [option, value] : job.echo) named.push_back(fmt::format("{} {}={}", job.name, option, value));
    for (const auto& file : job.filenames) named.push_back(fmt::format("{} file {}", job.name, file));
    for (const auto& folder : job.directories) named.push_back(fmt::format("{} folder {}", job.name, folder));
  }
}

base::Expected<void> read_job(const SweepAsked& given, SweepPlan& plan) {
  if (plan.job == "-")
    return usage_error("a job from standard input can be read only once", "", "write the job to a file");
  auto as_it_is = read_as_run(plan, {});
  if (!as_it_is) return as_it_is.error();
  const auto facts = sweep::facts_of(as_it_is->jobs);
  const bool shares = plan.asked.load && plan.asked.axes[*plan.asked.load].shares;
  if (shares && facts.paced)
    return usage_error("the job sets a rate", "a percentage is relative to the rate without a limit",
                       "remove the rate from the job, or write loads as numbers: `--over=rate_iops=1000..10000*1.5`");
  if (auto ok = choose_latency(given, facts.paced || plan.asked.open_loop, plan.asked); !ok) return ok;
  // Set for every run, or varied.
  const auto is_set = [&](const std::string& name) {
    return std::any_of(plan.words.begin(), plan.words.end(),
                       [&](const auto& word) { return word.starts_with("--set=" + name + "="); }) ||
           std::any_of(plan.asked.axes.begin(), plan.asked.axes.end(),
                       [&](const auto& axis) { return axis.option == name; });
  };
  if (plan.asked.open_loop && !facts.process_written && !is_set("rate_process"))
    plan.words.push_back(set_word("rate_process", "poisson"));
  const bool has_time = std::all_of(as_it_is->jobs.jobs.begin(), as_it_is->jobs.jobs.end(), [](const auto& job) {
    return job.template of<job::fields::Steady>().duration_ns > 0;
  });
  if (!given.steady.empty() && !has_time) plan.words.push_back(set_word("steadystate_duration", "5s"));
  plan.seeds = facts.own_seed && !is_set("randseed");
  name_jobs(as_it_is->jobs, plan.named);
  plan.facts = facts;
  if (auto ok = try_values(plan); !ok) return ok;
  look_at_points(plan);
  plan.sim_seeds = plan.seeds && plan.facts.simulated && !is_set("sim_seed");
  return {};
}

// The lines that identify this sweep. Each is compared with the line in the state.
void name_it(SweepPlan& plan) {
  std::vector<std::string> named;
  for (const auto& axis : plan.asked.axes) named.push_back("over " + axis.written);
  named.push_back(fmt::format("latency {}, repeat {}, refine {}, width {}", plan.asked.metrics[0].name,
                              plan.asked.repeat, plan.asked.refine, plan.asked.width));
  if (plan.asked.slo) named.push_back("slo " + plan.asked.slo->written);
  for (const auto& word : job::without_secrets(plan.words)) named.push_back("run " + word);
  named.push_back("job " + plan.job);
  named.insert(named.end(), plan.named.begin(), plan.named.end());
  for (auto& line : named)
    for (char& c : line)
      if (static_cast<unsigned char>(c) < ' ') c = ' ';
  plan.named = std::move(named);
}

}  // namespace

std::vector<std::vector<std::string>> words_of_values(const SweepPlan& plan) {
  std::vector<std::vector<std::string>> all;
  for (const auto& axis : plan.asked.axes)
    for (const auto& value : axis.values) {
      auto words = plan.words;
      words.push_back(set_word(axis.option, value));
      words.push_back(plan.job);
      all.push_back(std::move(words));
    }
  return all;
}

std::span<const options::Group> sweep_options() {
  using options::Row;
  static const Row rows[] = {
      options::append<&SweepAsked::over>(
          {"over=NAME=VALUES", "",
           "vary an option of the job: `iodepth=1..256` (doubled), `bs=4k,64k`, `rate_iops=1000..9000+2000`, "
           "`rate_iops=10%..100%+10%` (of the rate without a limit); a rate, iodepth or numjobs is the load "
           "(repeatable)"}),
      options::text<&SweepAsked::slo>(
          {"slo=LIMIT", "", "find the highest load that meets LIMIT, with bounds: 'lat_p99<500us'"}),
      options::text<&SweepAsked::metric>(
          {"metric=LATENCY", "lat_p99",
           "latency of the knee: lat_mean, clat_p99.9; with a rate, lat counts from when an I/O was due"}),
      options::count<&SweepAsked::repeat>({"repeat=N", "3", "runs per point"}, 1, 1000),
      options::count<&SweepAsked::refine>({"refine=N", "2", "add loads next to the best one N times"}, 0, 10),
      options::percent<&SweepAsked::width_percent>(
          {"width=PERCENT", "3", "stop --slo when its bounds are PERCENT apart"}),
      options::text<&SweepAsked::steady>(
          {"steady=RULE", "", "end each run at a steady state, as steadystate= of a job: `lat:5%`, `iops:2%`"}),
      options::append<&SweepAsked::set>(
          {"set=NAME=VALUE", "", "set an option in every job, as in `fathom run` (repeatable)"}),
      options::append<&SweepAsked::run_options>(
          {"run-option=OPTION", "", "pass an option to each `fathom run`: --run-option=--audit=off (repeatable)"}),
      options::text<&SweepAsked::results>(
          {"results=FOLDER", "sweep-results",
           "directory for results, a subdirectory per point, and the state: the same command resumes a stopped sweep"}),
      options::flag<&SweepAsked::dry_run>(
          {"dry-run", "", "print the planned runs, their time and writes; run nothing"}),
      options::text<&SweepAsked::formats>({"output-format=LIST", "text", "text, html, csv, json, or a comma list"}),
      options::text<&SweepAsked::output>(report_commands::kOutputRow),
      options::text<&SweepAsked::report>({"report=FILE", "", "also write an HTML report to FILE"}),
      options::flag<&SweepAsked::force>({"force", "", "overwrite a file that fathom did not write"}),
      options::special<options::read_live<&SweepAsked::live>>({"live=WHAT", "", options::kLiveHelp},
                                                              options::Type::text),
      options::choice<&SweepAsked::eta>({"eta=WHEN", "auto", "print a status line on standard error"}, job::kEtas),
      options::boolean<&SweepAsked::plot>({"plot=BOOL", "1", "plot the curve"}),
  };
  static const options::Group all[] = {{"", rows}};
  return all;
}

base::Expected<SweepPlan> plan_of(const SweepAsked& given, const std::vector<std::string>& arguments) {
  if (arguments.size() != 1)
    return usage_error(arguments.empty() ? "a job file is needed" : "one job file is swept at a time",
                       fmt::format("{} given", arguments.size()), "write `fathom sweep job.fio --over=iodepth=1..256`");
  SweepPlan plan;
  plan.job = arguments[0];
  plan.asked.repeat = static_cast<unsigned>(given.repeat), plan.asked.refine = static_cast<unsigned>(given.refine);
  plan.asked.width = given.width_percent / 100;
  if (plan.asked.width <= 0) return usage_error("--width must be above 0", "", "write `--width=3`");
  if (auto ok = read_axes(given, plan); !ok) return ok.error();
  std::size_t runs = plan.asked.repeat;
  for (const auto& axis : plan.asked.axes) runs *= axis.values.size();
  if (runs > kMostRuns)
    return usage_error(fmt::format("more than {} runs", kMostRuns),
                       "each value of one option runs with each value of the others",
                       "vary fewer options, or use larger steps");
  if (auto ok = read_latency(given, plan); !ok) return ok.error();
  plan.words = given.run_options;
  for (const auto& text : given.set) plan.words.push_back("--set=" + text);
  if (!given.steady.empty()) plan.words.push_back(set_word("steadystate", given.steady));
  if (auto ok = read_job(given, plan); !ok) return ok.error();
  name_it(plan);
  return plan;
}

std::vector<std::string> words_of(const SweepPlan& plan, const sweep::Step& step, std::uint64_t randseed) {
  auto words = plan.words;
  for (const auto& [option, value] : step.setting) words.push_back(set_word(option, value));
  if (plan.seeds) words.push_back(set_word("randseed", fmt::format("{}", randseed)));
  if (plan.sim_seeds) words.push_back(set_word("sim_seed", fmt::format("{}", randseed)));
  words.push_back(plan.job);
  return words;
}

std::string command_for(const sweep::Next& next, const SweepAsked& given, const SweepPlan& plan) {
  constexpr double kLonger = 4;
  constexpr std::uint64_t kMoreRuns = 4;
  std::vector<std::string> words = {"fathom", "sweep", plan.job, "--over=" + next.over};
  const auto add = [&](std::string_view option, const std::string& value) {
    if (!value.empty()) words.push_back(fmt::format("--{}={}", option, value));
  };
  const auto is_load = [&](std::size_t i) { return plan.asked.load == i; };
  for (std::size_t i = 0; i < plan.asked.axes.size(); ++i)
    if (!is_load(i)) add("over", plan.asked.axes[i].written);
  add("slo", given.slo);
  add("metric", given.metric);
  add("steady", given.steady);
  for (const auto& text : given.set) add("set", text);
  for (const auto& text : given.run_options) add("run-option", text);
  const bool has_time = next.longer && plan.facts.seconds;
  if (has_time) add("set", fmt::format("runtime={:.0f}", std::ceil(kLonger * *plan.facts.seconds)));
  const std::uint64_t repeat = given.repeat * (next.longer && !has_time ? kMoreRuns : 1);
  if (const SweepAsked usual; repeat != usual.repeat) add("repeat", fmt::format("{}", repeat));
  if (const SweepAsked usual; given.refine != usual.refine) add("refine", fmt::format("{}", given.refine));
  if (const SweepAsked usual; given.width_percent != usual.width_percent)
    add("width", fmt::format("{:g}", given.width_percent));
  add("results", report_commands::unused_directory(given.results));
  return base::text::command_text(words);
}

std::vector<std::string> told_before(const SweepPlan& plan, std::size_t runs) {
  std::vector<std::string> lines;
  const bool more = plan.asked.load && (plan.asked.slo || plan.asked.refine > 0);
  const auto count = fmt::format("{}{} runs{}", more ? "about " : "", runs,
                                 plan.asked.slo ? " (up to twice as many if results scatter)" : "");
  using base::text::minutes_text;
  const auto n = static_cast<double>(runs);
  const auto& facts = plan.facts;
  const auto size = [](double bytes) { return base::text::size_text(static_cast<std::uint64_t>(bytes)); };
  lines.push_back(
      facts.seconds
          ? fmt::format("{} of at most {}: {}", count, minutes_text(*facts.seconds), minutes_text(n * *facts.seconds))
          : fmt::format("{}; their duration depends on the job's sizes and is known after the first run", count));
  if (!facts.writes)
    lines.emplace_back("the runs only read");
  else if (facts.bytes)
    lines.push_back(
        more ? fmt::format("the runs write about {}, at most {} each", size(n * *facts.bytes), size(*facts.bytes))
             : fmt::format("the runs write at most {}, {} each", size(n * *facts.bytes), size(*facts.bytes)));
  else
    lines.emplace_back("the runs write as much as the device accepts in that time; each run prints the sum");
  if (facts.laid_out_bytes > 0)
    lines.push_back(fmt::format("files that do not exist are created first, {} at most", size(facts.laid_out_bytes)));
  return lines;
}

}  // namespace fathom::cli::sweep_commands
