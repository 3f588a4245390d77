// Parses the text after `soft:`: words separated by commas, each `key=value` or a single word. There is one row per
// key. An error names the key, the reason and the permitted values.
#include "nvme/soft/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <span>

#include "base/nearest.h"
#include "base/text/parse.h"

namespace fathom::nvme::soft {
namespace {

using Done = base::Expected<void>;

base::Error usage(std::string what, std::string cause, std::string help) {
  return {base::ErrorKind::usage, "soft controller: " + std::move(what), std::move(cause), std::move(help), {}, 0};
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(base::text::trim(text.substr(0, end)));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

struct KeyValue {
  std::string_view key, value;
  explicit KeyValue(std::string_view word)
      : key(base::text::trim(word.substr(0, word.find('=')))),
        value(word.find('=') == std::string_view::npos ? "" : base::text::trim(word.substr(word.find('=') + 1))) {}
};

Done bad(const KeyValue& kv, std::string cause, std::string help) {
  return usage(fmt::format("{}={}", kv.key, kv.value), std::move(cause), std::move(help));
}

template <class T>
Done set_number(const KeyValue& kv, T& to, std::int64_t least, std::int64_t most) {
  const auto number = base::text::parse_int(kv.value);
  if (!number) return bad(kv, number.error().what, fmt::format("write a number from {} to {}", least, most));
  if (*number < least || *number > most)
    return bad(kv, "out of range", fmt::format("write a number from {} to {}", least, most));
  to = static_cast<T>(*number);
  return {};
}

Done set_time(const KeyValue& kv, std::string_view text, std::uint64_t& to_ns) {
  const auto ns = base::text::parse_duration_ns(text, 1);
  if (!ns) return bad(kv, ns.error().what, "write a time: 150ns, 80us, 1ms");
  to_ns = *ns;
  return {};
}

Done set_size(const KeyValue& kv, Options& o) {
  const auto bytes = base::text::parse_bytes(kv.value);
  if (!bytes) return bad(kv, bytes.error().what, "write a size: 256m, 1g");
  if (*bytes == 0 || *bytes % 4096 != 0) return bad(kv, "a namespace has whole pages of 4096 bytes", "size=1g");
  o.size_bytes = *bytes;
  return {};
}

Done set_block(const KeyValue& kv, Options& o) {
  const auto bytes = base::text::parse_bytes(kv.value);
  if (!bytes || (*bytes != 512 && *bytes != 4096))
    return bad(kv, "a block has 512 or 4096 bytes", "write bs=512 or bs=4096");
  o.block_bytes = static_cast<std::uint32_t>(*bytes);
  return {};
}

Done set_media(const KeyValue& kv, Options& o) {
  constexpr std::string_view kFile = "file:";
  if (kv.value == "ram") {
    o.media = Media::ram;
  } else if (kv.value == "ideal") {
    o.media = Media::ideal;
  } else if (kv.value.starts_with(kFile) && kv.value.size() > kFile.size()) {
    o.media = Media::file;
    o.file = kv.value.substr(kFile.size());
  } else {
    return bad(kv, "unknown medium", "write media=ram, media=file:PATH or media=ideal");
  }
  return {};
}

Done set_lognormal(const KeyValue& kv, std::span<const std::string_view> words, LatencyModel& model) {
  const auto sigma = words.size() == 3 ? base::text::parse_double(words[2]) : base::text::parse_double("");
  if (!sigma || *sigma < 0 || *sigma > 10)
    return bad(kv, "a median and a standard deviation of the logarithm (0 to 10)", "latency=lognormal:80us:0.3");
  model.kind = LatencyModel::Kind::lognormal;
  model.sigma = *sigma;
  return set_time(kv, words[1], model.fixed_ns);
}

Done set_table(const KeyValue& kv, std::string_view rows, LatencyModel& model) {
  constexpr auto kHelp = "write latency=table:0.5=80us;0.99=200us;1=1ms";
  double last = 0;
  for (const std::string_view text : split(rows, ';')) {
    const KeyValue row(text);
    const auto share = base::text::parse_double(row.key);
    if (!share || !(*share > last && *share <= 1)) return bad(kv, "the shares must rise from above 0 to 1", kHelp);
    std::uint64_t ns = 0;
    if (const Done done = set_time(kv, row.value, ns); !done) return done;
    last = *share;
    model.table.emplace_back(*share, ns);
  }
  if (last != 1) return bad(kv, "the last share must be 1", kHelp);
  model.kind = LatencyModel::Kind::table;
  return {};
}

Done set_latency(const KeyValue& kv, Options& o) {
  LatencyModel model;
  const auto words = split(kv.value, ':');
  Done done;
  if (words[0] == "fixed" && words.size() == 2) {
    model.kind = LatencyModel::Kind::fixed;
    done = set_time(kv, words[1], model.fixed_ns);
  } else if (words[0] == "lognormal" && words.size() >= 2) {
    done = set_lognormal(kv, words, model);
  } else if (words[0] == "table" && words.size() == 2) {
    done = set_table(kv, words[1], model);
  } else if (kv.value != "none") {
    return bad(kv, "unknown latency model",
               "write latency=none, fixed:80us, lognormal:80us:0.3 or table:0.5=80us;0.99=200us;1=1ms");
  }
  if (done) o.latency = model;
  return done;
}

struct FaultName {
  std::string_view name;
  FaultKind kind;
};
constexpr FaultName kFaults[] = {
    {"status", FaultKind::status},
    {"drop", FaultKind::drop},
    {"late", FaultKind::late},
    {"duplicate_cid", FaultKind::duplicate_cid},
    {"wrong_phase", FaultKind::wrong_phase},
    {"fatal", FaultKind::fatal},
    {"removal", FaultKind::removal},
    {"never_ready", FaultKind::never_ready},
    {"unmap_drops_next", FaultKind::unmap_drops_next},
};

Done set_fault_word(const KeyValue& whole, const KeyValue& kv, Fault& fault) {
  constexpr std::int64_t kMost = INT64_MAX;
  if (kv.key == "after") return set_number(kv, fault.after, 0, kMost);
  if (kv.key == "every") return set_number(kv, fault.every, 0, kMost);
  if (kv.key == "sc") return set_number(kv, fault.status, 1, 0x7fff);
  if (kv.key == "by") return set_time(kv, kv.value, fault.late_ns);
  return bad(whole, fmt::format("{} is not a parameter of a fault", kv.key),
             "use after=N, every=N, sc=0x281 or by=10us");
}

Done set_fault(const KeyValue& kv, Options& o) {
  const auto words = split(kv.value, ':');
  Fault fault;
  const auto row =
      std::find_if(std::begin(kFaults), std::end(kFaults), [&](const FaultName& f) { return f.name == words[0]; });
  if (row == std::end(kFaults)) {
    std::vector<std::string_view> names;
    for (const FaultName& f : kFaults) names.push_back(f.name);
    return bad(kv, "unknown fault",
               fmt::format("write one of {}, for example fault=status:after=100:sc=0x281", fmt::join(names, ", ")));
  }
  fault.kind = row->kind;
  for (const std::string_view word : std::span(words).subspan(1))
    if (const Done done = set_fault_word(kv, KeyValue(word), fault); !done) return done;
  o.faults.push_back(fault);
  return {};
}

struct Key {
  std::string_view name;
  Done (*set)(const KeyValue&, Options&);
  bool bare = false;  // a word without a value
};
constexpr Key kKeys[] = {
    {"id", [](const KeyValue& kv, Options& o) { return set_number(kv, o.id, 0, 99'999'999); }},
    {"size", set_size},
    {"bs", set_block},
    {"ns", [](const KeyValue& kv, Options& o) { return set_number(kv, o.namespaces, 1, 1024); }},
    {"media", set_media},
    {"ideal", [](const KeyValue&, Options& o) { return o.media = Media::ideal, Done(); }, true},
    {"mdts", [](const KeyValue& kv, Options& o) { return set_number(kv, o.mdts, 0, 16); }},
    {"entries", [](const KeyValue& kv, Options& o) { return set_number(kv, o.queue_entries_max, 2, 65536); }},
    {"queues", [](const KeyValue& kv, Options& o) { return set_number(kv, o.io_queues_max, 1, 1535); }},
    {"cqes", [](const KeyValue& kv, Options& o) { return set_number(kv, o.cqes, 4, 6); }},
    {"dstrd", [](const KeyValue& kv, Options& o) { return set_number(kv, o.doorbell_stride, 0, 8); }},
    {"latency", set_latency},
    {"fault", set_fault},
    {"doorbell", [](const KeyValue& kv, Options& o) { return set_time(kv, kv.value, o.doorbell_ns); }},
    {"step", [](const KeyValue&, Options& o) { return o.stepped = true, Done(); }, true},
    {"cpu", [](const KeyValue& kv, Options& o) { return set_number(kv, o.cpu, 0, 65535); }},
    {"seed", [](const KeyValue& kv, Options& o) { return set_number(kv, o.seed, 0, INT64_MAX); }},
};

base::Error unknown(std::string_view key) {
  std::vector<std::string_view> names;
  for (const Key& k : kKeys) names.push_back(k.name);
  return usage(fmt::format("{}: unknown key", key), fmt::format("the keys are {}", fmt::join(names, ", ")),
               base::did_you_mean(key, names, "write one of them"));
}

Done set_word(std::string_view word, Options& options) {
  const KeyValue kv(word);
  const auto key = std::find_if(std::begin(kKeys), std::end(kKeys), [&](const Key& k) { return k.name == kv.key; });
  if (key == std::end(kKeys)) return unknown(kv.key);
  const bool has_value = word.find('=') != std::string_view::npos;
  if (key->bare && has_value) return bad(kv, "the key takes no value", fmt::format("write `{}` alone", kv.key));
  if (!key->bare && !has_value)
    return usage(std::string(kv.key), "the key needs a value", fmt::format("write `{}=...`", kv.key));
  return key->set(kv, options);
}

}  // namespace

base::Expected<Options> parse_options(std::string_view text) {
  Options options;
  if (base::text::trim(text).empty()) return options;
  for (const std::string_view word : split(text, ','))
    if (const Done done = set_word(word, options); !done) return done.error();
  return options;
}

}  // namespace fathom::nvme::soft
