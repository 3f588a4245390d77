// fathom's half of docs/schema/result.schema.json and the key tables of docs/reference/json.md, from the list of fields: a
// walker as result/fields.h describes it. FATHOM_WRITE_SCHEMA=1 writes both instead of comparing.
#include <cxxabi.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <typeinfo>

#include "files.h"
#include "result/run_fields.h"
#include "source_dir.h"

namespace fathom::report {
namespace {

using OrderedJson = nlohmann::ordered_json;
using result::Key;

// "fathom::result::QueueStats::Device" -> "queue_stats_device".
std::string snake(const std::string& type) {
  std::string out;
  const std::string part = type.substr(std::string("fathom::result::").size());
  for (std::size_t i = 0; i < part.size(); ++i) {
    if (part[i] == ':') continue;
    if (std::isupper(static_cast<unsigned char>(part[i])) && i > 0) out += '_';
    out += static_cast<char>(std::tolower(static_cast<unsigned char>(part[i])));
  }
  return out;
}

template <class T>
std::string name_of() {
  char* name = abi::__cxa_demangle(typeid(T).name(), nullptr, nullptr, nullptr);
  const std::string type = name;
  std::free(name);
  return snake(type);
}

OrderedJson ref(const std::string& name) { return {{"$ref", "#/definitions/" + name}}; }
OrderedJson array_of(OrderedJson items) { return {{"type", "array"}, {"items", std::move(items)}}; }
OrderedJson or_null(OrderedJson type) {
  if (type["type"].is_string()) type["type"] = {type["type"], "null"};
  return type;
}

// What stands in a file whatever the run was, or all that may.
class SchemaFields {
 public:
  SchemaFields(OrderedJson& definitions, bool all) : definitions_(definitions), all_(all) {}
  OrderedJson properties = OrderedJson::object();

  void attribute(const Key& key, auto&... value) { field(key, value...); }
  template <class T>
  void attribute(const Key& key, T& value, T last) {
    field(key, value, last);
  }
  template <class T>
  void field(const Key& key, T&) {
    add(key, type<T>());
  }
  template <class Enum>
  void field(const Key& key, Enum&, Enum last) {
    OrderedJson words = OrderedJson::array();
    for (int i = 0; i <= static_cast<int>(last); ++i) words.push_back(name(static_cast<Enum>(i)));
    add(key, {{"enum", words}});
  }
  template <class T>
  void known(const Key& key, T&) {
    add(key, or_null(type<T>()));
  }
  template <class T>
  void maybe(const Key& key, std::optional<T>&) {
    add(key, or_null(type<T>()));
  }
  void wide(const Key& key, auto&) { add(key, {{"type", "string"}, {"pattern", "^[0-9]+$"}}); }
  template <class F>
  void derived(const Key& key, const F&) {
    add(key, type<std::decay_t<std::invoke_result_t<F>>>());
  }
  template <class F>
  void derived_list(const Key& key, const F&) {
    typename std::invoke_result_t<F>::value_type row;
    add(key, array_of(definition(row)));
  }
  template <class F>
  void derived_texts(const Key& key, const F&) {
    add(key, array_of({{"type", "string"}}));
  }
  bool present(const char*, bool&) const { return all_; }
  template <class T>
  bool present(const char*, std::optional<T>& part) const {
    if (all_) part.emplace();
    return all_;
  }
  bool there(const char*, bool) const { return all_; }
  static bool there_in_xml(const char*, bool) { return true; }
  template <class T, class... Context>
  void part(const Key& key, T& value, const Context&... context) {
    add(key, definition(value, context...));
  }
  template <class F>
  void group(const Key& key, const F& function) {
    add(key, object(function));
  }
  template <class T, class... Context>
  void list(const Key& key, const char*, std::vector<T>&, const Context&... context) {
    T value{};
    add(key, array_of(definition(value, context...)));
  }
  void texts(const Key& key, std::vector<std::string>&) { add(key, array_of({{"type", "string"}})); }
  void numbers(const Key& key, auto& values) {
    add(key, array_of(type<std::decay_t<decltype(*std::begin(values))>>()));
  }
  void pairs(const Key& key, const char*, auto&) { add(key, ref("options")); }
  template <class Number>
  void counts(const Key& key, const char*, std::map<std::string, Number>&) {
    add(key, {{"type", "object"}, {"additionalProperties", type<Number>()}});
  }
  void spread(std::size_t, double& low, double& high) {
    if (!all_) return;
    field(Key("ci95_low", "low end of the 95 % interval, from three values on"), low),
        field(Key("ci95_high", "high end"), high);
    field(Key("range_low", "smallest value, if there are fewer than three"), low),
        field(Key("range_high", "largest value, if there are fewer than three"), high);
  }
  template <class... Context>
  void latency(const Key& key, auto&, const Context&...) {
    if (all_) add(key, latency_definition());
  }
  template <class... Context>
  void part_latency(const Key& key, auto&, const Context&...) {
    if (all_) add(key, latency_definition());
  }
  void percentile_table(const Key& key, auto&, const std::vector<double>&) {
    if (all_) add(key, ref("values_by_percentile"));
  }
  void histogram(const Key& key, auto&) {
    if (all_)
      add(key, array_of({{"type", "array"}, {"items", type<std::uint64_t>()}, {"minItems", 2}, {"maxItems", 2}}));
  }
  void common(result::Job& job) {
    if (all_) walk_common(*this, job);
  }
  void every_job(result::Run&) {
    result::Job job;
    if (all_) add(result::kEveryJob, object([&](auto& in) { walk_common(in, job); }));
  }
  void jobs(const Key& key, std::vector<result::Job>& jobs) { list(key, "", jobs); }
  void repetitions(const Key& key, std::vector<result::Run>&, const result::Run& whole) {
    if (!definitions_.contains("repetition")) {
      definitions_["repetition"] = nullptr;
      definitions_["repetition"] = object([&](auto& in) {
        result::Run run;
        walk_repetition(in, run, whole);
      });
    }
    add(key, array_of(ref("repetition")));
  }

  template <class F>
  OrderedJson object(const F& function) {
    SchemaFields all(definitions_, true), least(definitions_, false);
    function(all), function(least);
    OrderedJson required = OrderedJson::array();
    for (const auto& [key, value] : least.properties.items()) required.push_back(key);
    return {
        {"type", "object"}, {"properties", all.properties}, {"required", required}, {"additionalProperties", false}};
  }
  template <class T, class... Context>
  OrderedJson definition(T&, const Context&... context) {
    const auto name = name_of<T>();
    if (!definitions_.contains(name)) {
      definitions_[name] = nullptr;
      definitions_[name] = object([&](auto& in) {
        T value{};
        walk(in, value, context...);
      });
    }
    return ref(name);
  }

 private:
  template <class T>
  static OrderedJson type() {
    if constexpr (std::is_same_v<T, bool>)
      return {{"type", "boolean"}};
    else if constexpr (std::is_same_v<T, std::string>)
      return {{"type", "string"}};
    else if constexpr (std::is_floating_point_v<T>)
      return {{"type", {"number", "null"}}};
    else if constexpr (std::is_unsigned_v<T>)
      return {{"type", "integer"}, {"minimum", 0}};
    else
      return {{"type", "integer"}};
  }
  OrderedJson latency_definition() {
    if (!definitions_.contains("latency")) {
      definitions_["latency"] = nullptr;
      definitions_["latency"] = object([&](auto& in) {
        result::Latency value;
        walk_latency(in, value, {});
      });
    }
    return ref("latency");
  }
  void add(const Key& key, OrderedJson type) {
    if (*key.what && !type.contains("$ref"))
      type["description"] = key.what;
    else if (*key.what)
      type = {{"allOf", {type}}, {"description", key.what}};
    properties[key.name] = std::move(type);
  }

  OrderedJson& definitions_;
  bool all_;
};

// On one line what fits there.
std::string printed(const OrderedJson& value, std::size_t indent = 0) {
  const std::string line = value.dump();
  if (value.is_primitive() || value.empty() || line.size() + indent <= 150) return line;
  const std::string pad(indent + 2, ' ');
  std::string out = value.is_array() ? "[\n" : "{\n";
  bool first = true;
  for (const auto& [key, child] : value.items()) {
    out += (first ? "" : ",\n") + pad + (value.is_array() ? "" : OrderedJson(key).dump() + ": ") +
           printed(child, indent + 2);
    first = false;
  }
  return out + "\n" + std::string(indent, ' ') + (value.is_array() ? "]" : "}");
}

std::string doc_path(const std::string& name) { return in_source("docs/" + name); }

void expect_current(const std::string& path, const std::string& text) {
  if (std::getenv("FATHOM_WRITE_SCHEMA")) {
    std::ofstream(path, std::ios::binary) << text;
    GTEST_SKIP() << "wrote " << path;
  }
  EXPECT_EQ(text, read_text(path)) << "FATHOM_WRITE_SCHEMA=1 build/test_report --gtest_filter='SchemaDoc.*' writes it";
}

OrderedJson our_definitions() {
  OrderedJson definitions = OrderedJson::object();
  SchemaFields fields(definitions, true);
  result::Run run;
  fields.definition(run);
  definitions["run"]["properties"]["schema_version"] = {{"const", result::kSchemaVersion}};
  return definitions;
}

// fio's half is what it was.
bool of_fio(const std::string& name) {
  return name.starts_with("fio_") || name == "counts_by_value_ns" || name == "values_by_percentile" ||
         name == "options";
}

TEST(SchemaDoc, JsonSchemaMatchesTheFieldList) {
  const auto path = doc_path("schema/result.schema.json");
  OrderedJson schema = OrderedJson::parse(read_text(path)), definitions = OrderedJson::object();
  for (const auto& [name, value] : schema["definitions"].items())
    if (of_fio(name)) definitions[name] = value;
  const auto ours = our_definitions();
  for (const auto& [name, value] : ours.items()) definitions[name] = value;
  schema["definitions"] = definitions;
  schema["properties"]["fathom"] = ref("run");
  expect_current(path, printed(schema) + "\n");
}

std::string type_text(const OrderedJson& type) {
  const auto& at = type.contains("allOf") ? type["allOf"][0] : type;
  if (at.contains("$ref")) return "[" + at["$ref"].get<std::string>().substr(14) + "]";
  if (at.contains("enum")) return "word";
  if (!at.contains("type")) return "number";
  std::string text = at["type"].is_string() ? at["type"].get<std::string>() : at["type"][0].get<std::string>();
  if (text == "array") return type_text(at["items"]) + " each";
  return at["type"].is_array() ? text + " or null" : text;
}

TEST(SchemaDoc, KeyTablesMatchTheFieldList) {
  std::string tables;
  const auto ours = our_definitions();
  for (const auto& [name, value] : ours.items()) {
    tables += "\n### " + name + "\n\n| key | type | what |\n|---|---|---|\n";
    for (const auto& [key, type] : value["properties"].items())
      tables += "| `" + key + "` | " + type_text(type) + " | " + type.value("description", "") + " |\n";
  }
  const auto path = doc_path("reference/json.md");
  const auto text = read_text(path);
  const std::string mark = "<!-- From here on written by tests/report/schema_doc_test.cc. -->\n";
  const auto at = text.find(mark);
  ASSERT_NE(at, std::string::npos);
  expect_current(path, text.substr(0, at + mark.size()) + tables);
}

}  // namespace
}  // namespace fathom::report
