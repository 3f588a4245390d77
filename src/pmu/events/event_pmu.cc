// pmu/terms/: selects the PMUs, then sets the bits of each term. An alias is applied first, so that terms written by
// the user override it.
#include <fmt/format.h>
#include <fnmatch.h>
#include <linux/perf_event.h>

#include <algorithm>
#include <optional>

#include "base/nearest.h"
#include "pmu/events/event_names.h"
#include "pmu/events/event_parse.h"
#include "pmu/events/format.h"

namespace fathom::pmu::events {
namespace {

constexpr std::string_view kSampling[] = {"period",     "freq",       "branch_type", "time",
                                          "call-graph", "stack-size", "overwrite"};

bool is_one_of(std::string_view name, std::span<const std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

constexpr std::string_view kUncore = "uncore_";  // perf omits it: imc is uncore_imc

// An instance of a PMU is NAME_<decimal> or NAME_<more than two hexadecimal digits>: cpum_cf is no instance of `cpum`.
// Source: the kernel's ABI, sysfs-bus-event_source-devices.
bool is_instance(std::string_view name, std::string_view of) {
  if (!name.starts_with(of) || name.size() < of.size() + 2 || name[of.size()] != '_') return false;
  const std::string_view number = name.substr(of.size() + 1);
  if (number.find_first_not_of("0123456789") == std::string_view::npos) return true;
  return number.size() > 2 && number.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

bool fits(const std::string& pattern, std::string name) {
  if (name.empty()) return false;
  if (name.starts_with(kUncore) && !pattern.starts_with(kUncore)) name.erase(0, kUncore.size());
  if (pattern.find_first_of("*?[") != std::string::npos) return ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
  return name == pattern || is_instance(name, pattern);
}

// A PMU of cores needs its whole name: armv8_cortex_a53 is no instance of armv8_cortex.
bool is_meant(const std::string& pattern, const Source& source) {
  const bool wild = pattern.find_first_of("*?[") != std::string::npos;
  return (wild || !source.core) && (fits(pattern, source.name) || fits(pattern, source.alias));
}

std::vector<const Source*> meant(const std::string& pattern, const EventSources& sources) {
  if (const Source* exact = sources.find(pattern)) return {exact};
  std::vector<const Source*> found;
  for (const auto& source : sources.all())
    if (is_meant(pattern, source)) found.push_back(&source);
  return found;
}

// The terms of one event for one PMU.
class Terms {
 public:
  Terms(std::string_view all, const Source& source, bool hybrid) : all_(all), source_(source), hybrid_(hybrid) {}
  base::Expected<void> read(std::string_view text);
  std::vector<Event> expand(Event event, const std::string& prefix) const;

 private:
  base::Expected<void> apply_alias(const Term& term);
  base::Expected<void> apply(const Term& term);
  base::Expected<void> apply_name(const Term& term);
  bool apply_generic(const Term& term);
  base::Expected<void> apply_star(const Term& term, const Format& format);
  base::Expected<std::uint64_t> number(const Term& term) const;
  std::optional<Format> format_of(std::string_view name) const;
  base::Error unknown(const Term& term) const;
  base::Error wrong(std::string_view part, std::string what, std::string help) const {
    return mistake(all_, part, std::move(what), std::move(help));
  }

  std::string_view all_;
  const Source& source_;
  bool hybrid_;
  std::optional<GenericEvent> generic_;
  const NamedEvent* alias_ = nullptr;
  std::string shown_as_;
  std::string star_;                 // the term with all its values
  std::vector<std::string> wanted_;  // terms that the alias leaves to the user
  std::uint64_t config_[kConfigWords] = {};
};

// The bits of a term; config, config1, ... are whole words.
std::optional<Format> Terms::format_of(std::string_view name) const {
  if (const auto found = source_.formats.find(std::string(name)); found != source_.formats.end()) return found->second;
  return parse_format(std::string(name) + ":0-63");
}

base::Error Terms::unknown(const Term& term) const {
  std::vector<std::string> names;
  for (const auto& event : source_.events) names.push_back(event.name);
  for (const auto& [name, format] : source_.formats) names.push_back(name);
  const std::string list = fmt::format("`fathom pmu list -v` shows the events and terms of {}", source_.name);
  return wrong(term.name, fmt::format("{} has no event or term `{}`", source_.name, term.name),
               base::did_you_mean(term.name, names, list));
}

base::Expected<std::uint64_t> Terms::number(const Term& term) const {
  if (term.value.empty()) return std::uint64_t{1};
  if (const auto value = parse_number(term.value)) return *value;
  return wrong(term.value, fmt::format("{}={}: not a number", term.name, term.value), "write 31 or 0x1f");
}

base::Expected<void> Terms::apply_name(const Term& term) {
  if (!term.value.empty()) shown_as_ = term.value;
  return {};
}

// Applies the driver's own text, and notes the terms that it leaves open.
base::Expected<void> Terms::apply_alias(const Term& term) {
  if (alias_ != nullptr)
    return wrong(term.name, "two events between one pair of slashes", "write each event with its PMU: a/x/,a/y/");
  alias_ = source_.find(term.name);
  for (const auto& part : split_terms(alias_->terms)) {
    const auto format = format_of(part.name);
    const auto value = part.value.empty() ? std::optional<std::uint64_t>(1) : parse_number(part.value);
    if (format && part.value == "?")
      wanted_.emplace_back(part.name);
    else if (!format || !value || !place_bits(*format, *value, config_))
      return wrong(term.name,
                   fmt::format("{}: the driver describes `{}` as `{}`, which does not fit the driver's formats",
                               source_.name, alias_->name, alias_->terms),
                   "write the terms yourself");
  }
  return {};
}

base::Expected<void> Terms::apply(const Term& term) {
  if (term.name.empty()) return wrong(term.name, "a term is missing", "separate terms with one comma");
  if (term.name == "name") return apply_name(term);
  if (is_one_of(term.name, kSampling))
    return wrong(term.name, fmt::format("`{}` is for sampling", term.name), "`fathom pmu stat` only counts");
  const auto format = format_of(term.name);
  if (!format && apply_generic(term)) return {};
  if (!format) return unknown(term);
  wanted_.erase(std::remove(wanted_.begin(), wanted_.end(), term.name), wanted_.end());
  if (term.value == "*") return apply_star(term, *format);
  const auto value = number(term);
  if (!value) return value.error();
  if (!place_bits(*format, *value, config_))
    return wrong(term.value, fmt::format("{}={}: the term has {} bits", term.name, term.value, format->bits()),
                 fmt::format("write at most {:#x}", (std::uint64_t{1} << format->bits()) - 1));
  return {};
}

// A generic name for a PMU of cores, as perf shows it: cpu_core/cycles/, cpu/cycles/.
bool Terms::apply_generic(const Term& term) {
  const bool of_cores = source_.core || source_.name == "cpu";
  const auto generic = of_cores && term.value.empty() && !generic_ ? generic_event(term.name) : std::nullopt;
  if (!generic || generic->type == PERF_TYPE_SOFTWARE) return false;
  generic_ = generic;
  return true;
}

// A term with all its values: only one, and only a small one.
base::Expected<void> Terms::apply_star(const Term& term, const Format& format) {
  if (!star_.empty() || format.bits() > 8)
    return wrong(term.value, fmt::format("{}=*: only one term of at most 8 bits can have all values", term.name),
                 "write lane=* for the sum of a port's lanes");
  star_ = term.name;
  return {};
}

base::Expected<void> Terms::read(std::string_view text) {
  if (!source_.type)
    return wrong(text, fmt::format("the PMU {} has no readable type, so its events cannot be opened", source_.name),
                 "the driver did not start completely: look in `dmesg` for the cause");
  const auto terms = split_terms(text);
  if (terms.size() == 1 && terms[0].name.empty()) return {};
  const auto is_alias = [&](const Term& t) { return t.value.empty() && source_.find(t.name) != nullptr; };
  for (const auto& term : terms)
    if (is_alias(term))
      if (auto done = apply_alias(term); !done) return done;
  for (const auto& term : terms)
    if (!is_alias(term))
      if (auto done = apply(term); !done) return done;
  if (wanted_.empty()) return {};
  const bool lane = wanted_[0] == "lane";
  return wrong(text, fmt::format("`{}` needs a value for `{}`", alias_->name, wanted_[0]),
               fmt::format("write {}/{},{}=0/{}", source_.name, alias_->name, wanted_[0],
                           lane ? ", or lane=* for the sum of all lanes" : ""));
}

std::vector<Event> Terms::expand(Event event, const std::string& prefix) const {
  event.pmu = source_.name;
  event.type = *source_.type;
  event.cpus = source_.cpumask;
  event.reach = source_.has_cpumask ? Reach::system : Reach::task;
  if (alias_ != nullptr) event.alias = alias_->name, event.scale = alias_->scale, event.unit = alias_->unit;
  if (!shown_as_.empty()) event.name = shown_as_;
  std::copy(std::begin(config_), std::end(config_), event.config);
  if (generic_) {
    event.type = generic_->type;
    event.config[0] |= generic_->config;
    if (hybrid_) bind_to_kind(event, source_);
  }
  if (star_.empty()) return {event};
  const Format format = *format_of(star_);
  const unsigned room = 1u << format.bits();
  const unsigned values = star_ == "lane" ? std::min(lanes_of(source_.name, prefix), room) : room;
  std::vector<Event> events;
  for (unsigned value = 0; value < values; ++value) {
    place_bits(format, value, event.config);
    event.lane = static_cast<int>(value);
    events.push_back(event);
  }
  return events;
}

base::Error no_such_pmu(std::string_view all, std::string_view pmu, const EventSources& sources) {
  std::vector<std::string> names;
  for (const auto& source : sources.all()) names.push_back(source.name);
  return mistake(all, pmu, fmt::format("no PMU `{}` on this machine", pmu),
                 base::did_you_mean(pmu, names, "`fathom pmu list` shows them"));
}

}  // namespace

base::Expected<std::vector<Event>> pmu_events(std::string_view all, std::string_view written, std::string_view pmu,
                                              std::string_view terms, const EventSources& sources) {
  const auto pmus = meant(std::string(pmu), sources);
  if (pmus.empty()) return no_such_pmu(all, pmu, sources);
  Event event;
  event.name = written;
  std::vector<Event> events;
  std::optional<base::Error> first;
  for (const Source* source : pmus) {
    Terms of_one(all, *source, source->core && !sources.kinds_of_core().empty());
    const auto done = of_one.read(terms);
    if (!done && !first) first = done.error();
    if (!done) continue;
    for (auto& one : of_one.expand(event, sources.prefix())) events.push_back(std::move(one));
  }
  if (events.empty()) return *first;
  return events;
}

}  // namespace fathom::pmu::events
