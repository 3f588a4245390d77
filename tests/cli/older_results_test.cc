// Results of the oldest schema that is read, made by the program of its commit (tests/import/make_results.py): what is
// printed of them again is what is stored in them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "import/result_json.h"
#include "report/formats.h"
#include "report/paging_formats.h"
#include "source_dir.h"

namespace fathom::cli {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsSubsetOf;
using ::testing::Not;
using Json = nlohmann::ordered_json;

const std::filesystem::path kFolder = in_source("tests/import/corpus_result_json");

std::string text_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << path;
  return {std::istreambuf_iterator<char>(in), {}};
}

result::Run read_older(const std::string& text, const std::string& name = "result.json") {
  auto run = import::read_result_json(text, name);
  EXPECT_TRUE(run.ok()) << name << ":" << run.error().place->line << ": " << run.error().what << "; "
                        << run.error().cause;
  return run.ok() ? *run : result::Run{};
}
result::Run stored(const std::string& name) { return read_older(text_of(kFolder / name), name); }

int schema_of(const std::string& name) { return std::stoi(name); }

std::vector<std::string> all_files() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder))
    if (schema_of(entry.path().filename()) < result::kSchemaVersion) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

// Numbers of six digits, and what they were computed from. Percentiles lay beyond the samples, by part of a bucket.
bool near(const std::string& path, double a, double b) {
  const double part = path.find("percentile") == path.npos ? 1e-5 : 0.01;
  return std::abs(a - b) <= 2e-6 + part * std::max(std::abs(a), std::abs(b));
}

// What was there and is another now, or no more.
class Comparison {
 public:
  void compare(const std::string& path, const Json& was, const Json& is) {
    if (is.is_null() && was.is_number() && was.get<double>() == 0) return;  // it meant that it was not known
    if (path.ends_with("/histogram_ns")) {                                  // counts by value were an object
      Json pairs = Json::array();
      for (const auto& [value, count] : was.items()) pairs.push_back({std::stoull(value), count});
      if (pairs != is) differ(path, was, is);
    } else if (was.is_object()) {
      for (const auto& [key, value] : was.items())
        compare(path + "/" + key, value, is.contains(key) ? is[key] : Json());
    } else if (was.is_array()) {
      if (was.size() != is.size()) return differ(path, was, is);
      for (std::size_t i = 0; i < was.size(); ++i) compare(path + "/", was[i], is[i]);
    } else if (was.is_number()) {
      if (!is.is_number() || !near(path, was.get<double>(), is.get<double>())) differ(path, was, is);
    } else if (was != is) {
      differ(path, was, is);
    }
  }
  std::set<std::string> paths;

 private:
  void differ(const std::string& path, const Json& was, const Json& is) {
    if (paths.insert(path).second) shown += path + ": " + was.dump() + " is " + is.dump() + "\n";
  }

 public:
  std::string shown;
};

TEST(OlderResults, TheOldestSchemaHasFiles) {
  std::set<int> schemas;
  for (const auto& name : all_files()) schemas.insert(schema_of(name));
  EXPECT_EQ(schemas, (std::set<int>{result::kOldestRead}));
}

TEST(OlderResults, FioPartIsPrintedAsStored) {
  for (const auto& name : all_files()) {
    const auto was = Json::parse(text_of(kFolder / name));
    auto is = Json::parse(was["fathom"]["program"]["argv"].dump().find("json+") == std::string::npos
                              ? report::json(stored(name))
                              : report::json_plus(stored(name)));
    Comparison all;
    for (const auto& [key, value] : was.items())
      if (key != "fathom") all.compare(key, value, is[key]);
    EXPECT_EQ(all.shown, "") << name;
  }
}

TEST(OlderResults, FathomPartIsPrintedAsStored) {
  for (const auto& name : all_files()) {
    auto was = Json::parse(text_of(kFolder / name));
    auto is = Json::parse(report::json(stored(name)))["fathom"];
    EXPECT_EQ(is["schema_version"], result::kSchemaVersion);
    EXPECT_EQ(is["findings"].back()["id"], "import.older_schema");
    is["schema_version"] = schema_of(name);
    is["findings"].erase(is["findings"].size() - 1);
    for (const char* list : {"jobs", "group_members"})
      for (auto& job : is[list])
        if (is.contains("every_job")) job.update(is["every_job"]);
    for (auto& repetition : is["repetitions"])
      for (auto& job : repetition["jobs"])
        if (repetition.contains("every_job")) job.update(repetition["every_job"]);
    Comparison all;
    all.compare("", was["fathom"], is);
    EXPECT_EQ(all.shown, "") << name;
  }
}

TEST(OlderResults, WrittenAgainTheyReadTheSame) {
  for (const auto& name : all_files()) {
    const auto run = stored(name);
    const auto text = report::json(run);
    const auto again = read_older(text, name);
    EXPECT_TRUE(again == run) << name;
    EXPECT_EQ(report::json(again), text) << name;
  }
}

}  // namespace
}  // namespace fathom::cli
