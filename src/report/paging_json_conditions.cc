// Under what conditions a paging run measured: clock, memory counters, pressure, caches, and where an imported one came
// from.
#include "report/json_fields.h"
#include "report/paging_json.h"
#include "report/paging_view.h"

namespace fathom::report {
namespace {

void write_clock(JsonWriter& w, const result::Paging& p) {
  const auto& clock = p.clock;
  w.begin_object("clock");
  w.field("stamps", clock.stamps);
  w.field("ticks_per_second", clock.ticks_per_second);
  w.field("calibration", clock.calibration);
  w.field("calibration_error_ppm", clock.calibration_error_ppm);
  w.field("step_ns", clock.step_ns);
  w.field("floor_ns", clock.floor_ns);
  w.field("floor_p99_ns", clock.floor_ns_p99);
  w.field("floor_mean_ns", clock.floor_mean_ns);
  w.field("cached_load_ns", clock.cached_load_ns);
  w.field("cached_load_mean_ns", clock.cached_load_mean_ns);
  w.field("slow_ns", clock.slow_ns);
  w.field("lookup_ns", clock.lookup_ns);
  w.end_object();
}

void write_counts(JsonWriter& w, std::string_view key, const std::map<std::string, std::uint64_t>& counts) {
  w.begin_object(key);
  for (const auto& [name, value] : counts) w.field(name, value);
  w.end_object();
}

void write_texts(JsonWriter& w, std::string_view key, const std::vector<std::string>& texts) {
  w.begin_array(key);
  for (const auto& text : texts) w.element(text);
  w.end_array();
}

void write_pressure(JsonWriter& w, const result::PagingPressure& pressure) {
  w.begin_object("pressure");
  w.field("limit_bytes", pressure.limit_bytes);
  w.field("controller", pressure.controller);
  w.field("ambient_limit_bytes", pressure.ambient_limit_bytes);
  w.field("ambient_group", pressure.ambient_group);
  JsonFields(w).list("swaps", "swap", pressure.swaps);
  w.begin_object("settings");
  for (const auto& [name, value] : pressure.settings) w.field(name, value);
  w.end_object();
  write_texts(w, "changed", pressure.changed);
  write_texts(w, "not_possible", pressure.not_possible);
  w.end_object();
}

void write_import(JsonWriter& w, const result::PagingImport& imported) {
  w.begin_object("imported");
  w.field("program", imported.program);
  w.field("options", imported.options);
  w.field("os_name", imported.os_name);
  w.field("uuid", imported.uuid);
  w.field("first_bin_ns", kFirstBin_ns);
  write_texts(w, "tlb_ids", imported.tlb_ids);
  w.field("windows_major", imported.windows_major);
  w.field("windows_minor", imported.windows_minor);
  w.field("windows_build", imported.windows_build);
  w.field("windows_date", imported.windows_date);
  w.field("windows_time", imported.windows_time);
  w.field("windows_year", imported.windows_year);
  w.end_object();
}

}  // namespace

void write_paging_conditions(JsonWriter& w, const result::Paging& p) {
  write_clock(w, p);
  JsonFields(w).list("memory_items", "item", p.memory_items);
  write_counts(w, "vmstat", p.vmstat);
  write_counts(w, "memcg", p.memcg);
  write_counts(w, "mthp", p.mthp);
  if (p.pressure.known) write_pressure(w, p.pressure);
  w.field("measurement_bytes_per_thread", p.measurement_bytes_per_thread);
  w.field("locked_bytes_per_thread", p.locked_bytes_per_thread);
  w.field("locked", p.locked);
  w.field("cpu_model", p.cpu_model);
  JsonFields(w).list("caches", "cache", p.caches);
  if (p.imported) write_import(w, *p.imported);
}

}  // namespace fathom::report
