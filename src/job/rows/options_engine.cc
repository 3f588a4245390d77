// Options that only some engines have: the tables in the engines' rows. Each row names the engines that support it. The
// options may be written before ioengine= and in [global]. When a section ends, they are compared with the job's
// engine.
#define FATHOM_ENGINE_OPTIONS
#include "io/engine_rows.inc"
#undef FATHOM_ENGINE_OPTIONS

#include <list>
#include <map>
#include <set>
#include <vector>

#include "job/option.h"

namespace fathom::job {
namespace {

struct Known {
  io::OptionTable table;
  std::set<std::string_view> engines;
};

std::map<std::string_view, Known> tables_of_engines() {
  using namespace io;
  std::map<std::string_view, Known> tables;
  const auto add = [&](std::string_view engine, std::initializer_list<OptionTable> own) {
    for (const auto& table : own) tables.try_emplace(table.name, Known{table, {}}).first->second.engines.insert(engine);
  };
#define FATHOM_LISTED(...) __VA_ARGS__
#define FATHOM_ENGINE(NAME, made_of, targets, options, ...) add(#NAME, {FATHOM_LISTED options});
#include "io/engine_rows.inc"
#undef FATHOM_ENGINE
#undef FATHOM_LISTED
  return tables;
}

// Rows by heading. Headings, tables and the engines of a table are in the order of their names.
std::map<std::string_view, std::vector<Row>> rows_of_engines() {
  static std::list<std::string> names;  // storage for the texts of the rows
  std::map<std::string_view, std::vector<Row>> rows;
  for (const auto& [name, known] : tables_of_engines()) {
    names.push_back(fmt::format("{}", fmt::join(known.engines, " ")));
    for (Row row : known.table.rows) {
      row.texts.engines = names.back();
      rows[known.table.heading].push_back(row);
    }
  }
  return rows;
}

}  // namespace

Outcome settle_engine_options(Job& job) {
  for (const auto& [name, known] : tables_of_engines())
    if (known.table.settle != nullptr && known.engines.contains(job.ioengine))
      if (auto problem = known.table.settle(job.engine, job.mode)) return problem;
  return {};
}

void reseed_engine(Job& job, std::uint64_t number) {
  for (const auto& [name, known] : tables_of_engines())
    if (known.table.reseed != nullptr && known.engines.contains(job.ioengine))
      job.seeds.push_back(known.table.reseed(job.engine, number));
}

std::span<const Group> engine_options() {
  static const auto rows = rows_of_engines();
  static const std::vector<Group> groups = [] {
    std::vector<Group> all;
    all.reserve(rows.size());
    for (const auto& [heading, under] : rows) all.push_back({heading, under});
    return all;
  }();
  return groups;
}

}  // namespace fathom::job
