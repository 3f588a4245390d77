// The schema, and what changes the file. Columns that order a list are repeated in each table that a list reads in
// order, so that a list of 20 runs reads 20 rows of any number.
#include "history/store.h"

#include <fmt/format.h>

#include <algorithm>

#include "history/packed_text.h"
#include "history/place.h"

namespace fathom::history {
namespace {

// The first schema. A later one adds a step from it, and raises kSchema.
std::string schema_sql() {
  std::string facts, all;
  for (const auto fact : kFacts) {
    facts += fmt::format("{} TEXT NOT NULL, ", fact);
    all += fmt::format("{}{}", all.empty() ? "" : ", ", fact);
  }
  return fmt::format(
      "CREATE TABLE environments(id INTEGER PRIMARY KEY, {}UNIQUE({}));"
      "CREATE TABLE runs(id INTEGER PRIMARY KEY AUTOINCREMENT, run_id TEXT NOT NULL UNIQUE,"
      " time_epoch_ms INTEGER NOT NULL, environment INTEGER NOT NULL REFERENCES environments, title TEXT NOT NULL,"
      " workload TEXT NOT NULL, command TEXT NOT NULL, checks TEXT NOT NULL, unfit TEXT NOT NULL, bytes_per_s REAL,"
      " iops REAL, p99_ns REAL, cpu_ns_per_io REAL);"
      "CREATE INDEX runs_by_time ON runs(time_epoch_ms);"
      "CREATE INDEX runs_by_environment ON runs(environment, time_epoch_ms);"
      "CREATE TABLE results(run INTEGER PRIMARY KEY REFERENCES runs, bytes INTEGER NOT NULL, packed BLOB NOT NULL);"
      "CREATE TABLE jobs(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);"
      "CREATE TABLE parts(job INTEGER NOT NULL REFERENCES jobs, time_epoch_ms INTEGER NOT NULL,"
      " run INTEGER NOT NULL REFERENCES runs, direction TEXT NOT NULL, bytes_per_s REAL, iops REAL, p99_ns REAL,"
      " cpu_ns_per_io REAL, fit INTEGER NOT NULL, PRIMARY KEY(job, time_epoch_ms, run, direction)) WITHOUT ROWID;"
      "CREATE INDEX parts_by_run ON parts(run);"
      "CREATE TABLE tags(name TEXT NOT NULL, time_epoch_ms INTEGER NOT NULL, run INTEGER NOT NULL REFERENCES runs,"
      " PRIMARY KEY(name, time_epoch_ms, run)) WITHOUT ROWID;"
      "CREATE INDEX tags_by_run ON tags(run);"
      "PRAGMA application_id = {}; PRAGMA user_version = {};",
      facts, all, kApplicationId, kSchema);
}

base::Error refused(const std::string& path, std::string what, std::string cause, std::string help) {
  base::Error error;
  error.kind = base::ErrorKind::refused;
  error.what = fmt::format("history `{}`: {}", path, what);
  error.cause = std::move(cause), error.help = std::move(help);
  return error;
}

// A tag is a word that is no number, since a number names a run.
base::Expected<void> check_tag(const std::string& name) {
  base::Error error;
  error.what = fmt::format("`{}` cannot be a tag", name);
  error.help = "write a name such as `v1.2` or `before-upgrade`";
  if (name.empty() || name.size() > kLongestTag)
    error.cause = fmt::format("a tag has 1 to {} bytes", kLongestTag);
  else if (std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; }))
    error.cause = "a number is the number of a run";
  else if (std::any_of(name.begin(), name.end(), [](char c) { return c == ',' || (c >= 0 && c <= ' ') || c == 0x7f; }))
    error.cause = "a tag has no comma, blank or control character";
  if (error.cause.empty()) return {};
  return error;
}

}  // namespace

base::Expected<Store> Store::open(const std::string& path) {
  auto database = Database::open(path, Database::Access::existing);
  if (!database) return database.error();
  Store store(std::move(*database));
  if (auto ok = store.check_schema(); !ok) return ok.error();
  return store;
}

base::Expected<Store> Store::open_to_add(const std::string& path) {
  if (auto ok = make_directories_of(path); !ok) return ok.error();
  auto database = Database::open(path, Database::Access::created);
  if (!database) return database.error();
  Store store(std::move(*database));
  const auto objects = store.database_.number("SELECT count(*) FROM sqlite_schema");
  if (!objects) return objects.error();
  if (*objects == 0)
    if (auto ok = store.make_schema(); !ok) return ok.error();
  if (auto ok = store.check_schema(); !ok) return ok.error();
  return store;
}

// Another process may make it at the same time.
base::Expected<void> Store::make_schema() {
  auto transaction = Transaction::begin(database_);
  if (!transaction) return transaction.error();
  const auto objects = database_.number("SELECT count(*) FROM sqlite_schema");
  if (!objects) return objects.error();
  if (*objects > 0) return {};
  if (auto ok = database_.execute(schema_sql().c_str()); !ok) return ok;
  return transaction->commit();
}

base::Expected<void> Store::check_schema() {
  const auto version = database_.number("PRAGMA user_version");
  if (!version) return version.error();
  const auto application = database_.number("PRAGMA application_id");
  if (!application) return application.error();
  if (*application != kApplicationId)
    return refused(database_.path(), "not a history of fathom",
                   *application == 0 && *version == 0 ? "an empty file, or the database of another program"
                                                      : "the database of another program",
                   "use --history=FILE with another file");
  if (*version > kSchema)
    return refused(database_.path(), "a newer schema",
                   fmt::format("the file has schema {}, this fathom reads up to {}", *version, kSchema),
                   "use the fathom that wrote it, or --history=FILE with a new file");
  return {};
}

base::Expected<std::int64_t> Store::environment_id(const Environment& environment) {
  std::string names, values, same;
  for (std::size_t i = 0; i < kFacts.size(); ++i) {
    names += fmt::format("{}{}", i == 0 ? "" : ", ", kFacts[i]);
    values += fmt::format("{}?{}", i == 0 ? "" : ", ", i + 1);
    same += fmt::format("{}{} = ?{}", i == 0 ? "" : " AND ", kFacts[i], i + 1);
  }
  for (const auto& sql : {fmt::format("SELECT id FROM environments WHERE {}", same),
                          fmt::format("INSERT INTO environments({}) VALUES({}) RETURNING id", names, values)}) {
    auto statement = database_.prepare(sql);
    if (!statement) return statement.error();
    for (std::size_t i = 0; i < kFacts.size(); ++i)
      statement->bind(static_cast<int>(i) + 1, std::string_view(environment[i]));
    const auto row = statement->step();
    if (!row) return row.error();
    if (*row) return statement->number(0);
  }
  return std::int64_t{0};
}

base::Expected<std::int64_t> Store::job_id(const std::string& name) {
  for (const auto* sql : {"SELECT id FROM jobs WHERE name = ?1", "INSERT INTO jobs(name) VALUES(?1) RETURNING id"}) {
    auto statement = database_.prepare(sql);
    if (!statement) return statement.error();
    statement->bind_all(std::string_view(name));
    const auto row = statement->step();
    if (!row) return row.error();
    if (*row) return statement->number(0);
  }
  return std::int64_t{0};
}

base::Expected<std::uint64_t> Store::insert_run(const Entry& entry, std::string_view result) {
  const auto environment = environment_id(entry.environment);
  if (!environment) return environment.error();
  auto run = database_.prepare(
      "INSERT INTO runs(run_id, time_epoch_ms, environment, title, workload, command, checks, unfit, bytes_per_s, "
      "iops, p99_ns, cpu_ns_per_io) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)");
  if (!run) return run.error();
  const auto& [bytes_per_s, iops, p99_ns, cpu_ns_per_io] = entry.whole;
  run->bind_all(std::string_view(entry.run_id), entry.time_epoch_ms, *environment, std::string_view(entry.title),
                std::string_view(entry.workload), std::string_view(entry.command), std::string_view(entry.checks),
                std::string_view(entry.unfit), bytes_per_s, iops, p99_ns, cpu_ns_per_io);
  if (auto ok = run->run(); !ok) return ok.error();
  const auto id = static_cast<std::uint64_t>(database_.last_id());
  auto text = database_.prepare("INSERT INTO results(run, bytes, packed) VALUES(?1, ?2, ?3)");
  if (!text) return text.error();
  text->bind_all(id, result.size());
  const auto bytes = packed(result);
  text->bind_bytes(3, bytes);
  if (auto ok = text->run(); !ok) return ok.error();
  return id;
}

base::Expected<void> Store::insert_parts(const Entry& entry, std::uint64_t id) {
  auto statement = database_.prepare(
      "INSERT INTO parts(job, time_epoch_ms, run, direction, bytes_per_s, iops, p99_ns, cpu_ns_per_io, fit) "
      "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)");
  if (!statement) return statement.error();
  for (const auto& part : entry.parts) {
    const auto job = job_id(part.job);
    if (!job) return job.error();
    const auto& [bytes_per_s, iops, p99_ns, cpu_ns_per_io] = part.numbers;
    statement->bind_all(*job, entry.time_epoch_ms, id, std::string_view(part.direction), bytes_per_s, iops, p99_ns,
                        cpu_ns_per_io, entry.unfit.empty() ? 1 : 0);
    if (auto ok = statement->run(); !ok) return ok;
  }
  return {};
}

base::Expected<Added> Store::add(const Entry& entry, std::string_view result) {
  auto transaction = Transaction::begin(database_);
  if (!transaction) return transaction.error();
  const auto present = id_of_run(entry.run_id);
  if (!present) return present.error();
  if (*present) return Added{**present, false};
  const auto id = insert_run(entry, result);
  if (!id) return id.error();
  if (auto ok = insert_parts(entry, *id); !ok) return ok.error();
  if (auto ok = transaction->commit(); !ok) return ok.error();
  return Added{*id, true};
}

base::Expected<void> Store::tag(std::uint64_t id, const std::string& name) {
  if (auto ok = check_tag(name); !ok) return ok;
  auto statement = database_.prepare(
      "INSERT OR IGNORE INTO tags(name, time_epoch_ms, run) SELECT ?1, time_epoch_ms, id FROM runs WHERE id = ?2");
  if (!statement) return statement.error();
  statement->bind_all(std::string_view(name), id);
  return statement->run();
}

base::Expected<void> Store::untag(std::uint64_t id, const std::string& name) {
  auto statement = database_.prepare("DELETE FROM tags WHERE run = ?1 AND name = ?2 RETURNING run");
  if (!statement) return statement.error();
  statement->bind_all(id, std::string_view(name));
  const auto row = statement->step();
  if (!row) return row.error();
  if (*row) return statement->run();
  base::Error error;
  error.what = fmt::format("run {} does not have the tag `{}`", id, name);
  error.help = "`fathom history list` shows the tags";
  return error;
}

base::Expected<void> Store::remove(const std::vector<std::uint64_t>& ids) {
  auto transaction = Transaction::begin(database_);
  if (!transaction) return transaction.error();
  for (const auto* sql : {"DELETE FROM results WHERE run = ?1", "DELETE FROM parts WHERE run = ?1",
                          "DELETE FROM tags WHERE run = ?1", "DELETE FROM runs WHERE id = ?1"}) {
    auto statement = database_.prepare(sql);
    if (!statement) return statement.error();
    for (const auto id : ids) {
      statement->bind_all(id);
      if (auto ok = statement->run(); !ok) return ok;
    }
  }
  if (auto ok = database_.execute(
          "DELETE FROM jobs WHERE NOT EXISTS (SELECT 1 FROM parts WHERE parts.job = jobs.id);"
          "DELETE FROM environments WHERE NOT EXISTS (SELECT 1 FROM runs WHERE runs.environment = environments.id)");
      !ok)
    return ok;
  return transaction->commit();
}

}  // namespace fathom::history
