// Host, time and parameters of the run. Times are GMT, and are those of the end of the run, when pmbench writes its
// report. Months and days of the year count from 0, years from 1900 (in fathom's own files before form 2: the year
// itself). Elements that some versions omit (time_info, interrupted, jobs) may be missing.
#include <ctime>

#include "import/pmbench/pmbench_parts.h"
#include "result/paging_fields.h"

namespace fathom::import::pmbench {
namespace {

void read_os(XmlReader& in, pugi::xml_node signature, result::Run& run) {
  auto& imported = *run.paging->imported;
  const auto os = in.need(signature, "os_info");
  run.host.hostname = in.optional_text(os, "hostname");
  const auto version = in.need(os, "version_info");
  imported.os_name = in.text(version, "os_name");
  run.host.machine = in.optional_text(version, "arch");
  run.host.kernel = in.optional_text(version, "release");
  imported.windows_major = in.optional_text(version, "maj");
  imported.windows_minor = in.optional_text(version, "min");
  imported.windows_build = in.optional_text(version, "build");
}

void read_time(XmlReader& in, pugi::xml_node signature, result::Run& run) {
  const auto time = signature.child("time_info");
  if (!time) return;
  if (time.child("date")) {
    run.paging->imported->windows_date = in.optional_text(time, "date");
    run.paging->imported->windows_time = in.optional_text(time, "time");
    run.paging->imported->windows_year = in.optional_text(time, "year");
    return;
  }
  struct Part {
    const char* name;
    int std::tm::*member;
    int most;
  };
  constexpr Part kParts[] = {{"year", &std::tm::tm_year, 9999}, {"mon", &std::tm::tm_mon, 11},
                             {"mday", &std::tm::tm_mday, 31},   {"hour", &std::tm::tm_hour, 23},
                             {"min", &std::tm::tm_min, 59},     {"sec", &std::tm::tm_sec, 60}};
  std::tm tm{};
  for (const auto& part : kParts) {
    const auto value = in.count(time, part.name);
    if (value > static_cast<std::uint64_t>(part.most)) {
      in.fail(time.child(part.name), std::string("<") + part.name + "> is out of range", "not a time of day");
      return;
    }
    tm.*part.member = static_cast<int>(value);
  }
  if (tm.tm_year >= 1000) tm.tm_year -= 1900;
  const auto seconds = timegm(&tm);
  if (seconds > 0) run.paging->start_epoch_ms = static_cast<std::uint64_t>(seconds) * 1000;
}

// Limited to 60 bits, because callers multiply the value.
std::uint64_t bytes_of_mib(XmlReader& in, pugi::xml_node params, const char* name) {
  const auto mib = in.count(params, name);
  if (mib >> 40 == 0) return mib << 20;
  in.fail(params.child(name), std::string("<") + name + "> is too large", "more MiB than an address space has");
  return 0;
}

int bounded(XmlReader& in, pugi::xml_node params, const char* name, std::uint64_t most) {
  const auto value = in.count(params, name);
  if (value <= most) return static_cast<int>(value);
  in.fail(params.child(name), std::string("<") + name + "> is too large", "at most " + std::to_string(most));
  return 0;
}

void read_params(XmlReader& in, pugi::xml_node signature, result::Paging& paging) {
  const auto params = in.need(signature, "params");
  paging.duration_s = static_cast<double>(in.count(params, "duration"));
  paging.map_bytes = bytes_of_mib(in, params, "mapsize");
  paging.set_bytes = bytes_of_mib(in, params, "setsize");
  paging.fill = in.integer(params, "initialize") != 0 ? "random, one byte in four" : "none";
  paging.shape = in.real(params, "shape");
  paging.delay_ticks = in.count(params, "delay");
  paging.quiet = in.flag(params, "quiet");
  paging.cold = in.flag(params, "cold");
  paging.threads = params.child("jobs") ? bounded(in, params, "jobs", 1u << 20) : 1;
  paging.offset_words = in.integer(params, "offset");
  paging.read_percent = bounded(in, params, "ratio", 100);
  paging.pattern = "legacy:" + in.optional_text(params, "pattern");
  const auto access = in.optional_text(params, "access");
  paging.access = access == "histo" ? "histogram" : access;
  paging.clock.stamps = in.optional_text(params, "tsops");
  paging.memory = "anonymous";
  paging.pressure.known = false;
}

}  // namespace

void read_signature(XmlReader& in, pugi::xml_node report, result::Run& run) {
  auto& paging = *run.paging;
  const auto signature = in.need(report, "signature");
  const auto info = in.need(signature, "pmbench_info");
  paging.imported->program = in.optional_text(info, "version_number");
  paging.imported->options = in.optional_text(info, "version_options");
  read_os(in, signature, run);
  read_time(in, signature, run);
  run.time_epoch_ms = paging.start_epoch_ms;
  paging.imported->uuid = in.optional_text(signature, "uuid");
  read_params(in, signature, paging);
  paging.interrupted = run.interrupted = in.optional_text(signature, "interrupted") == "1";
}

void read_machine(XmlReader& in, pugi::xml_node report, result::Run& run) {
  auto& paging = *run.paging;
  const auto machine = in.need(report, "machine_info");
  paging.cpu_model = in.optional_text(machine, "modelname");
  if (paging.cpu_model == "unsupported") paging.cpu_model.clear();
  run.host.cpu_model = paging.cpu_model;
  paging.clock.ticks_per_second = static_cast<double>(in.count(machine, "freq_khz")) * 1e3;
  for (const auto item : machine.child("tlb_info").children("tlb_item"))
    paging.imported->tlb_ids.emplace_back(item.attribute("id").value());
  for (const auto cache : machine.child("cache_info").children("cache")) {
    result::PagingCache facts;
    facts.type = cache.attribute("type").value();
    for (const auto& words : result::kCacheNames)
      if (facts.type == words.pmbench) facts.type = words.ours;
    facts.level = in.count(cache, "level");
    facts.capacity_kib = in.count(cache, "capacity");
    facts.sets = in.count(cache, "sets");
    facts.line_bytes = in.count(cache, "linesize");
    facts.partitions = in.count(cache, "partitions");
    facts.ways = in.count(cache, "ways");
    paging.caches.push_back(std::move(facts));
  }
}

}  // namespace fathom::import::pmbench
