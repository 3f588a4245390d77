// Collects the runs of each side.
#include "compare/comparison.h"

#include <fmt/format.h>

#include <algorithm>

#include "compare/judged.h"
#include "result/sums/checks.h"

namespace fathom::compare {
namespace {

std::vector<Metric> metrics_for(Kind kind, const Asked& asked) {
  std::vector<Metric> all = asked.metric;
  for (const auto& condition : asked.fail_if) all.push_back(condition.metric);
  for (const auto name : usual_metrics(kind)) all.push_back(*metric_named(name));
  std::vector<Metric> out;
  for (auto& metric : all)
    if (is_of(metric, kind) &&
        std::none_of(out.begin(), out.end(), [&](const Metric& other) { return other.name == metric.name; }))
      out.push_back(std::move(metric));
  return out;
}

const char* what_of(Kind kind) { return kind == Kind::paging ? "accesses of memory" : "I/O of jobs"; }

}  // namespace

Comparison::Comparison(Asked asked, std::vector<std::string> sides) : asked_(std::move(asked)) {
  for (std::size_t k = 0; k < kKinds; ++k) {
    kinds_[k].metrics = metrics_for(static_cast<Kind>(k), asked_);
    for (std::size_t i = 0; i < sides.size(); ++i) {
      const auto name = i < 26 ? std::string(1, static_cast<char>('A' + i)) : fmt::format("{}", i + 1);
      kinds_[k].sides.push_back({name, sides[i], {}, 0, 0, {}, {}, {}});
    }
  }
}

void Comparison::leave_out(std::string file, std::string what, std::string cause) {
  left_out_.push_back({std::move(file), std::move(what), std::move(cause)});
}

void Comparison::drop(const std::string& file, const std::string& what, const std::string& cause) {
  leave_out(file, what, cause);
  base::Error error;
  error.what = fmt::format("`{}` is omitted: {}", file, what), error.cause = cause;
  unfit_.push_back(std::move(error));
}

void Comparison::add_run(OfKind& of_kind, Side& side, const std::string& file, const result::Run& run,
                         const result::Run& whole) {
  if (auto cause = unfit(run); !cause.empty()) return drop(file, "a run that cannot be compared", cause);
  auto checks = result::sums::checks_of(run);
  if (checks.all != result::sums::Outcome::failed) checks.decided_by.clear();
  side.runs.push_back({numbers_of(run, of_kind.metrics), side.invocations, std::move(checks.decided_by), 0});
  side.setup.add(run, whole);
  std::set<std::string> ids;
  constexpr double kLargeEffect = 0.1;
  for (const auto& finding : run.findings)
    if (finding.effect && finding.effect->value >= kLargeEffect && finding.severity >= result::Severity::warning &&
        result::sums::area_of(finding) == result::sums::Area::machine)
      ids.insert(finding.id);
  for (const auto& id : ids) ++side.warnings[id];
}

void Comparison::add(std::size_t side_index, const std::string& file, const result::Run& run) {
  auto& of_kind = kinds_[static_cast<std::size_t>(kind_of(run))];
  auto& side = of_kind.sides[side_index];
  if (!run.run_id.empty()) {
    if (std::find(side.ids.begin(), side.ids.end(), run.run_id) != side.ids.end())
      return drop(file, "the result of another file of the same side", "both files have the same run_id");
    side.ids.push_back(run.run_id);
  }
  const auto before = side.runs.size();
  if (run.repetitions.empty() || is_breakdown(run))
    add_run(of_kind, side, file, run, run);
  else
    for (const auto& repetition : run.repetitions) add_run(of_kind, side, file, repetition, run);
  if (side.runs.size() == before) return;
  ++side.invocations;
  of_kind.files.push_back(file);
  for (const auto& finding : run.findings) {
    if (finding.id == "import.fio" || finding.id == "import.bins") side.notes.insert(finding.evidence);
    side.of_pmbench += finding.id == "import.bins";
  }
}

std::size_t Comparison::OfKind::sides_with_runs() const {
  return static_cast<std::size_t>(
      std::count_if(sides.begin(), sides.end(), [](const Side& side) { return !side.runs.empty(); }));
}

Kind Comparison::choose_kind() {
  const std::size_t jobs = kinds_[0].sides_with_runs(), paging = kinds_[1].sides_with_runs();
  const Kind kind = paging > jobs ? Kind::paging : Kind::jobs, other = paging > jobs ? Kind::jobs : Kind::paging;
  for (const auto& file : kinds_[static_cast<std::size_t>(other)].files)
    drop(file, fmt::format("a result of {}", what_of(other)),
         fmt::format("the other results are of {}: their units differ", what_of(kind)));
  return kind;
}

base::Expected<result::Compare> Comparison::finish(std::string program) {
  result::Compare out;
  out.program = std::move(program);
  out.margin_percent = asked_.margin_percent;
  const Kind kind = choose_kind();
  auto& chosen = kinds_[static_cast<std::size_t>(kind)];
  out.left_out = std::move(left_out_);
  std::vector<Side*> sides;
  for (auto& side : chosen.sides)
    if (!side.runs.empty()) sides.push_back(&side);
  if (sides.size() < 2) {
    base::Error error;
    error.what = sides.empty() ? "no side has a run to compare"
                               : fmt::format("only side {} ({}) has a run to compare", sides[0]->name, sides[0]->files);
    error.help = "name two sides: `fathom compare A.json B.json`";
    return error;
  }
  if (auto ok = judge(asked_, kind, chosen.metrics, sides, out); !ok) return ok.error();
  return out;
}

}  // namespace fathom::compare
