// The options of spdk_nvme_perf, one row each, by their short and long names. A script that calls SPDK's tool can call
// this program under that name. Differences: a controller without `ns:` means its first namespace, not all of them;
// latencies are those of `fathom run`. An option that is meaningless here is accepted, and a note states that. An
// unsupported option that would change the measurement is refused.
#include "job/spdk/spdk_command_line.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/system/cpu_list.h"
#include "base/text/parse.h"
#include "options/command_line.h"
#include "options/rows.h"

namespace fathom::job::spdk {
namespace {

using namespace options;

struct Spdk {
  Arguments arguments, devices, notes;
  std::string pattern, mix;
  unsigned latency = 0;  // 1: -L, 2: -LL
  bool statistics = false;
  std::uint64_t ios = 0;  // -d: per thread and namespace; 0: no limit
  std::uint64_t cores = 1, pairs = 1;
};

// Adds an argument of the job: the value between two fixed texts.
template <const char* Before, const char* After>
Outcome pass(Spdk& s, const Value& value) {
  s.arguments.push_back(fmt::format("{}{}{}", Before, value.text, After));
  return {};
}
constexpr char kNothing[] = "", kSeconds[] = "s",
               kDepth[] = "--iodepth=", kSize[] = "--bs=", kRw[] = "--rw=", kMix[] = "--rwmixread=",
               kTime[] = "--runtime=", kRamp[] = "--ramp_time=", kZipf[] = "--random_distribution=zipf:",
               kReaped[] = "--iodepth_batch_complete_max=", kSync[] = "--sync=1", kEntries[] = "--nvme_queue_entries=",
               kUnused[] = "--nvme_unused_queues=", kAllowed[] = "--allow-destructive=";

template <const char* Before, const char* After = kNothing>
constexpr Row passed(options::Texts texts) {
  return special<pass<Before, After>>(texts, Type::text);
}

// As in SPDK, a number has only digits. A job's `1m` would become a millisecond, because `s` is appended.
template <const char* Before, const char* After>
Outcome pass_digits(Spdk& s, const Value& value) {
  if (value.text.empty() || value.text.find_first_not_of("0123456789") != std::string_view::npos)
    return wrong("not a whole number", "", "write digits alone: " + value.with("60"), value.text);
  return pass<Before, After>(s, value);
}
template <const char* Before, const char* After = kNothing>
constexpr Row passed_digits(options::Texts texts) {
  return special<pass_digits<Before, After>>(texts, Type::text);
}

Outcome read_pattern(Spdk& s, const Value& value) {
  int known = 0;
  if (auto problem = read_choice(value, known)) return problem;
  s.pattern = value.text;
  return pass<kRw, kNothing>(s, value);
}

Outcome read_mix(Spdk& s, const Value& value) {
  s.mix = value.text;
  return pass<kMix, kNothing>(s, value);
}

Problem wrong_mask(const Value& value) {
  return wrong("neither a mask nor a list of CPUs", "", "write `-c 0x3` or `-c [0,1]` for CPUs 0 and 1", value.text);
}

// "[0,2-3]", or a mask in hexadecimal with or without "0x": one thread per CPU.
Outcome read_cores(Spdk& s, const Value& value) {
  const auto text = value.text;
  const bool brackets = text.size() > 2 && text.front() == '[' && text.back() == ']';
  const auto inner = brackets ? text.substr(1, text.size() - 2) : text;
  const auto cores = brackets ? base::system::parse_cpu_list(inner) : base::system::parse_cpu_mask(inner);
  if (!cores.ok()) return wrong_mask(value);
  const auto cpus = cores.written();
  s.cores = cpus.size();
  s.arguments.push_back("--cpus_allowed=" + (brackets ? std::string(inner) : fmt::format("{}", fmt::join(cpus, ","))));
  s.arguments.emplace_back("--cpus_allowed_policy=split");
  return {};
}

// "trtype:PCIe traddr:0000:04:00.0 ns:1": words of key:value, keys in upper or lower case.
Outcome read_transport(Spdk& s, const Value& value) {
  std::string type = "pcie", address, nsid;
  for (std::string_view rest = value.text; !rest.empty();) {
    const auto word = rest.substr(0, rest.find_first_of(" \t"));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    const auto colon = word.find_first_of(":=");
    if (word.empty()) continue;
    if (colon == std::string_view::npos)
      return wrong(fmt::format("`{}` has no key", word), "", "write `-r 'trtype:PCIe traddr:0000:04:00.0'`", word);
    const std::string key = base::text::to_lower(word.substr(0, colon));
    const auto text = word.substr(colon + 1);
    if (key == "trtype")
      type = base::text::to_lower(text);
    else if (key == "traddr")
      address = text;
    else if (key == "ns")
      nsid = text;
    else
      s.notes.push_back(fmt::format("-r: `{}` has no effect here", word));
  }
  if (type == "soft") {
    s.devices.push_back(address.empty() ? "soft" : "soft:" + address);
  } else if (type == "pcie" || type == "vfiouser") {
    if (address.empty()) return wrong("traddr is missing", "", "", value.text);
    s.devices.push_back(type == "pcie" ? address : "vfio-user:" + address);
  } else {
    return wrong(fmt::format("trtype:{} is not built", type), "", "PCIe, VFIOUSER, or SOFT (fathom's own)", value.text);
  }
  if (!nsid.empty()) s.devices.back() += "/ns=" + nsid;
  return {};
}

// 0: all available completions, which is the default.
Outcome read_most_completions(Spdk& s, const Value& value) {
  std::uint64_t most = 0;
  if (auto problem = read_number(value, most)) return problem;
  return most == 0 ? Outcome() : pass<kReaped, kNothing>(s, value);
}

Outcome more_latency(Spdk& s, const Value&) { return ++s.latency, Outcome(); }

Outcome say_no_effect(Spdk& s, const Value& value) {
  s.notes.push_back(
      fmt::format("{}{}{}: {}", value.name(), value.text.empty() ? "" : " ", value.text, value.row.texts.help));
  return {};
}
constexpr Row no_effect(options::Texts texts) {
  texts.status = Status::ignored;
  return special<say_no_effect>(texts, texts.names.find('=') == std::string_view::npos ? Type::flag : Type::text);
}

constexpr Choice kPatterns[] = {{"read", 0, ""},      {"write", 0, ""}, {"randread", 0, ""},
                                {"randwrite", 0, ""}, {"rw", 0, ""},    {"randrw", 0, ""}};
constexpr Row kRows[] = {
    passed_digits<kDepth>({"io-depth q=DEPTH", "", "I/Os in flight on each device"}),
    passed<kSize>({"io-size o=BYTES", "", "size of an I/O"}),
    special<read_pattern>({"io-pattern w=PATTERN", "", ""}, Type::choice, 0, 0, 0, false, kPatterns),
    special<read_mix>({"rwmixread M=PERCENT", "", "share of reads, for rw and randrw"}, Type::text),
    passed_digits<kTime, kSeconds>({"time t=SECONDS", "", "run time"}),
    passed_digits<kRamp, kSeconds>({"warmup-time a=SECONDS", "", "warm-up time"}),
    special<read_cores>({"core-mask c=MASK", "", "CPUs, one thread each: 0x3 or [0,1]"}, Type::text),
    special<read_transport>(
        {"transport r=TRID", "", "a device: 'trtype:PCIe traddr:0000:04:00.0 [ns:1]', 'trtype:VFIOUSER traddr:FOLDER'"},
        Type::text),
    special<more_latency>({"enable-sw-latency-tracking L", "", "latency summary; twice: with the histogram"},
                          Type::flag),
    passed<kZipf>({"zipf F=THETA", "", "offsets by a Zipf distribution"}),
    count<&Spdk::pairs>({"num-qpairs P=NUMBER", "1", "queue pairs for each device and CPU"}, 1, 1024),
    count<&Spdk::ios>(
        {"number-ios d=NUMBER", "", "I/Os of each thread on each device; the run ends earlier if they are done"}, 1,
        kMaxU64 >> 1),
    special<read_most_completions>({"max-completion-per-poll C=NUMBER", "", "completions taken in one poll at most"},
                                   Type::count),
    passed<kSync>({"fua", "", "writes are on the medium when they complete"}),
    passed_digits<kEntries>({"io-queue-size=ENTRIES", "", "of a submission ring"}),
    flag<&Spdk::statistics>({"transport-stats", "", "doorbells and polls of each thread, after the table"}),
    passed_digits<kUnused>(
        {"num-unused-qpairs U=NUMBER", "", "additional unused queue pairs for each device and thread"}),
    no_effect({"enable-ssd-latency-tracking l", "", "no effect here, the latencies are the driver's: add -L"}),
    no_effect({"hugemem-size s=MIB", "", "no effect here, memory is allocated as needed"}),
    no_effect({"mem-single-seg g", "", "no effect here, memory is shared in separate chunks"}),
    no_effect({"shmem-grp-id i=ID", "", "no effect here, a controller belongs to one process"}),
    no_effect({"disable-sq-cmb D", "", "no effect here, the controller memory buffer is never used"}),
    no_effect({"no-huge", "", "no effect here, ordinary pages are used if no huge pages are free"}),
    passed<kAllowed>(
        {"allow-destructive=DEVICE", "", "fathom's own: needed for writes to a device that is not emulated"}),
};
constexpr Group kOptions[] = {{"", kRows}};
constexpr Manual kManual{
    .command = "spdk_nvme_perf",
    .usage = "-q DEPTH -o BYTES -w PATTERN -t SECONDS [options]",
    .about = "`fathom nvme perf` by the options of SPDK's tool, with its table. Not understood: its other options.\n",
    .groups = kOptions,
    .after = "`fathom nvme perf` has every option of a job by its name; --nvme_... may stand here too.\n",
    .grammar = Grammar::getopt};

base::Expected<void> check(const Spdk& s, const Given& given, const Arguments& devices) {
  if (!given.arguments.empty())
    return usage_error(fmt::format("`{}`: no option", given.arguments[0]), "", "`spdk_nvme_perf --help` lists them");
  if (devices.empty())
    return usage_error(
        "no device", "no -r names a device, and vfio-pci has no NVMe controller",
        "bind a controller with `fathom nvme bind`, or write -r 'trtype:SOFT' for the controller in software");
  if ((s.pattern == "rw" || s.pattern == "randrw") && s.mix.empty())
    return usage_error("-w " + s.pattern + ": the share of reads is missing", "", "write `-M 70`");
  return {};
}

}  // namespace

base::Expected<Arguments> read_spdk_command_line(std::span<const std::string> args,
                                                 const std::function<Arguments()>& here, Arguments& notes) {
  Spdk s;
  const auto is_drivers = [](const std::string& word) { return word.starts_with("--nvme_"); };
  Arguments own;
  std::remove_copy_if(args.begin(), args.end(), std::back_inserter(own), is_drivers);
  const auto given = read_command_line(kManual, own, Targets(s));
  if (!given) return given.error();
  const Arguments devices = s.devices.empty() ? here() : s.devices;
  if (auto ok = check(s, *given, devices); !ok) return given->placed(ok.error());
  Arguments out;
  for (const auto& device : devices) out.push_back("--device=" + device);
  out.insert(out.end(), s.arguments.begin(), s.arguments.end());
  std::copy_if(args.begin(), args.end(), std::back_inserter(out), is_drivers);
  if (s.cores * s.pairs > 1) out.push_back(fmt::format("--numjobs={}", s.cores * s.pairs));
  // With -d, the time is a limit, not the duration.
  if (s.ios != 0) out.insert(out.end(), {fmt::format("--number_ios={}", s.ios), "--time_based=0"});
  out.emplace_back("--group_reporting=0");
  out.push_back(fmt::format("--output-format={}{}",
                            s.latency == 0   ? "spdk"
                            : s.latency == 1 ? "spdk-l"
                                             : "spdk-ll",
                            s.statistics ? ",spdk-stats" : ""));
  notes = std::move(s.notes);
  return out;
}

const Manual& spdk_manual() { return kManual; }

}  // namespace fathom::job::spdk
