// pmbench's XML report. Element names, order and number formats are those of pmbench (its version_xmloutput 0.1). So a
// reader of pmbench's files also reads these. Data that only fathom has is in one element `fathom` at the end of
// `report`. The file is indented by two spaces and declared as utf-8, as pmbench's own files are.
#include <fmt/format.h>
#include <pugixml.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <ctime>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/paging/paging_view.h"
#include "report/paging_formats.h"
#include "report/parts/utf8.h"
#include "result/paging_fields.h"
#include "result/result.h"
#include "stats/percentiles.h"

namespace fathom::report::paging {
namespace {

void xml_signature(pugi::xml_node report, const result::Program& program, const result::Run& run);
void xml_machine(pugi::xml_node report, const result::Run& run);
void xml_results(pugi::xml_node report, const result::Run& run);
void xml_statistics(pugi::xml_node report, const result::Run& run);
void xml_memory(pugi::xml_node report, const result::Run& run);
void xml_fathom(pugi::xml_node report, const result::Run& run);

// Adds <name>text</name>, or an attribute. Characters that XML does not permit are replaced.
pugi::xml_node add_element(pugi::xml_node to, const char* name, std::string_view text);
void add_attribute(pugi::xml_node to, const char* name, std::string_view text);

inline std::string xml_number(double value) { return std::isfinite(value) ? fmt::format("{}", value) : "0"; }
inline std::string xml_number(bool value) { return value ? "1" : "0"; }
std::string xml_number(std::integral auto value) { return fmt::format("{}", value); }

void xml_latency(pugi::xml_node node, const result::AccessLatency& latency);
void xml_series(pugi::xml_node node, const std::vector<result::PagingSeriesPoint>& points);

class ElementWriter {
 public:
  static constexpr bool kXml = true;
  explicit ElementWriter(pugi::xml_node at) : at_(at) {}

  void attribute(const char* name, const std::string& text) { add_attribute(at_, name, text); }
  template <class Enum>
  void attribute(const char* key, Enum value, Enum /*last*/) {
    add_attribute(at_, key, name(value));
  }
  void field(const char* name, const std::string& text) { add_element(at_, name, text); }
  template <class Number>
  requires std::is_arithmetic_v<Number>
  void field(const char* name, Number value) { add_element(at_, name, xml_number(value)); }
  template <class Enum>
  void field(const char* key, Enum value, Enum /*last*/) {
    add_element(at_, key, name(value));
  }
  template <class Number>
  void known(const char* name, Number value) {
    field(name, value);
  }
  template <class Number>
  void maybe(const char* name, const std::optional<Number>& value) {
    if (value) field(name, *value);
  }
  void spread(std::size_t, double low, double high) { field("ci95_low", low), field("ci95_high", high); }
  static bool there(const char*, bool there) { return there; }
  static bool there_in_xml(const char*, bool there) { return there; }
  static bool present(const char*, bool known) { return known; }
  template <class T>
  static bool present(const char*, const std::optional<T>& part) {
    return part.has_value();
  }
  template <class T>
  void part(const char* name, const T& value) {
    ElementWriter inner(at_.append_child(name));
    walk(inner, value);
  }
  template <class T>
  void list(const char* name, const char* each, const std::vector<T>& values) {
    if (values.empty()) return;
    ElementWriter inner(at_.append_child(name));
    for (const auto& value : values) inner.part(each, value);
  }
  void texts(const char* name, const std::vector<std::string>& values) {
    for (const auto& text : values) add_element(at_, name, text);
  }
  void pairs(const char* name, const char* each, const std::vector<std::pair<std::string, std::string>>& values) {
    named(name, each, values, [](const std::string& text) { return text; });
  }
  template <class Number>
  void counts(const char* name, const char* each, const std::map<std::string, Number>& values) {
    named(name, each, values, [](Number value) { return xml_number(value); });
  }
  template <class Number>
  void numbers(const char* name, const std::vector<Number>& values) {
    if (values.empty()) return;
    std::string text;
    for (const auto value : values) text += (text.empty() ? "" : " ") + xml_number(value);
    add_element(at_, name, text);
  }
  void latency(const char* name, const result::AccessLatency& latency) {
    if (latency.moments_ns.n > 0) xml_latency(at_.append_child(name), latency);
  }
  void classes(const char* name, const result::AccessLatencies& latencies);
  void series(const char* name, const std::vector<result::PagingSeriesPoint>& points) {
    if (!points.empty()) xml_series(at_.append_child(name), points);
  }

 private:
  void named(const char* name, const char* each, const auto& values, auto text_of) {
    if (values.empty()) return;
    auto node = at_.append_child(name);
    for (const auto& [key, value] : values) add_attribute(add_element(node, each, text_of(value)), "name", key);
  }

  pugi::xml_node at_;
};

// The two kinds of data with many numbers. A histogram has its exact sums; its mean and four percentiles are only for
// human readers. A series is a table. A column of the table is named after its counter. "-" is a point without that
// counter (no PSI, a counter of another kernel).

using result::PagingSeriesPoint;

constexpr std::pair<const char*, double> kPercentiles[] = {
    {"p50_ns", 50}, {"p90_ns", 90}, {"p99_ns", 99}, {"p99.9_ns", 99.9}};

std::string wide(unsigned __int128 value) { return fmt::format("{}", value); }

// "value:count" for every bucket, with the bucket's representative value.
std::string bins_text(const stats::Histogram& histogram) {
  std::string text;
  for (const auto& bin : histogram.bins())
    text += fmt::format("{}{}:{}", text.empty() ? "" : " ", stats::bucket_value(bin.bucket), bin.count);
  return text;
}

// The names that occur in that map of any point.
template <class Number>
std::set<std::string> keys(const std::vector<PagingSeriesPoint>& points,
                           std::map<std::string, Number> PagingSeriesPoint::*of) {
  std::set<std::string> names;
  for (const auto& point : points)
    for (const auto& [name, value] : point.*of) names.insert(name);
  return names;
}

template <class Number>
void add_values(std::string& row, const std::map<std::string, Number>& values, const std::set<std::string>& names) {
  for (const auto& name : names) {
    const auto found = values.find(name);
    row += " " + (found == values.end() ? std::string("-") : xml_number(found->second));
  }
}

void xml_latency(pugi::xml_node node, const result::AccessLatency& latency) {
  const auto& moments = latency.moments_ns;
  add_element(node, "count", xml_number(moments.n));
  add_element(node, "sum_ns", xml_number(moments.sum));
  add_element(node, "sum_squares_ns2", wide(moments.sum_squares));
  add_element(node, "min_ns", xml_number(moments.min()));
  add_element(node, "max_ns", xml_number(moments.max));
  add_element(node, "mean_ns", fmt::format("{:.1f}", moments.mean()));
  for (const auto& [key, p] : kPercentiles)
    add_element(node, key, xml_number(stats::percentile_within(latency.histogram_ns, moments, p)));
  add_element(node, "bins_ns", bins_text(latency.histogram_ns));
}

void ElementWriter::classes(const char* key, const result::AccessLatencies& latencies) {
  pugi::xml_node node;
  for (std::size_t c = 0; c < result::kAccessClasses; ++c)
    for (std::size_t d = 0; d < result::kAccessDirs; ++d) {
      const auto& latency = latencies[c][d];
      if (latency.moments_ns.n == 0) continue;
      if (!node) node = at_.append_child(key);
      auto one = node.append_child("class");
      add_attribute(one, "name", name(static_cast<result::AccessClass>(c)));
      add_attribute(one, "type", name(static_cast<result::AccessDir>(d)));
      xml_latency(one, latency);
    }
}

void xml_series(pugi::xml_node node, const std::vector<PagingSeriesPoint>& points) {
  const auto kernel = keys(points, &PagingSeriesPoint::kernel);
  const auto pressure = keys(points, &PagingSeriesPoint::pressure_percent);
  result::series_columns([&](const char* name, auto) { add_element(node, "column", name); });
  for (const auto& name : kernel) add_attribute(add_element(node, "column", name), "of", "kernel");
  for (const auto& name : pressure) add_attribute(add_element(node, "column", name), "of", "pressure_percent");
  for (const auto& point : points) {
    std::string row;
    result::series_columns(
        [&](const char*, auto member) { row += (row.empty() ? "" : " ") + xml_number(point.*member); });
    add_values(row, point.kernel, kernel);
    add_values(row, point.pressure_percent, pressure);
    add_element(node, "point", row);
  }
}

// Data without a place in pmbench's elements, or with only a rough one: the complete result, by the fields of
// result/paging_fields.h. So a file that is read back gives the result that was written. Each repetition, and each run
// of a breakdown, is such an element too. The form states the contents: 2 is complete. Files without a form omit the
// series, device times, latencies by thread, counters, cross-checks, Table 2 and repetitions.

void xml_fathom(pugi::xml_node report, const result::Run& run) {
  if (run.paging->imported) return;
  auto fathom = report.append_child("fathom");
  add_attribute(fathom, "version", run.program.version);
  add_attribute(fathom, "commit", run.program.commit);
  add_attribute(fathom, "schema_version", xml_number(run.schema_version));
  add_attribute(fathom, "form", xml_number(result::kXmlForm));
  ElementWriter writer(fathom);
  walk(writer, run);
  pugi::xml_node repetitions;
  for (const auto& repetition : run.repetitions) {
    if (!repetition.paging) continue;
    if (!repetitions) repetitions = fathom.append_child("repetitions");
    ElementWriter(repetitions).part("repetition", repetition);
  }
}

// The program, its parameters, place and time, and the machine, in pmbench's terms. As in struct tm, its year counts
// from 1900 and its month from 0. pmbench's graphing program shows version_options as the operating system, so fathom's
// value begins like pmbench's. The uuid uses no random number, so that the same result always gives the same file. It
// is mixed from the start time, the seed and the threads' ids (RFC 9562, version 8).

// splitmix64's finalizer (Steele, Lea, Flood, "Fast splittable pseudorandom number generators").
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

std::string uuid_of(const result::Run& run) {
  const auto& paging = *run.paging;
  if (paging.imported && !paging.imported->uuid.empty()) return paging.imported->uuid;
  std::uint64_t high = mixed(paging.start_epoch_ms + 0x9E3779B97F4A7C15u), low = mixed(high ^ paging.seed);
  for (const auto& worker : paging.workers) low = mixed(low + static_cast<std::uint64_t>(worker.tid));
  for (const char c : parts::xml_text(run.host.hostname)) high = mixed(high + static_cast<unsigned char>(c));
  high = (high & ~0xF000ull) | 0x8000;
  low = (low & ~(3ull << 62)) | (2ull << 62);
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", high >> 32, (high >> 16) & 0xFFFF, high & 0xFFFF, low >> 48,
                     low & 0xFFFF'FFFF'FFFF);
}

bool from_windows(const result::Paging& paging) { return paging.imported && paging.imported->os_name == "windows"; }

void write_os(pugi::xml_node signature, const result::Run& run) {
  const auto& paging = *run.paging;
  auto os = signature.append_child("os_info");
  add_element(os, "hostname", run.host.hostname);
  auto version = os.append_child("version_info");
  add_element(version, "os_name", paging.imported ? paging.imported->os_name : "Linux");
  add_element(version, "arch", run.host.machine);
  if (from_windows(paging)) {
    add_element(version, "maj", paging.imported->windows_major);
    add_element(version, "min", paging.imported->windows_minor);
    add_element(version, "build", paging.imported->windows_build);
  } else {
    add_element(version, "release", run.host.kernel);
  }
}

void write_time(pugi::xml_node signature, const result::Paging& paging) {
  if (from_windows(paging)) {
    if (paging.imported->windows_date.empty()) return;
    auto time = signature.append_child("time_info");
    add_element(time, "date", paging.imported->windows_date);
    add_element(time, "time", paging.imported->windows_time);
    add_element(time, "year", paging.imported->windows_year);
    return;
  }
  if (paging.start_epoch_ms == 0) return;
  const auto seconds = static_cast<std::time_t>(paging.start_epoch_ms / 1000);
  std::tm tm{};
  if (gmtime_r(&seconds, &tm) == nullptr) return;
  auto time = signature.append_child("time_info");
  const std::pair<const char*, int> fields[] = {{"wday", tm.tm_wday}, {"year", tm.tm_year}, {"mon", tm.tm_mon},
                                                {"mday", tm.tm_mday}, {"hour", tm.tm_hour}, {"min", tm.tm_min},
                                                {"sec", tm.tm_sec},   {"yday", tm.tm_yday}, {"isdst", 0}};
  for (const auto& [name, value] : fields) add_element(time, name, fmt::format("{}", value));
}

// At least 1: pmbench has no shorter run.
std::uint64_t whole_seconds(double s) { return static_cast<std::uint64_t>(std::clamp(std::ceil(s), 1.0, 1e18)); }

void write_params(pugi::xml_node signature, const result::Paging& paging) {
  auto params = signature.append_child("params");
  const std::pair<const char*, std::string> fields[] = {
      {"duration", fmt::format("{}", whole_seconds(paging.duration_s))},
      {"mapsize", fmt::format("{}", paging.map_bytes >> 20)},
      {"setsize", fmt::format("{}", paging.set_bytes >> 20)},
      {"initialize", paging.fill.empty() || paging.fill == "none" ? "0" : "1"},
      {"shape", fmt::format("{:.4f}", paging.shape)},
      {"delay", fmt::format("{}", paging.delay_ticks)},
      {"quiet", paging.quiet ? "1" : "0"},
      {"cold", paging.cold ? "1" : "0"},
      {"jobs", fmt::format("{}", result::jobs(paging))},
      {"offset", fmt::format("{}", paging.offset_words)},
      {"ratio", fmt::format("{}", result::whole_read_percent(paging))},
      {"pattern", pmbench_pattern(paging.pattern)},
      {"access", pmbench_access(paging.access)},
      {"tsops", paging.clock.stamps}};
  for (const auto& [name, value] : fields) add_element(params, name, value);
}

void write_cache(pugi::xml_node caches, const result::PagingCache& cache) {
  auto node = caches.append_child("cache");
  std::string_view type = cache.type;
  for (const auto& words : result::kCacheNames)
    if (type == words.ours) type = words.pmbench;
  add_attribute(node, "type", type);
  const std::pair<const char*, std::uint64_t> fields[] = {
      {"level", cache.level},         {"capacity", cache.capacity_kib}, {"sets", cache.sets},
      {"linesize", cache.line_bytes}, {"partitions", cache.partitions}, {"ways", cache.ways}};
  for (const auto& [name, value] : fields) add_element(node, name, fmt::format("{}", value));
}

void xml_signature(pugi::xml_node report, const result::Program& program, const result::Run& run) {
  constexpr const char* kOptions = " Linux 64bit +mt -xa";  // threads; without pmbench's own allocator
  const auto& paging = *run.paging;
  auto signature = report.append_child("signature");
  auto info = signature.append_child("pmbench_info");
  add_element(info, "version_number",
              paging.imported ? paging.imported->program : program.name + " " + program.version);
  add_element(info, "version_options", paging.imported ? paging.imported->options : kOptions);
  add_element(info, "version_xmloutput", "0.1");
  write_os(signature, run);
  write_time(signature, paging);
  add_element(signature, "uuid", uuid_of(run));
  write_params(signature, paging);
  if (paging.interrupted) add_element(signature, "interrupted", "1");
}

void xml_machine(pugi::xml_node report, const result::Run& run) {
  const auto& paging = *run.paging;
  auto machine = report.append_child("machine_info");
  add_element(machine, "modelname", paging.cpu_model.empty() ? "unsupported" : paging.cpu_model);
  add_element(machine, "freq_khz", fmt::format("{}", result::freq_khz(paging)));
  auto tlb = machine.append_child("tlb_info");
  std::size_t index = 0;
  if (paging.imported)
    for (const auto& id : paging.imported->tlb_ids) {
      auto item = tlb.append_child("tlb_item");
      add_attribute(item, "index", fmt::format("{}", index++));
      add_attribute(item, "id", id);
    }
  auto caches = machine.append_child("cache_info");
  add_attribute(caches, "deterministic", paging.caches.empty() ? "0" : "1");
  for (const auto& cache : paging.caches) write_cache(caches, cache);
}

// Threads, histograms of reads and writes over all threads and classes, and the kernel's memory counters with their
// changes. Nine of a histogram's 24 buckets have index 0: the one below 2^8 ns, and the eight from 2^23 ns.

using result::PagingMemoryItem;

void write_pair(pugi::xml_node to, const char* name, const std::string& prefix, double us, std::int64_t clk) {
  auto node = to.append_child(name);
  add_element(node, (prefix + "_us").c_str(), fmt::format("{:.4f}", us));
  add_element(node, (prefix + "_clk").c_str(), fmt::format("{}", clk));
}

void write_thread(pugi::xml_node results, const result::Paging& paging, std::size_t index) {
  const auto& worker = paging.workers[index];
  const auto numbers = result::pmbench_thread(paging, worker);
  auto thread = results.append_child("result_thread");
  add_attribute(thread, "thread_num", fmt::format("{}", index + 1));
  write_pair(thread, "result_netavg", "netavg", numbers.net_us, numbers.net_clk);
  auto details = thread.append_child("result_details");
  write_pair(details, "details_latency", "latency", numbers.latency_us, numbers.latency_clk);
  add_element(details, "details_samples", fmt::format("{}", numbers.samples));
  write_pair(details, "details_overhead", "overhead", numbers.overhead_us, numbers.overhead_clk);
  add_element(details, "details_total", fmt::format("{}", worker.overhead_accesses));
  if (paging.cold) return;
  auto warmup = thread.append_child("warmup_details");
  write_pair(warmup, "warmup_latency", "warmup", numbers.warmup_us, numbers.warmup_clk);
  add_element(warmup, "warmup_total", fmt::format("{}", worker.warmup_accesses));
}

pugi::xml_node write_bucket(pugi::xml_node histogram, std::size_t index, std::size_t low, std::size_t high,
                            std::uint64_t count) {
  auto bucket = histogram.append_child("histo_bucket");
  add_attribute(bucket, "index", fmt::format("{}", index));
  auto interval = bucket.append_child("bucket_interval");
  add_element(interval, "interval_lo", fmt::format("{}", low));
  add_element(interval, "interval_hi", fmt::format("{}", high));
  add_element(bucket, "sum_count", fmt::format("{}", count));
  return bucket;
}

void write_histogram(pugi::xml_node statistics, const char* type, const stats::PmbenchBins& bins) {
  auto histogram = statistics.append_child("histogram");
  add_attribute(histogram, "type", type);
  write_bucket(histogram, 0, 0, 8, bins.below_256_ns);
  for (std::size_t i = 0; i < stats::kPmbenchOctaves; ++i) {
    std::uint64_t sum = 0;
    for (const auto count : bins.octaves[i]) sum += count;
    auto hexes = write_bucket(histogram, i + 1, i + 8, i + 9, sum).append_child("bucket_hexes");
    for (std::size_t j = 0; j < stats::kPmbenchBinsAnOctave; ++j)
      add_attribute(add_element(hexes, "hex", fmt::format("{}", bins.octaves[i][j])), "index", fmt::format("{}", j));
  }
  for (std::size_t i = 0; i < stats::kPmbenchHighBins; ++i)
    write_bucket(histogram, 0, 23 + i, i + 1 == stats::kPmbenchHighBins ? 32 : 24 + i, bins.high[i]);
}

struct MemoryField {
  const char* name;
  std::uint64_t PagingMemoryItem::*member;
};
constexpr MemoryField kMemoryFields[] = {
    {"free_kib", &PagingMemoryItem::free_kib},         {"buffer_kib", &PagingMemoryItem::buffer_kib},
    {"cache_kib", &PagingMemoryItem::cache_kib},       {"active_kib", &PagingMemoryItem::active_kib},
    {"inactive_kib", &PagingMemoryItem::inactive_kib}, {"pgpgin", &PagingMemoryItem::pgpgin},
    {"pgpgout", &PagingMemoryItem::pgpgout},           {"pswpin", &PagingMemoryItem::pswpin},
    {"pswpout", &PagingMemoryItem::pswpout},           {"pgmajfault", &PagingMemoryItem::pgmajfault}};
constexpr const char* kWindowsFields[] = {"AvailPhys", "dwMemoryLoad", "TotalPageFile", "AvailPageFile",
                                          "AvailVirtual"};

// The numbers of an item; with `from`, the changes since that item.
void write_counts(pugi::xml_node to, const PagingMemoryItem& item, const PagingMemoryItem* from) {
  const auto windows = [](const PagingMemoryItem& of, const char* name) {
    const auto found = of.windows.find(name);
    return found == of.windows.end() ? std::int64_t{0} : found->second;
  };
  const auto difference = [](std::uint64_t a, std::uint64_t b) { return static_cast<std::int64_t>(a - b); };
  if (!item.windows.empty()) {
    for (const auto* name : kWindowsFields)
      add_element(to, name,
                  fmt::format("{}", difference(static_cast<std::uint64_t>(windows(item, name)),
                                               from ? static_cast<std::uint64_t>(windows(*from, name)) : 0)));
    return;
  }
  for (const auto& field : kMemoryFields)
    add_element(to, field.name, fmt::format("{}", difference(item.*field.member, from ? from->*field.member : 0)));
}

void xml_results(pugi::xml_node report, const result::Run& run) {
  auto results = report.append_child("result");
  for (std::size_t i = 0; i < run.paging->workers.size(); ++i) write_thread(results, *run.paging, i);
}

void xml_statistics(pugi::xml_node report, const result::Run& run) {
  const auto& paging = *run.paging;
  if (paging.access != "histogram") return;
  auto statistics = report.append_child("statistics");
  const auto bins = [&](result::AccessDir dir) {
    return stats::pmbench_view(result::of_dir(paging.latency, dir).histogram_ns);
  };
  for (const auto dir : {result::AccessDir::read, result::AccessDir::write})
    if (result::asked_for(paging, dir)) write_histogram(statistics, name(dir), bins(dir));
}

void xml_memory(pugi::xml_node report, const result::Run& run) {
  const auto& items = run.paging->memory_items;
  auto memory = report.append_child("sys_mem_info");
  for (std::size_t i = 0; i < items.size(); ++i) {
    auto item = memory.append_child("sys_mem_item");
    add_attribute(item, "name", items[i].name);
    write_counts(item.append_child("mem_item_info"), items[i], nullptr);
    if (i + 1 < items.size()) write_counts(item.append_child("mem_item_delta"), items[i + 1], &items[i]);
  }
}

pugi::xml_node add_element(pugi::xml_node to, const char* name, std::string_view text) {
  auto node = to.append_child(name);
  node.append_child(pugi::node_pcdata).set_value(parts::xml_text(text).c_str());
  return node;
}

void add_attribute(pugi::xml_node to, const char* name, std::string_view text) {
  to.append_attribute(name).set_value(parts::xml_text(text).c_str());
}

// pmbench's elements describe one run, and its graphing program requires a thread in it. For a breakdown, they describe
// the first run.
const result::Run& of_pmbench(const result::Run& run) {
  if (!run.paging->workers.empty()) return run;
  for (const auto& repetition : run.repetitions)
    if (repetition.paging && !repetition.paging->workers.empty()) return repetition;
  return run;
}

}  // namespace

}  // namespace fathom::report::paging

namespace fathom::report {

using namespace paging;

std::string pmbench_xml(const result::Run& run) {
  if (!run.paging) return "";
  pugi::xml_document document;
  auto declaration = document.append_child(pugi::node_declaration);
  declaration.append_attribute("version") = "1.0";
  declaration.append_attribute("encoding") = "utf-8";
  auto report = document.append_child("pmbenchmark").append_child("report");
  const auto& shown = of_pmbench(run);
  xml_signature(report, run.program, shown);
  xml_machine(report, shown);
  xml_results(report, shown);
  xml_statistics(report, shown);
  xml_memory(report, shown);
  xml_fathom(report, run);
  std::ostringstream out;
  document.save(out, "  ", pugi::format_default, pugi::encoding_utf8);
  return out.str();
}

}  // namespace fathom::report
