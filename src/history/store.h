// A history: runs in an SQLite file, with columns for list and check, and each result as it was stored, compressed.
// A run is added in one transaction: after a kill or on a full disk the file is as before. Several processes may use
// the file. user_version is the version of the schema, application_id marks a file as a history.
//
// Errors: a file that is no history, or of a newer schema (refused); a name that no run has, or several (usage); what
// database.h has. Thread rule: one thread.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "history/database.h"
#include "history/entry.h"
#include "result/commands/history.h"

namespace fathom::history {

inline constexpr int kSchema = 1;
inline constexpr std::int64_t kApplicationId = 0x66746d68;  // "ftmh"
inline constexpr std::size_t kFewestOfPrefix = 4;           // characters of a run_id that name a run
inline constexpr std::size_t kLongestTag = 100;             // bytes

struct Filter {
  std::string job, tag, host;  // empty: any
  std::uint64_t last = 20;
};

struct Added {
  std::uint64_t id = 0;
  bool is_new = true;  // false: the history had the result already
};

// A run in the series of its job.
struct Point {
  std::uint64_t run = 0, time_epoch_ms = 0;
  std::string direction;
  Numbers numbers;
  bool fit = true;
};

// The facts that may explain a change.
struct Facts {
  Environment environment;
  std::string workload;
};

struct Stored {
  std::uint64_t id = 0;
  std::string text;  // the result
};

class Store {
 public:
  // Makes the file and its directory if they do not exist.
  static base::Expected<Store> open_to_add(const std::string& path);
  static base::Expected<Store> open(const std::string& path);

  base::Expected<Added> add(const Entry& entry, std::string_view result);
  base::Expected<result::HistoryList> list(const Filter& filter);
  // A number, a tag, or an unambiguous start of a run_id or of a tag. A tag may name several runs: oldest first.
  base::Expected<std::vector<std::uint64_t>> find(const std::string& name);
  base::Expected<std::uint64_t> find_one(const std::string& name);
  base::Expected<Stored> result_of(std::uint64_t id);
  base::Expected<void> tag(std::uint64_t id, const std::string& name);
  base::Expected<void> untag(std::uint64_t id, const std::string& name);
  base::Expected<void> remove(const std::vector<std::uint64_t>& ids);

  base::Expected<std::vector<std::string>> jobs();
  // The newest `last` runs of a job that began at `since_epoch_ms` or later; oldest first, each direction a point.
  base::Expected<std::vector<Point>> points(const std::string& job, const Filter& filter, std::uint64_t since_epoch_ms);
  base::Expected<Facts> facts_of(std::uint64_t id);
  base::Expected<std::uint64_t> time_of(std::uint64_t id);

 private:
  explicit Store(Database database) : database_(std::move(database)) {}
  base::Expected<void> check_schema();
  base::Expected<void> make_schema();
  base::Expected<std::uint64_t> insert_run(const Entry& entry, std::string_view result);
  base::Expected<void> insert_parts(const Entry& entry, std::uint64_t id);
  base::Expected<std::int64_t> environment_id(const Environment& environment);
  base::Expected<std::int64_t> job_id(const std::string& name);
  base::Expected<std::optional<std::uint64_t>> id_of_run(std::string_view run_id);
  base::Expected<std::vector<std::uint64_t>> ids(std::string_view sql, const std::string& name);
  base::Error unknown(const std::string& name);

  Database database_;
};

}  // namespace fathom::history
