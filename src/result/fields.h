// The fields of a result: one list, by their names in a result file and in its order, walked by who writes (report/),
// by who reads (import/), and by who documents, so that none can hold what another leaves out. This file has what every
// command's result has; jobs are in job_fields.h, the split in breakdown_fields.h, `fathom paging` in paging_fields.h,
// the run in run_fields.h. A walker W has
//   attribute(key, text), attribute(key, enum, last)   of the element itself
//   field(key, value), field(key, enum, last)          one value; always there
//   known(key, value)                   the same; 0 or "" means that it is not known: null in a run's JSON
//   maybe(key, optional number)         null in a run's JSON where there is none
//   derived(key, function)              follows from the rest: written, never read; derived_texts: a list of texts
//   present(name, optional or bool)     whether a part is in the file
//   part(key, value, context...)        an object whose fields are walked in turn
//   group(key, function)                an object that is no struct of its own: function(walker) lists its fields
//   list(key, each, values, context...) objects
//   texts(key, values), numbers(key, values), pairs(key, each, values), counts(key, each, map)
//   spread(n, low, high)                of n values: an interval's ends, or the range of fewer than three
// T is the plain type when reading and const when writing. A key's unit is its ending; since: the first schema of a run that
// has it.
#pragma once
#include <concepts>
#include <type_traits>

#include "result/result.h"

namespace fathom::result {

template <class T, class Of>
concept Like = std::same_as<std::remove_const_t<T>, Of>;

struct Key {
  const char* name;
  const char* what = "";  // in a phrase, for docs/reference/json.md
  int since = kOldestRead;
  const char* xml = nullptr;  // its name in our XML where it is another

  constexpr Key(const char* a_name, const char* a_what = "", int from = kOldestRead)  // NOLINT
      : name(a_name), what(a_what), since(from) {}
  constexpr Key in_xml(const char* other) const {
    Key key = *this;
    return key.xml = other, key;
  }
  constexpr operator const char*() const { return xml ? xml : name; }  // NOLINT: walkers of XML know no schema
};

// A value that may be 0, and 0 where it is not known: there null, as of known().
template <class W, class T>
void field_if(W& w, bool is_known, const Key& key, T& value) {
  if (std::is_const_v<T> && is_known)
    w.field(key, value);
  else
    w.known(key, value);
}

template <class W>
void walk(W& w, Like<Program> auto& program) {
  w.field(Key("name", "`fathom`"), program.name);
  w.field(Key("version", "of the program"), program.version);
  w.field(Key("commit", "it was built from"), program.commit);
  w.field(Key("compiler", "and its version"), program.compiler);
  w.texts(Key("argv", "the command line").in_xml("argument"), program.argv);
  w.field(Key("fio_version", "the fio whose reports it writes"), program.fio_version);
  w.field(Key("fio_mode", "it was called as fio"), program.fio_mode);
}

template <class W>
void walk(W& w, Like<DeviceFacts> auto& device) {
  w.field(Key("target", "path that the job named"), device.target);
  w.field(Key("kind", "`regular`, `block`, `character`"), device.kind);
  w.field(Key("file_system", "that it lies on; empty: none"), device.file_system);
  w.field(Key("mount_point", "of the file system"), device.mount_point);
  w.field(Key("mount_options", "of the file system"), device.mount_options);
  w.field(Key("disk", "the kernel's name, `vda`"), device.disk);
  w.field(Key("model", "of the disk; empty: unknown"), device.model);
  w.field(Key("serial", "of the disk; empty: unknown"), device.serial);
  w.field(Key("scheduler", "of the disk's queue"), device.scheduler);
  w.known(Key("size_bytes", "of the target"), device.size_bytes);
  w.known(Key("logical_block_bytes", "of the disk"), device.logical_block_bytes);
  w.field(Key("rotational", "the disk says that it turns"), device.rotational);
}

template <class W>
void walk(W& w, Like<HostFacts> auto& host) {
  w.field(Key("hostname", "as the kernel has it"), host.hostname);
  w.field(Key("kernel", "its release"), host.kernel);
  w.field(Key("machine", "its architecture"), host.machine);
  w.field(Key("cpu_model", "as the kernel names it"), host.cpu_model);
  w.field(Key("distribution", "from os-release"), host.distribution);
  w.field(Key("clock_source", "of the kernel"), host.clock_source);
  w.field(Key("governor", "of CPU frequency; empty: none"), host.governor);
  w.field(Key("hypervisor", "that it runs under; empty: none is known"), host.hypervisor);
  w.known(Key("cpus_online", "CPUs"), host.cpus_online);
  w.known(Key("cpus_allowed", "CPUs that the run might use"), host.cpus_allowed);
  w.known(Key("memory_bytes", "of the machine"), host.memory_bytes);
  if (w.there("memory_limit_bytes", host.memory_limit_bytes > 0))
    w.field(Key("memory_limit_bytes", "of its cgroups, the least; absent: none", 15), host.memory_limit_bytes);
  w.known(Key("page_bytes", "of its memory"), host.page_bytes);
  w.field(Key("load_average_1min", "when the run began"), host.load_average_1min);
  w.list(Key("devices", "one for each target"), "device", host.devices);
}

template <class W>
void walk(W& w, Like<Settle> auto& settle) {
  w.field(Key("asked", "`--settle` was given"), settle.asked);
  w.field(Key("settled", "the machine became quiet"), settle.settled);
  w.field(Key("waited_s", "for that"), settle.waited_s);
  field_if(w, settle.asked, Key("background_cpu_percent", "that remained"), settle.background_cpu_percent);
  field_if(w, settle.asked, Key("background_disk_iops", "that remained"), settle.background_disk_iops);
  field_if(w, settle.asked, Key("background_disk_bytes_per_s", "that remained"), settle.background_disk_bytes_per_s);
}

template <class W>
void walk(W& w, Like<FindingValue> auto& value) {
  w.field(Key("name", "its unit is its ending", 15), value.name);
  w.maybe(Key("number", "null: it is a text", 15), value.number);
  w.field(Key("text", "where it is no number", 15), value.text);
}

template <class W>
void walk(W& w, Like<Effect> auto& effect) {
  w.field(Key("on", "`time`, `bytes`: `value` is the share of all; `latency`: its ratio to the median", 15), effect.on,
          EffectOn::latency);
  w.field(Key("value", "see `on`", 15), effect.value);
}

template <class W>
void walk(W& w, Like<Finding> auto& finding) {
  w.attribute(Key("id", "for programs: `clock.unfit`"), finding.id);
  w.attribute(Key("severity", "`note`, `warning`, `error`"), finding.severity, Severity::error);
  w.field(Key("job", "whose; empty: the whole run"), finding.job);
  w.field(Key("evidence", "what was seen, with numbers"), finding.evidence);
  w.field(Key("remedy", "what can be done"), finding.remedy);
  if (w.there_in_xml("values", !finding.values.empty()))  // both since 15
    w.list(Key("values", "that the evidence is made of", 15), "value", finding.values);
  if (w.present("effect", finding.effect))
    w.part(Key("effect", "how much of the result it concerns; absent where that is not known", 15), *finding.effect);
}

template <class W>
void walk(W& w, Like<Place> auto& place) {
  w.field(Key("file", "the job file, `<command line>`"), place.file);
  w.known(Key("line", "from 1"), place.line);
  w.known(Key("column", "from 1"), place.column);
}

template <class W>
void walk(W& w, Like<IoError> auto& error) {
  w.known(Key("errno", "of the failed call"), error.err);
  w.field(Key("op", "`read`, `write`, `trim`, `sync`; `setup`: what the job needs before its first I/O"), error.op);
  w.known(Key("file", "it was done to"), error.file);
  w.maybe(Key("offset_bytes", "in the file"), error.offset_bytes);
  w.maybe(Key("length_bytes", "of the I/O"), error.length_bytes);
  w.field(Key("message", "the line that was printed"), error.message);
  w.field(Key("job", "whose"), error.job);
  w.known(Key("what", "of `setup`, what failed"), error.what);
  w.known(Key("cause", "why, where that is known"), error.cause);
  w.known(Key("remedy", "what can be done"), error.remedy);
  if (w.present("place", error.place))
    w.part(Key("place", "where in the user's own text; absent: of an I/O"), *error.place);
  w.field(Key("went_on", "the job went on after it"), error.went_on);
}

template <class W>
void walk(W& w, Like<RepeatedMetric> auto& metric) {
  w.field(Key("job", "whose"), metric.job);
  w.field(Key("direction", "`read`, `write`, `trim`; empty: none"), metric.direction);
  w.field(Key("metric", "`iops`, `clat_p99`, ..."), metric.metric);
  w.field(Key("unit", "of the values"), metric.unit);
  w.numbers(Key("values", "one a repetition"), metric.values);
  w.field(Key("mean", "of the values"), metric.mean);
  w.field(Key("stddev", "of the values"), metric.stddev);
  w.field(Key("median", "of the values"), metric.median);
  w.spread(metric.values.size(), metric.ci95_low, metric.ci95_high);
}

template <class W>
void walk(W& w, Like<AuditTerm> auto& term) {
  w.field(Key("name", "`engine`, `page cache hits`, ..."), term.name);
  w.field(Key("bytes", "of the term"), term.bytes);
  w.field(Key("how", "the arithmetic"), term.how);
}

template <class W>
void walk(W& w, Like<AuditWitness> auto& witness) {
  w.field(Key("source",
              "`block` layer, `below` a loop device or a zram with a backing device, `members` under dm and md, "
              "`process`, `smart` log of the kernel's controller, `driver`: health log of our own, `queues`, "
              "`pcie_pmu`"),
          witness.source);
  w.field(Key("subject", "what was looked at"), witness.subject);
  w.field(Key("direction", "empty: both"), witness.direction);
  w.field(Key("verdict", "as the whole's"), witness.verdict, Verdict::disagrees);
  w.field(Key("diagnosis",
              "a word for programs: `foreign_io`, `page_cache`, `read_ahead`, `whole_pages`, `write_back`, "
              "`metadata`, `holes`, `program_pages`, `mirror`, `not_known`, `not_passed_on`, `passed_down`, "
              "`unit_error_16` and its like, `unit_error_1_16`, `wrong_port`, `aliased`, `missing_io`, "
              "`engine_count`, `stale`, `lost`"),
          witness.diagnosis);
  w.field(Key("cause", "a sentence"), witness.cause);
  w.field(Key("expected_bytes", "the sum of `terms[]`"), witness.expected_bytes);
  w.field(Key("seen_bytes", "what it counted"), witness.seen_bytes);
  w.field(Key("seen_low_bytes", "the interval that holds it; equal: exact"), witness.seen_low_bytes);
  w.field(Key("seen_high_bytes", "its upper end"), witness.seen_high_bytes);
  w.field(Key("tolerance_bytes", "what rounding and window edges may hide"), witness.tolerance_bytes);
  w.field(Key("rule", "of the counter's unit"), witness.rule);
  w.list(Key("terms", "of `expected_bytes`, the engine first"), "term", witness.terms);
  w.list(Key("explained", "terms of the difference"), "term", witness.explained);
}

template <class W>
void walk(W& w, Like<ForeignIo> auto& foreign) {
  w.field(Key("disk", "of the run, or one that it lies on"), foreign.disk);
  w.field(Key("direction", "`read`, `write`, `discard`, `flush`"), foreign.direction);
  w.field(Key("bytes", "none of a flush"), foreign.bytes);
  w.known(Key("ios", "requests"), foreign.ios);
  w.maybe(Key("time_s", "of these requests summed; the kernel may not time them"), foreign.time_s);
  w.field(Key("window_s", "in which that was"), foreign.window_s);
  w.field(Key("disturbing", "more than 2 % of the run's own bytes there, or of its time"), foreign.disturbing);
  w.field(Key("who", "named, or why they are not"), foreign.who);
  w.field(Key("cause", "a sentence"), foreign.cause);
}

template <class W>
void walk(W& w, Like<LinkFinding> auto& link) {
  w.field(Key("port", "its address"), link.port);
  w.field(Key("name", "what changed"), link.name);
  w.field(Key("cause", "a sentence"), link.cause);
  w.field(Key("value", "by how much, or to what"), link.value);
}

template <class W>
void walk(W& w, Like<Count> auto& count) {
  w.field(Key("source", "as a witness's, or of others"), count.source);
  w.field(Key("subject", "what was looked at"), count.subject);
  w.field(Key("name", "event or column"), count.name);
  w.field(Key("direction", "`read`, `write`, `discard`, `flush`; empty: none"), count.direction);
  w.field(Key("value", "in `unit`"), count.value);
  w.field(Key("unit", "`bytes`, `count`, `percent`, `GT/s`, `lanes`"), count.unit);
  w.field(Key("low", "it lies between this"), count.low);
  w.field(Key("high", "and this"), count.high);
  w.field(Key("confidence", "with which it does; 0: exact"), count.confidence);
  w.field(Key("window_s", "over which it was counted"), count.window_s);
  w.field(Key("rule", "how raw counts became the unit"), count.rule);
  w.field(Key("raw", "the counter's own increments"), count.raw);
  w.known(Key("unit_bytes", "of one increment, where the rule is of bytes"), count.unit_bytes);
  w.field(Key("aliased", "the estimate changes with the slot length"), count.aliased);
  w.maybe(Key("lost_at_s", "the source vanished then"), count.lost_at_s);
}

template <class W>
void walk(W& w, Like<Audit> auto& audit) {
  w.field(Key("mode", "as asked for"), audit.mode);
  w.field(Key("verdict",
              "the worst of its witnesses: `no witness`, `too short to judge`, `agrees`, `explained`, `disagrees`"),
          audit.verdict, Verdict::disagrees);
  w.field(Key("line", "as in the text report"), audit.line);
  w.list(Key("witnesses", "one for each source and direction"), "witness", audit.witnesses);
  w.list(Key("foreign", "what others did to a disk of the run, or to one that it lies on"), "io", audit.foreign);
  w.list(Key("link", "what changed on the `ports[]`").in_xml("links"), "link", audit.link);
  w.texts(Key("ports", "whose links were looked at").in_xml("port"), audit.ports);
  w.texts(Key("missing", "witnesses there were none of, and why"), audit.missing);
  w.list(Key("counts", "every raw count, as evidence"), "count", audit.counts);
}

}  // namespace fathom::result
