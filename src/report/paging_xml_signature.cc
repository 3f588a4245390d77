// What ran, where and when, and the machine, in pmbench's words: its year counts from 1900 and its month from 0, as in
// struct tm; version_options is what its graphing program shows as the operating system, so ours begins like its own. A
// report has no random number to make a uuid of, so that the same result always gives the same file: the uuid is mixed
// from the start time, the seed and the threads' ids (RFC 9562, version 8).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>

#include "report/paging_view.h"
#include "report/paging_xml.h"
#include "report/utf8.h"
#include "result/paging_fields.h"

namespace fathom::report {
namespace {

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
  for (const char c : xml_text(run.host.hostname)) high = mixed(high + static_cast<unsigned char>(c));
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
      {"jobs", fmt::format("{}", jobs(paging))},
      {"offset", fmt::format("{}", paging.offset_words)},
      {"ratio", fmt::format("{}", whole_read_percent(paging))},
      {"pattern", pmbench_pattern(paging.pattern)},
      {"access", pmbench_access(paging.access)},
      {"tsops", paging.clock.stamps}};
  for (const auto& [name, value] : fields) add_element(params, name, value);
}

void write_cache(pugi::xml_node caches, const result::PagingCache& cache) {
  auto node = caches.append_child("cache");
  std::string_view type = cache.type;
  for (const auto& words : result::kCacheWords)
    if (type == words.ours) type = words.pmbench;
  add_attribute(node, "type", type);
  const std::pair<const char*, std::uint64_t> fields[] = {
      {"level", cache.level},         {"capacity", cache.capacity_kib}, {"sets", cache.sets},
      {"linesize", cache.line_bytes}, {"partitions", cache.partitions}, {"ways", cache.ways}};
  for (const auto& [name, value] : fields) add_element(node, name, fmt::format("{}", value));
}

}  // namespace

void xml_signature(pugi::xml_node report, const result::Program& program, const result::Run& run) {
  constexpr const char* kOptions = " Linux 64bit +mt -xa";  // threads, no allocator of its own
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
  add_element(machine, "freq_khz", fmt::format("{}", freq_khz(paging)));
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

}  // namespace fathom::report
