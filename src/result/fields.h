// The fields of a result: one list, with their names and order in a result file. Writers (report/), readers (import/)
// and the documentation all walk this list, so no field can be missing in one of them. This file has the fields common
// to every command's result. Jobs are in job_fields.h, the breakdown in breakdown_fields.h, `fathom paging` in
// paging_fields.h, the run in run_fields.h. A walker W has
//   attribute(key, text), attribute(key, enum, last)   of the element itself
//   field(key, value), field(key, enum, last)          one value; always present
//   known(key, value)                   the same; 0 or "": unknown, null in a run's JSON
//   maybe(key, optional number)         null in a run's JSON if it has no value
//   derived(key, function)              follows from other fields: written, never read; derived_texts: a list of texts
//   present(name, optional or bool)     whether a part is in the file
//   part(key, value, context...)        an object; its fields are walked in turn
//   group(key, function)                an object without a struct: function(walker) lists its fields
//   list(key, each, values, context...) objects
//   texts(key, values), numbers(key, values), pairs(key, each, values), counts(key, each, map)
//   spread(n, low, high)                of n values: an interval's ends, or the range of fewer than three
// T is the plain type when reading and const when writing. The ending of a key is its unit. since: the first schema
// version of a run that has the key.
#pragma once
#include <concepts>
#include <type_traits>

#include "result/result.h"

namespace fathom::result {

template <class T, class Of>
concept Like = std::same_as<std::remove_const_t<T>, Of>;

struct Key {
  const char* name;
  const char* what = "";  // a phrase, for docs/reference/json.md
  int since = kOldestRead;
  const char* xml = nullptr;  // its name in our XML, if different

  constexpr Key(const char* a_name, const char* a_what = "", int from = kOldestRead)  // NOLINT
      : name(a_name), what(a_what), since(from) {}
  constexpr Key in_xml(const char* other) const {
    Key key = *this;
    return key.xml = other, key;
  }
  constexpr operator const char*() const { return xml ? xml : name; }  // NOLINT: XML walkers have no schema version
};

// A value that may be 0, and is also 0 if unknown. If unknown, it is null, as with known().
template <class W, class T>
void field_if(W& w, bool is_known, const Key& key, T& value) {
  if (std::is_const_v<T> && is_known)
    w.field(key, value);
  else
    w.known(key, value);
}

template <class W>
void walk(W& w, Like<Program> auto& program) {
  w.field(Key("name", "name of the program: `fathom`"), program.name);
  w.field(Key("version", "version of the program"), program.version);
  w.field(Key("commit", "commit that it was built from"), program.commit);
  w.field(Key("compiler", "compiler and its version"), program.compiler);
  w.texts(Key("argv", "words of the command line").in_xml("argument"), program.argv);
  w.field(Key("fio_version", "fio version that fio's reports state"), program.fio_version);
  w.field(Key("fio_mode", "the program was called as fio"), program.fio_mode);
}

template <class W>
void walk(W& w, Like<DeviceFacts> auto& device) {
  w.field(Key("target", "path, as the job names it"), device.target);
  w.field(Key("kind", "kind of the target: `regular`, `block`, `character`"), device.kind);
  w.field(Key("file_system", "file system of the target; empty: none"), device.file_system);
  w.field(Key("mount_point", "mount point of the file system"), device.mount_point);
  w.field(Key("mount_options", "mount options of the file system"), device.mount_options);
  w.field(Key("disk", "kernel name of the disk, `vda`"), device.disk);
  w.field(Key("model", "model of the disk; empty: unknown"), device.model);
  w.field(Key("serial", "serial number of the disk; empty: unknown"), device.serial);
  w.field(Key("scheduler", "I/O scheduler of the disk"), device.scheduler);
  w.known(Key("size_bytes", "size of the target"), device.size_bytes);
  w.known(Key("logical_block_bytes", "logical block size of the disk"), device.logical_block_bytes);
  w.field(Key("rotational", "the disk reports that it is rotational"), device.rotational);
  if (w.there("no_poll", device.no_poll))
    w.field(Key("no_poll", "the disk has no poll queues (`queue/io_poll` is 0); absent: it has, or unknown", 15),
            device.no_poll);
}

template <class W>
void walk(W& w, Like<HostFacts> auto& host) {
  w.field(Key("hostname", "host name, from the kernel"), host.hostname);
  w.field(Key("kernel", "kernel release"), host.kernel);
  w.field(Key("machine", "architecture"), host.machine);
  w.field(Key("cpu_model", "CPU model, from the kernel"), host.cpu_model);
  w.field(Key("distribution", "distribution, from os-release"), host.distribution);
  w.field(Key("clock_source", "clock source of the kernel"), host.clock_source);
  w.field(Key("governor", "CPU frequency governor; empty: none"), host.governor);
  w.field(Key("hypervisor", "hypervisor; empty: none is known"), host.hypervisor);
  w.known(Key("cpus_online", "CPUs online"), host.cpus_online);
  w.known(Key("cpus_allowed", "CPUs that the run may use"), host.cpus_allowed);
  w.known(Key("memory_bytes", "memory of the machine"), host.memory_bytes);
  if (w.there("memory_limit_bytes", host.memory_limit_bytes > 0))
    w.field(Key("memory_limit_bytes", "lowest memory limit of its cgroups; absent: none", 15), host.memory_limit_bytes);
  w.known(Key("page_bytes", "page size"), host.page_bytes);
  w.field(Key("load_average_1min", "load average over one minute, at the start of the run"), host.load_average_1min);
  w.list(Key("devices", "one per target"), "device", host.devices);
}

template <class W>
void walk(W& w, Like<Settle> auto& settle) {
  w.field(Key("asked", "`--settle` was given"), settle.asked);
  w.field(Key("settled", "the machine became idle"), settle.settled);
  w.field(Key("waited_s", "how long the run waited"), settle.waited_s);
  field_if(w, settle.asked, Key("background_cpu_percent", "CPU use that remained"), settle.background_cpu_percent);
  field_if(w, settle.asked, Key("background_disk_iops", "I/Os per second that remained"), settle.background_disk_iops);
  field_if(w, settle.asked, Key("background_disk_bytes_per_s", "bytes per second that remained"),
           settle.background_disk_bytes_per_s);
}

template <class W>
void walk(W& w, Like<FindingValue> auto& value) {
  w.field(Key("name", "name; its ending is the unit", 15), value.name);
  w.maybe(Key("number", "value; null: it is a text", 15), value.number);
  w.field(Key("text", "value, if it is not a number", 15), value.text);
}

template <class W>
void walk(W& w, Like<Effect> auto& effect) {
  w.field(Key("on", "`time`, `bytes`: `value` is the share of the total; `latency`: its ratio to the median", 15),
          effect.on, EffectOn::latency);
  w.field(Key("value", "share or ratio: see `on`", 15), effect.value);
}

template <class W>
void walk(W& w, Like<Finding> auto& finding) {
  w.attribute(Key("id", "identifier for programs: `clock.unfit`"), finding.id);
  w.attribute(Key("severity", "`note`, `warning`, `error`"), finding.severity, Severity::error);
  w.field(Key("job", "job; empty: the whole run"), finding.job);
  w.field(Key("evidence", "what was observed, with numbers"), finding.evidence);
  w.field(Key("remedy", "what the user can do"), finding.remedy);
  if (w.there_in_xml("values", !finding.values.empty()))  // both since 15
    w.list(Key("values", "values in the text of the evidence", 15), "value", finding.values);
  if (w.present("effect", finding.effect))
    w.part(Key("effect", "how much of the result is affected; absent: unknown", 15), *finding.effect);
}

template <class W>
void walk(W& w, Like<Place> auto& place) {
  w.field(Key("file", "the job file, or `<command line>`"), place.file);
  w.known(Key("line", "line, from 1"), place.line);
  w.known(Key("column", "column, from 1"), place.column);
}

template <class W>
void walk(W& w, Like<IoError> auto& error) {
  w.known(Key("errno", "errno of the failed call"), error.err);
  w.field(Key("op", "`read`, `write`, `trim`, `sync`; `setup`: preparation before the first I/O of the job"), error.op);
  w.known(Key("file", "target of the I/O"), error.file);
  w.maybe(Key("offset_bytes", "offset in the file"), error.offset_bytes);
  w.maybe(Key("length_bytes", "length of the I/O"), error.length_bytes);
  w.field(Key("message", "line, as printed"), error.message);
  w.field(Key("job", "job name"), error.job);
  w.known(Key("what", "of `setup`: what failed"), error.what);
  w.known(Key("cause", "cause, if known"), error.cause);
  w.known(Key("remedy", "what the user can do"), error.remedy);
  if (w.present("place", error.place))
    w.part(Key("place", "location in the job file or command line; absent: an I/O failed"), *error.place);
  w.field(Key("went_on", "the job continued after this error"), error.went_on);
}

template <class W>
void walk(W& w, Like<RepeatedMetric> auto& metric) {
  w.field(Key("job", "job name"), metric.job);
  w.field(Key("direction", "`read`, `write`, `trim`; empty: no direction"), metric.direction);
  w.field(Key("metric", "`iops`, `clat_p99`, ..."), metric.metric);
  w.field(Key("unit", "unit of the values"), metric.unit);
  w.numbers(Key("values", "one per repetition"), metric.values);
  w.field(Key("mean", "mean of the values"), metric.mean);
  w.field(Key("stddev", "standard deviation of the values"), metric.stddev);
  w.field(Key("median", "median of the values"), metric.median);
  w.spread(metric.values.size(), metric.ci95_low, metric.ci95_high);
}

template <class W>
void walk(W& w, Like<AuditTerm> auto& term) {
  w.field(Key("name", "`engine`, `page cache hits`, ..."), term.name);
  w.field(Key("bytes", "bytes of the term"), term.bytes);
  w.field(Key("how", "how it was computed"), term.how);
}

template <class W>
void walk(W& w, Like<AuditWitness> auto& witness) {
  w.field(Key("source",
              "`block` layer, `below` a loop device, `members` under dm and md, "
              "`process`, `smart` log of a controller of the kernel, `driver`: health log of a controller of fathom's "
              "driver, `queues`, `pcie_pmu`, `trace`: tracepoints; with `paging` others (docs/reference/audit.md)"),
          witness.source);
  w.field(Key("subject", "counted object, for example a disk, a process or a port"), witness.subject);
  w.field(Key("direction", "direction; empty: both"), witness.direction);
  w.field(Key("verdict", "verdict of this cross-check, in the words of the audit's verdict"), witness.verdict,
          Verdict::disagrees);
  w.field(Key("diagnosis",
              "identifier for programs: `foreign_io`, `page_cache`, `read_ahead`, `whole_pages`, `write_back`, "
              "`metadata`, `holes`, `program_pages`, `mirror`, `not_known`, `not_passed_on`, `passed_down`, "
              "`unit_error_16` and similar, `unit_error_1_16`, `wrong_port`, `aliased`, `missing_io`, `engine_count`, "
              "`stale`, `lost`; more in docs/reference/audit.md"),
          witness.diagnosis);
  w.field(Key("cause", "sentence: why it differs, or why there is no cross-check"), witness.cause);
  w.field(Key("expected_bytes", "sum of `terms[]`"), witness.expected_bytes);
  w.field(Key("seen_bytes", "bytes that it counted"), witness.seen_bytes);
  w.field(Key("seen_low_bytes", "low end of the interval of `seen_bytes`; equal to the high end: exact"),
          witness.seen_low_bytes);
  w.field(Key("seen_high_bytes", "high end of the interval"), witness.seen_high_bytes);
  w.field(Key("tolerance_bytes", "difference that rounding and the edges of the interval can hide"),
          witness.tolerance_bytes);
  w.field(Key("rule", "unit rule of the counter"), witness.rule);
  w.list(Key("terms", "terms of `expected_bytes`, the engine first"), "term", witness.terms);
  w.list(Key("explained", "terms that explain the difference"), "term", witness.explained);
}

template <class W>
void walk(W& w, Like<ForeignIo> auto& foreign) {
  w.field(Key("disk", "disk of the run, or a disk under it"), foreign.disk);
  w.field(Key("direction", "`read`, `write`, `discard`, `flush`"), foreign.direction);
  w.field(Key("bytes", "bytes of other processes; 0 for flushes"), foreign.bytes);
  w.known(Key("ios", "number of requests; null: unknown"), foreign.ios);
  w.maybe(Key("time_s", "sum of the times of these requests; null if the kernel does not time them"), foreign.time_s);
  w.field(Key("window_s", "measured time in which these requests occurred"), foreign.window_s);
  w.field(Key("disturbing", "more than 2 % of the run's own bytes on the disk, or of the measured time"),
          foreign.disturbing);
  w.field(Key("who", "the processes, or why they are unknown"), foreign.who);
  w.field(Key("cause", "sentence: the cause"), foreign.cause);
}

template <class W>
void walk(W& w, Like<LinkFinding> auto& link) {
  w.field(Key("port", "PCI address of the port"), link.port);
  w.field(Key("name", "counter or attribute that changed"), link.name);
  w.field(Key("cause", "sentence: the cause"), link.cause);
  w.field(Key("value", "amount of the change, or the new value"), link.value);
}

template <class W>
void walk(W& w, Like<Count> auto& count) {
  w.field(Key("source", "a source of `witnesses[]`, or another one"), count.source);
  w.field(Key("subject", "counted object, for example a disk, a process or a port"), count.subject);
  w.field(Key("name", "event or column"), count.name);
  w.field(Key("direction", "`read`, `write`, `discard`, `flush`; empty: no direction"), count.direction);
  w.field(Key("value", "value in `unit`"), count.value);
  w.field(Key("unit", "`bytes`, `count`, `percent`, `GT/s`, `lanes`"), count.unit);
  w.field(Key("low", "low end of the interval that contains the value"), count.low);
  w.field(Key("high", "high end of the interval"), count.high);
  w.field(Key("confidence", "confidence of the interval; 0: exact"), count.confidence);
  w.field(Key("window_s", "time over which it was counted"), count.window_s);
  w.field(Key("rule", "how raw counts become the unit"), count.rule);
  w.field(Key("raw", "increments of the counter"), count.raw);
  w.known(Key("unit_bytes", "bytes per increment, if the rule is in bytes"), count.unit_bytes);
  w.field(Key("aliased", "the estimate depends on the slot length"), count.aliased);
  w.maybe(Key("lost_at_s", "time at which the source disappeared"), count.lost_at_s);
}

template <class W>
void walk(W& w, Like<Audit> auto& audit) {
  w.field(Key("mode", "as requested with `--audit`"), audit.mode);
  w.field(
      Key("verdict",
          "worst verdict of the cross-checks: `no witness`, `too short to judge`, `agrees`, `explained`, `disagrees`"),
      audit.verdict, Verdict::disagrees);
  w.field(Key("line", "line of the text report"), audit.line);
  w.list(Key("witnesses", "cross-checks, one per source and direction"), "witness", audit.witnesses);
  w.list(Key("foreign", "I/O of other processes on a disk of the run, or on a disk under it"), "io", audit.foreign);
  w.list(Key("link", "changes on the links of `ports[]`").in_xml("links"), "link", audit.link);
  w.texts(Key("ports", "PCI addresses of the ports with observed links").in_xml("port"), audit.ports);
  w.texts(Key("missing", "missing cross-checks, and why"), audit.missing);
  w.list(Key("counts", "all raw counts, as evidence"), "count", audit.counts);
}

}  // namespace fathom::result
