// What is read from the file. Each list comes in the order of an index, newest first, so that it can end early.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/nearest.h"
#include "history/packed_text.h"
#include "history/store.h"

namespace fathom::history {
namespace {

constexpr std::string_view kJobOfName = "(SELECT id FROM jobs WHERE name = ?2)";

// The columns and tables of a selection. ?1 is the tag, ?2 the job, ?3 the host. `driver` has run and time_epoch_ms.
std::string selection(const Filter& filter, std::string_view columns, std::string_view driver, std::string_view more) {
  auto sql = fmt::format("SELECT {} FROM {} d WHERE 1", columns, driver);
  if (driver == "tags") sql += " AND d.name = ?1";
  if (driver == "parts") sql += fmt::format(" AND d.job = {}", kJobOfName);
  if (!filter.tag.empty() && driver != "tags")
    sql +=
        " AND EXISTS (SELECT 1 FROM tags t WHERE t.name = ?1 AND t.time_epoch_ms = d.time_epoch_ms AND t.run = d.run)";
  if (!filter.job.empty() && driver != "parts")
    sql += fmt::format(
        " AND EXISTS (SELECT 1 FROM parts p WHERE p.job = {} AND p.time_epoch_ms = d.time_epoch_ms AND p.run = d.run)",
        kJobOfName);
  if (!filter.host.empty())
    sql += " AND (SELECT environment FROM runs r WHERE r.id = d.run) IN (SELECT id FROM environments WHERE host = ?3)";
  return fmt::format("{}{} ORDER BY d.time_epoch_ms DESC, d.run DESC", sql, more);
}

void bind_filter(Statement& statement, const Filter& filter) {
  statement.bind_all(std::string_view(filter.tag), std::string_view(filter.job), std::string_view(filter.host));
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

// The first text after all that begin with `prefix`.
std::string after_prefix(std::string prefix) {
  while (!prefix.empty() && static_cast<unsigned char>(prefix.back()) == 0xff) prefix.pop_back();
  if (!prefix.empty()) prefix.back() = static_cast<char>(prefix.back() + 1);
  return prefix;
}

constexpr std::string_view kRunColumns =
    "SELECT r.id, r.run_id, r.time_epoch_ms, r.title, r.workload, e.host, e.program, r.checks, r.unfit, r.iops, "
    "r.bytes_per_s, r.p99_ns, (SELECT group_concat(name, char(10)) FROM tags t WHERE t.run = r.id) "
    "FROM runs r JOIN environments e ON e.id = r.environment WHERE r.id = ?1";

result::HistoryRun run_in(const Statement& row) {
  return {.id = row.count(0),
          .run_id = row.text(1),
          .time_epoch_ms = row.count(2),
          .job = row.text(3),
          .workload = row.text(4),
          .host = row.text(5),
          .program = row.text(6),
          .checks = row.text(7),
          .unfit = row.text(8),
          .iops = row.real(9),
          .bytes_per_s = row.real(10),
          .p99_ns = row.real(11),
          .tags = lines_of(row.text(12))};
}

}  // namespace

base::Expected<result::HistoryList> Store::list(const Filter& filter) {
  result::HistoryList out;
  out.file = database_.path();
  const auto all = database_.number("SELECT count(*) FROM runs");
  if (!all) return all.error();
  out.all_runs = static_cast<std::uint64_t>(*all);
  constexpr std::string_view kRuns = "(SELECT id AS run, time_epoch_ms FROM runs)";
  const auto driver = !filter.tag.empty() ? "tags" : !filter.job.empty() ? "parts" : kRuns;
  auto ids = database_.prepare(selection(filter, "d.run", driver, ""));
  if (!ids) return ids.error();
  bind_filter(*ids, filter);
  auto runs = database_.prepare(kRunColumns);
  if (!runs) return runs.error();
  while (out.runs.size() < filter.last) {
    const auto more = ids->step();
    if (!more) return more.error();
    if (!*more) break;
    if (!out.runs.empty() && out.runs.back().id == ids->count(0)) continue;  // another direction of the job
    runs->reset();
    runs->bind_all(ids->count(0));
    const auto row = runs->step();
    if (!row) return row.error();
    if (*row) out.runs.push_back(run_in(*runs));
  }
  return out;
}

base::Expected<std::vector<std::uint64_t>> Store::ids(std::string_view sql, const std::string& name) {
  auto statement = database_.prepare(sql);
  if (!statement) return statement.error();
  const auto end = after_prefix(name);
  statement->bind_all(std::string_view(name), std::string_view(end));
  std::vector<std::uint64_t> found;
  for (;;) {
    const auto row = statement->step();
    if (!row) return row.error();
    if (!*row) return found;
    found.push_back(statement->count(0));
  }
}

base::Expected<std::optional<std::uint64_t>> Store::id_of_run(std::string_view run_id) {
  const auto found = ids("SELECT id FROM runs WHERE run_id = ?1", std::string(run_id));
  if (!found) return found.error();
  return found->empty() ? std::optional<std::uint64_t>() : found->front();
}

base::Error Store::unknown(const std::string& name) {
  base::Error error;
  error.what = fmt::format("history `{}`: no run `{}`", database_.path(), name);
  std::vector<std::string> tags;
  if (auto statement = database_.prepare("SELECT DISTINCT name FROM tags LIMIT 1000"))
    for (auto row = statement->step(); row && *row; row = statement->step()) tags.push_back(statement->text(0));
  error.cause = "not the number of a run, no tag, and no run_id begins with it";
  if (name.size() < kFewestOfPrefix)
    error.cause += fmt::format("; a start of a run_id has {} characters or more", kFewestOfPrefix);
  error.help = base::did_you_mean(name, tags, "`fathom history list` shows the runs and their tags");
  return error;
}

base::Expected<std::vector<std::uint64_t>> Store::find(const std::string& name) {
  const bool is_number =
      !name.empty() && std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
  constexpr std::string_view kByNumber = "SELECT id FROM runs WHERE id = CAST(?1 AS INTEGER)";
  constexpr std::string_view kByTag = "SELECT run FROM tags WHERE name = ?1 ORDER BY time_epoch_ms, run";
  constexpr std::string_view kByRunId = "SELECT id FROM runs WHERE run_id >= ?1 AND run_id < ?2 LIMIT 10";
  constexpr std::string_view kByTagsStart =
      "SELECT run FROM tags WHERE name = (SELECT name FROM tags WHERE name >= ?1 AND name < ?2 LIMIT 1) "
      "AND NOT EXISTS (SELECT 1 FROM tags o WHERE o.name >= ?1 AND o.name < ?2 AND o.name <> tags.name) "
      "ORDER BY time_epoch_ms, run";
  if (is_number) {
    auto found = ids(kByNumber, name);
    if (!found || !found->empty()) return found;
  }
  auto found = ids(kByTag, name);
  if (!found || !found->empty()) return found;
  if (name.size() >= kFewestOfPrefix) {
    found = ids(kByRunId, name);
    if (!found || found->size() == 1) return found;
    if (found->size() > 1) {
      base::Error error;
      error.what = fmt::format("several runs have a run_id that begins with `{}`", name);
      error.cause = fmt::format("runs {}", fmt::join(*found, ", "));
      error.help = "write more characters, or the number of the run";
      return error;
    }
  }
  if (!name.empty()) {
    found = ids(kByTagsStart, name);
    if (!found || !found->empty()) return found;
  }
  return unknown(name);
}

base::Expected<std::uint64_t> Store::find_one(const std::string& name) {
  const auto found = find(name);
  if (!found) return found.error();
  if (found->size() == 1) return found->front();
  base::Error error;
  error.what = fmt::format("{} runs have the tag `{}`", found->size(), name);
  error.cause = "the command needs one run";
  error.help = fmt::format("`fathom history list --tag={}` shows their numbers", name);
  return error;
}

base::Expected<Stored> Store::result_of(std::uint64_t id) {
  auto statement = database_.prepare("SELECT bytes, packed FROM results WHERE run = ?1");
  if (!statement) return statement.error();
  statement->bind_all(id);
  const auto row = statement->step();
  if (!row) return row.error();
  auto text = *row ? unpacked(statement->text(1), statement->count(0)) : std::nullopt;
  if (text) return Stored{id, std::move(*text)};
  base::Error error;
  error.kind = base::ErrorKind::refused;
  error.what = fmt::format("history `{}`: the result of run {} is damaged", database_.path(), id);
  error.help = fmt::format("remove it with `fathom history delete {}`, or restore the file from a copy", id);
  return error;
}

base::Expected<std::vector<std::string>> Store::jobs() {
  auto statement = database_.prepare("SELECT name FROM jobs ORDER BY name");
  if (!statement) return statement.error();
  std::vector<std::string> names;
  for (;;) {
    const auto row = statement->step();
    if (!row) return row.error();
    if (!*row) return names;
    names.push_back(statement->text(0));
  }
}

base::Expected<std::vector<Point>> Store::points(const std::string& job, const Filter& filter,
                                                 std::uint64_t since_epoch_ms) {
  auto of_job = filter;
  of_job.job = job;
  auto statement = database_.prepare(
      selection(of_job, "d.run, d.time_epoch_ms, d.direction, d.bytes_per_s, d.iops, d.p99_ns, d.cpu_ns_per_io, d.fit",
                "parts", fmt::format(" AND d.time_epoch_ms >= {}", since_epoch_ms)));
  if (!statement) return statement.error();
  bind_filter(*statement, of_job);
  std::vector<Point> points;
  std::uint64_t runs = 0, newest = 0;
  for (;;) {
    const auto row = statement->step();
    if (!row) return row.error();
    if (!*row) break;
    const auto run = statement->count(0);
    const bool fit = statement->number(7) != 0;
    if (fit && run != std::exchange(newest, run) && ++runs > filter.last) break;
    points.push_back({.run = run,
                      .time_epoch_ms = statement->count(1),
                      .direction = statement->text(2),
                      .numbers = {statement->real(3), statement->real(4), statement->real(5), statement->real(6)},
                      .fit = fit});
  }
  std::reverse(points.begin(), points.end());
  return points;
}

base::Expected<Facts> Store::facts_of(std::uint64_t id) {
  auto statement = database_.prepare(
      fmt::format("SELECT r.workload, {} FROM runs r JOIN environments e ON e.id = r.environment WHERE r.id = ?1",
                  fmt::join(kFacts, ", ")));
  if (!statement) return statement.error();
  statement->bind_all(id);
  const auto row = statement->step();
  if (!row) return row.error();
  Facts facts;
  if (!*row) return facts;
  facts.workload = statement->text(0);
  for (std::size_t i = 0; i < kFacts.size(); ++i) facts.environment[i] = statement->text(static_cast<int>(i) + 1);
  return facts;
}

base::Expected<std::uint64_t> Store::time_of(std::uint64_t id) {
  auto statement = database_.prepare("SELECT time_epoch_ms FROM runs WHERE id = ?1");
  if (!statement) return statement.error();
  statement->bind_all(id);
  const auto row = statement->step();
  if (!row) return row.error();
  return *row ? statement->count(0) : 0;
}

}  // namespace fathom::history
