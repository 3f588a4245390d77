// The fields of a result by the names that they carry in our XML, in their order: one list, walked by who writes
// (report/) and by who reads (import/), so that neither can hold what the other leaves out. Those of `fathom paging`
// are in paging_fields.h. A walker W has
//   attribute(name, text), attribute(name, enum, last)   of the element itself
//   field(name, value), field(name, enum, last)          an element with one value; always there
//   present(name, optional or bool)                      whether the part stands in the file
//   part(name, value)                                    an element whose fields are walked in turn
//   list(name, each, values)                             an element of such parts; absent: empty
//   texts(name, values)                                  an element for each text
//   pairs(name, each, values)                            an element of <each name="first">second</each>
//   numbers(name, values)                                numbers in a row
// T is the plain type when reading and const when writing.
#pragma once
#include <concepts>
#include <type_traits>

#include "result/result.h"

namespace fathom::result {

template <class T, class Of>
concept Like = std::same_as<std::remove_const_t<T>, Of>;

template <class W>
void walk(W& w, Like<Program> auto& program) {
  w.field("name", program.name);
  w.field("version", program.version);
  w.field("commit", program.commit);
  w.field("compiler", program.compiler);
  w.texts("argument", program.argv);
  w.field("fio_version", program.fio_version);
  w.field("fio_mode", program.fio_mode);
}

template <class W>
void walk(W& w, Like<DeviceFacts> auto& device) {
  w.field("target", device.target);
  w.field("kind", device.kind);
  w.field("file_system", device.file_system);
  w.field("mount_point", device.mount_point);
  w.field("mount_options", device.mount_options);
  w.field("disk", device.disk);
  w.field("model", device.model);
  w.field("serial", device.serial);
  w.field("scheduler", device.scheduler);
  w.field("size_bytes", device.size_bytes);
  w.field("logical_block_bytes", device.logical_block_bytes);
  w.field("rotational", device.rotational);
}

template <class W>
void walk(W& w, Like<HostFacts> auto& host) {
  w.field("hostname", host.hostname);
  w.field("kernel", host.kernel);
  w.field("machine", host.machine);
  w.field("cpu_model", host.cpu_model);
  w.field("distribution", host.distribution);
  w.field("clock_source", host.clock_source);
  w.field("governor", host.governor);
  w.field("hypervisor", host.hypervisor);
  w.field("cpus_online", host.cpus_online);
  w.field("cpus_allowed", host.cpus_allowed);
  w.field("memory_bytes", host.memory_bytes);
  w.field("page_bytes", host.page_bytes);
  w.field("load_average_1min", host.load_average_1min);
  w.list("devices", "device", host.devices);
}

template <class W>
void walk(W& w, Like<Settle> auto& settle) {
  w.field("asked", settle.asked);
  w.field("settled", settle.settled);
  w.field("waited_s", settle.waited_s);
  w.field("background_cpu_percent", settle.background_cpu_percent);
  w.field("background_disk_iops", settle.background_disk_iops);
  w.field("background_disk_bytes_per_s", settle.background_disk_bytes_per_s);
}

template <class W>
void walk(W& w, Like<Finding> auto& finding) {
  w.attribute("id", finding.id);
  w.attribute("severity", finding.severity, Severity::error);
  w.field("job", finding.job);
  w.field("evidence", finding.evidence);
  w.field("remedy", finding.remedy);
}

template <class W>
void walk(W& w, Like<IoError> auto& error) {
  w.field("errno", error.err);
  w.field("op", error.op);
  w.field("file", error.file);
  w.field("offset_bytes", error.offset_bytes);
  w.field("length_bytes", error.length_bytes);
  w.field("message", error.message);
  w.field("job", error.job);
}

template <class W>
void walk(W& w, Like<RepeatedMetric> auto& metric) {
  w.field("job", metric.job);
  w.field("direction", metric.direction);
  w.field("metric", metric.metric);
  w.field("unit", metric.unit);
  w.numbers("values", metric.values);
  w.field("mean", metric.mean);
  w.field("stddev", metric.stddev);
  w.field("median", metric.median);
  w.field("ci95_low", metric.ci95_low);
  w.field("ci95_high", metric.ci95_high);
}

template <class W>
void walk(W& w, Like<AuditTerm> auto& term) {
  w.field("name", term.name);
  w.field("bytes", term.bytes);
  w.field("how", term.how);
}

template <class W>
void walk(W& w, Like<AuditWitness> auto& witness) {
  w.field("source", witness.source);
  w.field("subject", witness.subject);
  w.field("direction", witness.direction);
  w.field("verdict", witness.verdict, Verdict::disagrees);
  w.field("diagnosis", witness.diagnosis);
  w.field("cause", witness.cause);
  w.field("expected_bytes", witness.expected_bytes);
  w.field("seen_bytes", witness.seen_bytes);
  w.field("seen_low_bytes", witness.seen_low_bytes);
  w.field("seen_high_bytes", witness.seen_high_bytes);
  w.field("tolerance_bytes", witness.tolerance_bytes);
  w.field("rule", witness.rule);
  w.list("terms", "term", witness.terms);
  w.list("explained", "term", witness.explained);
}

template <class W>
void walk(W& w, Like<ForeignIo> auto& foreign) {
  w.field("disk", foreign.disk);
  w.field("direction", foreign.direction);
  w.field("bytes", foreign.bytes);
  w.field("ios", foreign.ios);
  if (w.present("time_s", foreign.time_s)) w.field("time_s", *foreign.time_s);
  w.field("window_s", foreign.window_s);
  w.field("disturbing", foreign.disturbing);
  w.field("who", foreign.who);
  w.field("cause", foreign.cause);
}

template <class W>
void walk(W& w, Like<LinkFinding> auto& link) {
  w.field("port", link.port);
  w.field("name", link.name);
  w.field("cause", link.cause);
  w.field("value", link.value);
}

template <class W>
void walk(W& w, Like<Count> auto& count) {
  w.field("source", count.source);
  w.field("subject", count.subject);
  w.field("name", count.name);
  w.field("direction", count.direction);
  w.field("value", count.value);
  w.field("unit", count.unit);
  w.field("low", count.low);
  w.field("high", count.high);
  w.field("confidence", count.confidence);
  w.field("window_s", count.window_s);
  w.field("rule", count.rule);
  w.field("raw", count.raw);
  w.field("unit_bytes", count.unit_bytes);
  w.field("aliased", count.aliased);
  if (w.present("lost_at_s", count.lost_at_s)) w.field("lost_at_s", *count.lost_at_s);
}

template <class W>
void walk(W& w, Like<Audit> auto& audit) {
  w.field("mode", audit.mode);
  w.field("verdict", audit.verdict, Verdict::disagrees);
  w.field("line", audit.line);
  w.list("witnesses", "witness", audit.witnesses);
  w.list("foreign", "io", audit.foreign);
  w.list("links", "link", audit.link);
  w.texts("port", audit.ports);
  w.texts("missing", audit.missing);
  w.list("counts", "count", audit.counts);
}

}  // namespace fathom::result
