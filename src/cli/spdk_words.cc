// The short forms of spdk_nvme_perf, a row each, so that a script that calls it under that name can call this program.
// What differs is said: a controller without `ns:` means its first namespace, not all of them, and latencies are those
// of `fathom run`.
#include <fmt/format.h>

#include <algorithm>

#include "base/parse.h"
#include "cli/nvme_flags.h"
#include "cli/nvme_perf_words.h"

namespace fathom::cli {
namespace {

struct Spdk {
  Words words, devices, notes;
  std::string pattern, mix;
  unsigned latency = 0;  // -L, -LL
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
  std::string list;
  s.cores = 0;
  if (value.size() > 2 && value.front() == '[' && value.back() == ']') {
    list = value.substr(1, value.size() - 2);
    for (std::string_view rest = list; !rest.empty();) {
      const auto part = rest.substr(0, rest.find(','));
      const auto dash = part.find('-');
      const auto low = base::parse_int(part.substr(0, dash));
      const auto high = dash == std::string_view::npos ? low : base::parse_int(part.substr(dash + 1));
      if (!low || !high || *low < 0 || *high < *low || *high > 0xffff) return wrong_mask(value);
      s.cores += *high - *low + 1;
      rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    }
  } else {
    const std::string digits = value.starts_with("0x") ? std::string(value) : "0x" + std::string(value);
    const auto mask = base::parse_int(digits);
    if (!mask || *mask <= 0) return wrong_mask(value);
    for (unsigned cpu = 0; cpu < 63; ++cpu) {
      if ((*mask >> cpu & 1) == 0) continue;
      list += (list.empty() ? "" : ",") + std::to_string(cpu);
      ++s.cores;
    }
  }
  s.words.push_back("--cpus_allowed=" + list);
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

struct Row {
  char letter;
  std::string_view value;  // in the help; empty: it takes none
  std::string_view help;
  Outcome (*read)(Spdk&, std::string_view value);
};
constexpr Row kRows[] = {
    {'q', "DEPTH", "I/Os in flight on each device", [](Spdk& s, std::string_view v) { return pass(s, "iodepth", v); }},
    {'o', "BYTES", "size of an I/O", [](Spdk& s, std::string_view v) { return pass(s, "bs", v); }},
    {'w', "PATTERN", "read, write, randread, randwrite, rw, randrw", read_pattern},
    {'M', "PERCENT", "share of reads, for rw and randrw", read_mix},
    {'t', "SECONDS", "run time", [](Spdk& s, std::string_view v) { return pass(s, "runtime", std::string(v) + "s"); }},
    {'a', "SECONDS", "warm-up time",
     [](Spdk& s, std::string_view v) { return pass(s, "ramp_time", std::string(v) + "s"); }},
    {'c', "MASK", "CPUs, one thread each: 0x3 or [0,1]", read_cores},
    {'r', "TRID", "a device: 'trtype:PCIe traddr:0000:04:00.0 [ns:1]', 'trtype:VFIOUSER traddr:FOLDER'",
     read_transport},
    {'L', "", "latency summary; twice: with the histogram",
     [](Spdk& s, std::string_view) { return ++s.latency, Outcome(); }},
    {'F', "THETA", "offsets by a Zipf distribution",
     [](Spdk& s, std::string_view v) { return pass(s, "random_distribution", "zipf:" + std::string(v)); }},
    {'P', "NUMBER", "queue pairs for each device and CPU", read_pairs},
    {'s', "MIB", "memory of SPDK's pool: no effect here, memory is taken as needed",
     [](Spdk& s, std::string_view v) {
       return s.notes.push_back(fmt::format("-s {}: no effect here, memory is taken as needed", v)), Outcome();
     }},
};

base::Error unknown_form(std::string_view word) {
  std::string letters;
  for (const auto& row : kRows) letters += fmt::format(" -{}", row.letter);
  return usage_error(fmt::format("`{}`: not understood under this name", word),
                     "called as spdk_nvme_perf, these of its forms are understood:" + letters,
                     "`fathom nvme perf` has every option of a job by its name");
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
    const auto row = std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& r) {
      return word.size() > 1 && word[0] == '-' && word[1] == r.letter;
    });
    if (row == std::end(kRows)) return unknown_form(word);
    std::string value = word.substr(2);
    if (row->value.empty() && value.find_first_not_of(row->letter) != std::string::npos) return unknown_form(word);
    if (!row->value.empty() && value.empty()) {
      if (at + 1 == args.size())
        return usage_error(word + ": a value is missing", "", fmt::format("write `{} {}`", word, row->value));
      value = args[++at];
    }
    const std::size_t times = row->value.empty() ? value.size() + 1 : 1;
    for (std::size_t i = 0; i < times; ++i)
      if (auto ok = row->read(s, value); !ok) return ok;
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
  out.emplace_back("--group_reporting=0");
  out.push_back(fmt::format("--output-format={}", s.latency == 0 ? "spdk" : s.latency == 1 ? "spdk-l" : "spdk-ll"));
  notes = std::move(s.notes);
  return out;
}

std::string spdk_help() {
  std::string out =
      "usage: spdk_nvme_perf -q DEPTH -o BYTES -w PATTERN -t SECONDS [options]\n\n"
      "`fathom nvme perf` by the short forms of SPDK's tool, with its table. Not understood: its other options.\n\n";
  for (const auto& row : kRows) out += fmt::format("  -{} {:<8} {}\n", row.letter, row.value, row.help);
  return out + "\nAlso --allow-destructive=DEVICE, without which nothing is written to a device that is not soft.\n";
}

}  // namespace fathom::cli
