// Latencies have the form of all others of fathom's; a part that no tracepoint covers is absent.
#include "report/fathom_json_breakdown.h"

#include <string_view>

#include "report/fio_json_latency.h"

namespace fathom::report {
namespace {

using result::Undivided;

constexpr double kPercentiles[] = {1, 5, 10, 25, 50, 75, 90, 95, 99, 99.5, 99.9, 99.95, 99.99};

void write_part(JsonWriter& w, std::string_view key, const result::PartLatency& part, bool bins) {
  if (part.covered) write_latency_ns(w, key, {part.moments_ns, part.histogram_ns}, {kPercentiles, true, bins});
}

void write_class(JsonWriter& w, const result::BreakdownClass& c, bool bins) {
  w.begin_object();
  w.field("job", c.job);
  w.field("job_number", c.job_number);
  w.field("direction", c.direction);
  w.field("ios", c.ios);
  w.field("matched", c.matched);
  for (std::size_t i = 0; i < result::kUndivided; ++i) w.field(name(static_cast<Undivided>(i)), c.undivided[i].ios);
  w.begin_object("undivided_ns");
  for (std::size_t i = 0; i < result::kUndivided; ++i) w.field(name(static_cast<Undivided>(i)), c.undivided[i].time_ns);
  w.end_object();
  w.field("explained_share", result::explained_share(c));
  w.field("stands_for_job", result::stands_for_job(c));
  w.field("direct", c.direct);
  w.field("flushes", c.flushes);
  w.field("outside", c.outside);
  w.field("outside_ns", c.outside_ns);
  w.field("outside_max_ns", c.outside_max_ns);
  for (std::size_t p = 0; p < result::kParts; ++p) write_part(w, name(static_cast<result::Part>(p)), c.parts[p], bins);
  write_part(w, "sum", c.sum, bins);
  write_part(w, "whole", c.whole, bins);
  write_part(w, "others", c.others, bins);
  write_part(w, "uncovered", c.uncovered, bins);
  w.end_object();
}

void write_words(JsonWriter& w, std::string_view key, const std::vector<std::string>& words) {
  w.begin_array(key);
  for (const auto& word : words) w.element(word);
  w.end_array();
}

}  // namespace

void write_breakdown(JsonWriter& w, const result::Breakdown& b, bool bins) {
  w.begin_object("breakdown");
  w.field("cause", b.cause);
  w.field("events_by", b.events_by);
  w.field("not_programs", b.not_programs);
  write_words(w, "tracepoints", b.tracepoints);
  write_words(w, "devices", b.devices);
  w.field("clock_error_ns", b.clock_error_ns);
  w.field("events", b.events);
  w.field("events_lost", b.events_lost);
  w.field("stamps_lost", b.stamps_lost);
  w.field("one_in", b.one_in);
  w.field("seen_share", b.seen_share);
  w.field("reader_cpu_s", b.reader_cpu_s);
  if (b.lost_at_s >= 0) w.field("lost_at_s", b.lost_at_s);
  w.begin_array("classes");
  for (const auto& c : b.classes) write_class(w, c, bins);
  w.end_array();
  w.end_object();
}

}  // namespace fathom::report
