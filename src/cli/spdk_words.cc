// The options of spdk_nvme_perf, a row each, by their short and their long names, so that a script that calls it under
// that name can call this program. What differs is said: a controller without `ns:` means its first namespace, not all
// of them, and latencies are those of `fathom run`. What has no meaning here is taken and said to have none; what would
// change what is measured and is not built is refused.
#include <fmt/format.h>

#include <algorithm>

#include "base/cpu_list.h"
#include "base/nearest.h"
#include "base/parse.h"
#include "cli/nvme_flags.h"
#include "cli/nvme_perf_words.h"

namespace fathom::cli {
namespace {

struct Spdk {
  Words words, devices, notes;
  std::string pattern, mix;
  unsigned latency = 0;  // -L, -LL
  bool statistics = false;
  std::int64_t ios = 0;  // -d: of each thread on each namespace; 0: not bounded
  std::int64_t cores = 1, pairs = 1;
};

using Outcome = base::Expected<void>;

std::string lower(std::string_view text) { return base::to_lower(text); }

Outcome pass(Spdk& s, std::string_view option, std::string_view value) {
  s.words.push_back(fmt::format("--{}={}", option, value));
  return {};
}

Outcome read_pattern(Spdk& s, std::string_view value) {
  constexpr std::string_view kPatterns[] = {"read", "write", "randread", "randwrite", "rw", "randrw"};
  if (std::find(std::begin(kPatterns), std::end(kPatterns), value) == std::end(kPatterns))
    return usage_error(fmt::format("-w {}: no such pattern", value), "",
                       "one of: read, write, randread, randwrite, rw, randrw");
  s.pattern = value;
  return pass(s, "rw", value);
}

Outcome read_mix(Spdk& s, std::string_view value) {
  s.mix = value;
  return pass(s, "rwmixread", value);
}

base::Error wrong_mask(std::string_view value) {
  return usage_error(fmt::format("-c {}: neither a mask nor a list of CPUs", value), "",
                     "write `-c 0x3` or `-c [0,1]` for CPUs 0 and 1");
}

// "[0,2-3]" or a mask in hexadecimal, "0x" or not: one thread a CPU.
Outcome read_cores(Spdk& s, std::string_view value) {
  const bool brackets = value.size() > 2 && value.front() == '[' && value.back() == ']';
  if (brackets) value = value.substr(1, value.size() - 2);
  const auto cores = brackets ? base::parse_cpu_list(value) : base::parse_cpu_mask(value);
  if (!cores.ok()) return wrong_mask(brackets ? fmt::format("[{}]", value) : std::string(value));
  const auto cpus = cores.written();
  s.cores = static_cast<std::int64_t>(cpus.size());
  s.words.push_back("--cpus_allowed=" + (brackets ? std::string(value) : fmt::format("{}", fmt::join(cpus, ","))));
  return pass(s, "cpus_allowed_policy", "split");
}

// "trtype:PCIe traddr:0000:04:00.0 ns:1": words of key:value, keys in any case.
Outcome read_transport(Spdk& s, std::string_view value) {
  std::string type = "pcie", address, nsid;
  for (std::string_view rest = value; !rest.empty();) {
    const auto word = rest.substr(0, rest.find_first_of(" \t"));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    const auto colon = word.find_first_of(":=");
    if (word.empty()) continue;
    if (colon == std::string_view::npos)
      return usage_error(fmt::format("-r: `{}` has no key", word), "", "write `-r 'trtype:PCIe traddr:0000:04:00.0'`");
    const std::string key = lower(word.substr(0, colon));
    const auto text = word.substr(colon + 1);
    if (key == "trtype")
      type = lower(text);
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
    if (address.empty()) return usage_error(fmt::format("-r {}: traddr is missing", value), "", "");
    s.devices.push_back(type == "pcie" ? address : "vfio-user:" + address);
  } else {
    return usage_error(fmt::format("-r: trtype:{} is not built", type), "", "PCIe, VFIOUSER, or SOFT (fathom's own)");
  }
  if (!nsid.empty()) s.devices.back() += "/ns=" + nsid;
  return {};
}

Outcome read_pairs(Spdk& s, std::string_view value) {
  const auto pairs = base::parse_int(value);
  if (!pairs || *pairs < 1 || *pairs > 1024)
    return usage_error(fmt::format("-P {}: not a number of queue pairs", value), "", "");
  s.pairs = *pairs;
  return {};
}

Outcome read_ios(Spdk& s, std::string_view value) {
  const auto ios = base::parse_int(value);
  if (!ios || *ios < 1)
    return usage_error(fmt::format("-d {}: not a number of I/Os", value), "",
                       value.ends_with('%') ? "a share of the namespace is not built: write how many I/Os" : "");
  s.ios = *ios;
  return {};
}

// 0: all that are there, which is what happens anyway.
Outcome read_most_completions(Spdk& s, std::string_view value) {
  const auto most = base::parse_int(value);
  if (!most || *most < 0) return usage_error(fmt::format("-C {}: not a number of completions", value), "", "");
  return *most == 0 ? Outcome() : pass(s, "iodepth_batch_complete_max", value);
}

struct Row {
  char letter;                 // 0: it has only a long name
  std::string_view long_name;  // empty: only a letter
  std::string_view value;      // in the help; empty: it takes none
  std::string_view help;
  Outcome (*read)(Spdk&, std::string_view value);  // null: no effect here, for the reason that the help gives
};
constexpr Row kRows[] = {
    {'q', "io-depth", "DEPTH", "I/Os in flight on each device",
     [](Spdk& s, std::string_view v) { return pass(s, "iodepth", v); }},
    {'o', "io-size", "BYTES", "size of an I/O", [](Spdk& s, std::string_view v) { return pass(s, "bs", v); }},
    {'w', "io-pattern", "PATTERN", "read, write, randread, randwrite, rw, randrw", read_pattern},
    {'M', "rwmixread", "PERCENT", "share of reads, for rw and randrw", read_mix},
    {'t', "time", "SECONDS", "run time",
     [](Spdk& s, std::string_view v) { return pass(s, "runtime", std::string(v) + "s"); }},
    {'a', "warmup-time", "SECONDS", "warm-up time",
     [](Spdk& s, std::string_view v) { return pass(s, "ramp_time", std::string(v) + "s"); }},
    {'c', "core-mask", "MASK", "CPUs, one thread each: 0x3 or [0,1]", read_cores},
    {'r', "transport", "TRID", "a device: 'trtype:PCIe traddr:0000:04:00.0 [ns:1]', 'trtype:VFIOUSER traddr:FOLDER'",
     read_transport},
    {'L', "enable-sw-latency-tracking", "", "latency summary; twice: with the histogram",
     [](Spdk& s, std::string_view) { return ++s.latency, Outcome(); }},
    {'F', "zipf", "THETA", "offsets by a Zipf distribution",
     [](Spdk& s, std::string_view v) { return pass(s, "random_distribution", "zipf:" + std::string(v)); }},
    {'P', "num-qpairs", "NUMBER", "queue pairs for each device and CPU", read_pairs},
    {'d', "number-ios", "NUMBER", "I/Os of each thread on each device, where they are done before the time is over",
     read_ios},
    {'C', "max-completion-per-poll", "NUMBER", "completions taken in one poll at most", read_most_completions},
    {0, "fua", "", "writes are on the medium when they complete",
     [](Spdk& s, std::string_view) { return pass(s, "sync", "1"); }},
    {0, "io-queue-size", "ENTRIES", "of a submission ring",
     [](Spdk& s, std::string_view v) { return pass(s, "nvme_queue_entries", v); }},
    {0, "transport-stats", "", "doorbells and polls of each device, after the table",
     [](Spdk& s, std::string_view) { return s.statistics = true, Outcome(); }},
    {'U', "num-unused-qpairs", "NUMBER", "queue pairs made besides for each device and thread, never used",
     [](Spdk& s, std::string_view v) { return pass(s, "nvme_unused_queues", v); }},
    {'l', "enable-ssd-latency-tracking", "", "no effect here, the latencies are the driver's: add -L", nullptr},
    {'s', "hugemem-size", "MIB", "no effect here, memory is taken as needed", nullptr},
    {'g', "mem-single-seg", "", "no effect here, memory is shared in chunks of its own", nullptr},
    {'i', "shmem-grp-id", "ID", "no effect here, a controller belongs to one process", nullptr},
    {'D', "disable-sq-cmb", "", "no effect here, the controller memory buffer is never used", nullptr},
    {0, "no-huge", "", "no effect here, ordinary pages are taken where no huge ones are free", nullptr},
};

std::string name_of(const Row& row) {
  return row.letter != 0 ? fmt::format("-{}", row.letter) : fmt::format("--{}", row.long_name);
}

base::Error unknown_form(std::string_view word) {
  std::string names;
  for (const auto& row : kRows) names += " " + name_of(row);
  std::vector<std::string_view> long_names;
  for (const auto& row : kRows) long_names.push_back(row.long_name);
  const auto bare = word.substr(0, word.find('='));
  const std::string other = "`fathom nvme perf` has every option of a job by its name";
  return usage_error(
      fmt::format("`{}`: not understood under this name", word),
      "called as spdk_nvme_perf, these of its options are understood:" + names + ", and the long names of the letters",
      bare.starts_with("--") ? base::did_you_mean(bare.substr(2), long_names, other) : other);
}

// An option as it was written.
struct Written {
  const Row* row = nullptr;
  std::string value;
  bool has_value = false;
  unsigned times = 1;  // -LL
};

// "-q32", "-LL", "--io-depth=32", "--io-depth" and "-q" with the value to come.
Written take_apart(const std::string& word) {
  Written w;
  const bool is_long = word.starts_with("--");
  const auto equals = word.find('=');
  const auto is_it = [&](const Row& r) {
    if (is_long) return r.long_name == std::string_view(word).substr(2, equals == word.npos ? equals : equals - 2);
    return r.letter != 0 && word.size() > 1 && word[0] == '-' && word[1] == r.letter;
  };
  const auto row = std::find_if(std::begin(kRows), std::end(kRows), is_it);
  if (row == std::end(kRows)) return w;
  w.value = !is_long ? word.substr(2) : equals == word.npos ? "" : word.substr(equals + 1);
  w.has_value = is_long ? equals != word.npos : !w.value.empty();
  if (row->value.empty() && w.has_value) {
    if (is_long || w.value.find_first_not_of(row->letter) != word.npos) return w;
    w.times += static_cast<unsigned>(w.value.size());
  }
  w.row = row;
  return w;
}

Outcome obey(Spdk& s, const Written& w) {
  if (w.row->read == nullptr) {
    const std::string value = w.row->value.empty() ? "" : " " + w.value;
    s.notes.push_back(fmt::format("{}{}: {}", name_of(*w.row), value, w.row->help));
    return {};
  }
  for (unsigned i = 0; i < w.times; ++i)
    if (auto ok = w.row->read(s, w.value); !ok) return ok;
  return {};
}

Outcome read_words(Spdk& s, std::span<const std::string> args) {
  for (std::size_t at = 0; at < args.size(); ++at) {
    const std::string& word = args[at];
    if (word == "--allow-destructive" && at + 1 < args.size()) {
      s.words.push_back(word + "=" + args[++at]);
      continue;
    }
    if (word.starts_with("--allow-destructive=") || word.starts_with("--nvme_")) {
      s.words.push_back(word);
      continue;
    }
    Written w = take_apart(word);
    if (w.row == nullptr) return unknown_form(word);
    if (!w.row->value.empty() && !w.has_value) {
      if (at + 1 == args.size())
        return usage_error(word + ": a value is missing", "", fmt::format("write `{} {}`", word, w.row->value));
      w.value = args[++at];
    }
    if (auto ok = obey(s, w); !ok) return ok;
  }
  return {};
}

Outcome check(const Spdk& s, const Words& devices) {
  if (devices.empty())
    return usage_error("no device", "no -r names one, and vfio-pci has no NVMe controller",
                       "bind one with `fathom nvme bind`, or write -r 'trtype:SOFT' for the controller in software");
  if ((s.pattern == "rw" || s.pattern == "randrw") && s.mix.empty())
    return usage_error("-w " + s.pattern + ": the share of reads is missing", "", "write `-M 70`");
  return {};
}

}  // namespace

base::Expected<Words> spdk_words(std::span<const std::string> args, const std::function<Words()>& here, Words& notes) {
  Spdk s;
  if (auto ok = read_words(s, args); !ok) return ok.error();
  const Words devices = s.devices.empty() ? here() : s.devices;
  if (auto ok = check(s, devices); !ok) return ok.error();
  Words out;
  for (const auto& device : devices) out.push_back("--device=" + device);
  out.insert(out.end(), s.words.begin(), s.words.end());
  if (s.cores * s.pairs > 1) out.push_back(fmt::format("--numjobs={}", s.cores * s.pairs));
  // The time is then a bound and not the length.
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

std::string spdk_help() {
  std::string out =
      "usage: spdk_nvme_perf -q DEPTH -o BYTES -w PATTERN -t SECONDS [options]\n\n"
      "`fathom nvme perf` by the options of SPDK's tool, with its table. Not understood: its other options.\n\n";
  for (const auto& row : kRows) {
    const std::string letter = row.letter != 0 ? fmt::format("-{}, ", row.letter) : std::string("    ");
    const std::string name = fmt::format("{}--{} {}", letter, row.long_name, row.value);
    out += fmt::format("  {:<36} {}\n", name, row.help);
  }
  return out + "\nAlso --allow-destructive=DEVICE, without which nothing is written to a device that is not soft.\n";
}

}  // namespace fathom::cli
