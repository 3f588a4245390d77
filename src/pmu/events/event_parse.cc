// From the list to single names: groups, events, modifiers. Commas inside slashes do not separate; braces enclose a
// group.
#include <linux/perf_event.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "base/nearest.h"
#include "base/text/parse.h"
#include "pmu/events/event_names.h"
#include "pmu/events/event_parse.h"

namespace fathom::pmu::events {
namespace {

using Events = base::Expected<std::vector<Event>>;

// One event as written, and its modifiers.
struct Item {
  std::string_view event, modifiers;
};

void exclude(Event& event) {
  const auto has = [&](char letter) { return event.modifiers.find(letter) != std::string::npos; };
  event.pinned |= has('D');
  if (!has('u') && !has('k') && !has('h')) return;
  event.exclude_user = !has('u');
  event.exclude_kernel = !has('k');
  event.exclude_hv = !has('h');
}

class Parser {
 public:
  Parser(std::string_view all, const EventSources& sources) : all_(all), sources_(sources) {}
  base::Expected<void> list(std::string_view text, int group, std::string_view group_modifiers);
  std::vector<Event> take() { return std::move(events_); }

 private:
  base::Expected<std::string_view> next(std::string_view& rest) const;
  base::Expected<void> group(std::string_view text);
  base::Expected<void> one(std::string_view text, int group, std::string_view group_modifiers);
  base::Expected<Item> split(std::string_view text) const;
  Events resolve(std::string_view event) const;
  Events generic(std::string_view event) const;
  Events of_any_pmu(std::string_view event) const;
  bool is_name(std::string_view text) const;
  std::vector<Event> on_each_kind(const Event& event) const;
  int group_of(const Event& event, int group, bool alone);
  base::Expected<void> add_modifiers(Event& event, std::string_view letters) const;
  base::Error wrong(std::string_view part, std::string what, std::string help) const {
    return mistake(all_, part, std::move(what), std::move(help));
  }

  std::string_view all_;
  const EventSources& sources_;
  std::vector<Event> events_;
  std::map<std::pair<int, std::string>, int> core_groups_;  // the group as written, PMU -> the group to open
  int groups_ = 0, mentions_ = 0;
};

// A group counts on one PMU. On a hybrid processor, the events of each kind of core form a separate group.
int Parser::group_of(const Event& event, int group, bool alone) {
  if (group < 0) return -1;
  const auto cores = sources_.kinds_of_core();
  if (std::none_of(cores.begin(), cores.end(), [&](const Source* core) { return core->name == event.pmu; }))
    return alone ? group : -1;
  const auto [at, is_new] = core_groups_.try_emplace({group, event.pmu}, groups_);
  groups_ += is_new;
  return at->second;
}

// Removes the first entry from a list: up to a comma outside slashes and braces.
base::Expected<std::string_view> Parser::next(std::string_view& rest) const {
  bool in_slashes = false, in_braces = false;
  std::size_t at = 0;
  for (; at < rest.size() && !(rest[at] == ',' && !in_slashes && !in_braces); ++at) {
    if (rest[at] == '/') in_slashes = !in_slashes;
    if (rest[at] == '{' && !in_slashes && in_braces)
      return wrong(rest.substr(at, 1), "a group inside a group", "write groups as {a,b},{c,d}");
    if (rest[at] == '{' && !in_slashes) in_braces = true;
    if (rest[at] == '}' && !in_slashes) in_braces = false;
  }
  const std::string_view entry = base::text::trim(rest.substr(0, at));
  if (in_slashes) return wrong(entry, "the closing `/` is missing", "write `pmu/event,term=value/`");
  if (in_braces) return wrong(entry, "the closing `}` is missing", "write groups as {a,b}");
  if (entry.empty()) return wrong(rest.substr(0, at), "an event is missing", "separate events with one comma");
  rest = at == rest.size() ? std::string_view() : rest.substr(at + 1);
  return entry;
}

base::Expected<void> Parser::list(std::string_view text, int group_number, std::string_view group_modifiers) {
  const bool comma_last = base::text::trim(text).ends_with(',');
  std::string_view rest = text;
  do {
    const auto entry = next(rest);
    if (!entry) return entry.error();
    auto done = entry->front() == '{' && group_number < 0 ? group(*entry) : one(*entry, group_number, group_modifiers);
    if (!done) return done;
  } while (!base::text::trim(rest).empty());
  if (comma_last)
    return wrong(text.substr(text.rfind(',')), "an event is missing", "omit the comma after the last event");
  return {};
}

// {a,b}:modifiers.
base::Expected<void> Parser::group(std::string_view text) {
  const std::size_t close = text.rfind('}');
  std::string_view modifiers = text.substr(close + 1);
  if (!modifiers.empty() && modifiers.front() == ':') modifiers.remove_prefix(1);
  const std::string_view inside = text.substr(1, close - 1);
  if (base::text::trim(inside).empty()) return wrong(text, "the group has no events", "write groups as {a,b}");
  return list(inside, groups_++, modifiers);
}

base::Expected<void> Parser::one(std::string_view text, int group_number, std::string_view group_modifiers) {
  const auto item = split(text);
  if (!item) return item.error();
  auto found = resolve(item->event);
  if (!found) return found.error();
  const std::string first = found->front().name;  // a tracepoint pattern gives many names, lanes give one
  bool is_first = true;
  for (auto& event : *found) {
    event.mention = is_first || event.name != first ? mentions_++ : mentions_ - 1;
    is_first = false;
    event.group = group_of(event, group_number, found->size() == 1);
    for (const auto letters : {item->modifiers, group_modifiers})
      if (auto done = add_modifiers(event, letters); !done) return done;
    exclude(event);
    events_.push_back(std::move(event));
  }
  return {};
}

// Splits the event from its modifiers: after the last slash, or after the colon that does not belong to a tracepoint.
base::Expected<Item> Parser::split(std::string_view text) const {
  const std::size_t slash = text.rfind('/');
  std::size_t colon = slash == std::string_view::npos ? text.find(':') : slash + 1;
  if (slash != std::string_view::npos) {
    std::string_view behind = text.substr(colon);
    if (!behind.empty() && behind.front() == ':') behind.remove_prefix(1);
    return Item{text.substr(0, colon), behind};
  }
  if (colon == std::string_view::npos) return Item{text, {}};
  if (!is_name(text.substr(0, colon))) colon = text.find(':', colon + 1);
  if (colon == std::string_view::npos) return Item{text, {}};
  return Item{text.substr(0, colon), text.substr(colon + 1)};
}

// A processor with one kind of core has the event once, a hybrid one once per kind.
std::vector<Event> Parser::on_each_kind(const Event& event) const {
  const auto cores = sources_.kinds_of_core();
  if (cores.empty() || event.type == PERF_TYPE_SOFTWARE) return {event};
  std::vector<Event> events;
  for (const Source* core : cores) {
    Event one = event;
    one.pmu = core->name;
    one.name = core->name + "/" + event.name + "/";
    one.cpus = core->cpumask;
    bind_to_kind(one, *core);
    events.push_back(std::move(one));
  }
  return events;
}

// A generic name of the kernel, or rNNN.
Events Parser::generic(std::string_view text) const {
  Event event;
  event.name = text;
  if (const auto known = generic_event(text)) {
    event.type = known->type;
    event.config[0] = known->config;
    event.pmu = known->pmu;
    event.scale = known->scale;
    event.unit = known->unit;
    return on_each_kind(event);
  }
  const std::string_view digits = text.substr(text.starts_with('r') ? 1 : 0);
  const auto [end, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), event.config[0], 16);
  if (text.starts_with('r') && !digits.empty() && ec == std::errc() && end == digits.data() + digits.size()) {
    event.type = PERF_TYPE_RAW;
    event.pmu = "raw";
    return on_each_kind(event);
  }
  return wrong(text, "no event `" + std::string(text) + "`", "");
}

bool Parser::is_name(std::string_view text) const {
  const auto has = [&](const Source& source) { return source.find(text) != nullptr; };
  return generic(text).ok() || std::any_of(sources_.all().begin(), sources_.all().end(), has);
}

// An event by its name only, for every PMU that has it. Instances of an uncore PMU are summed, kinds of core are not.
Events Parser::of_any_pmu(std::string_view text) const {
  const std::size_t kinds = sources_.kinds_of_core().size();
  std::vector<Event> events;
  std::optional<base::Error> first;
  for (const auto& source : sources_.all()) {
    if (source.find(text) == nullptr) continue;
    auto found = pmu_events(all_, text, source.name, text, sources_);
    if (!found && !first) first = found.error();
    if (!found) continue;
    for (auto& event : *found) {
      if (source.core && kinds > 0) event.name = source.name + "/" + event.name + "/";
      events.push_back(std::move(event));
    }
  }
  if (events.empty() && first) return *first;
  return events;
}

Events Parser::resolve(std::string_view text) const {
  const std::size_t slash = text.find('/');
  if (slash != std::string_view::npos)
    return pmu_events(all_, text, text.substr(0, slash), text.substr(slash + 1, text.rfind('/') - slash - 1), sources_);
  const std::size_t colon = text.find(':');
  if (colon != std::string_view::npos)
    return tracepoints(all_, text.substr(0, colon), text.substr(colon + 1), sources_.prefix());
  auto found = generic(text);
  if (found) return found;
  if (is_name(text)) return of_any_pmu(text);
  auto names = generic_names();
  for (const auto& source : sources_.all()) {
    for (const auto& event : source.events) names.push_back(source.name + "/" + event.name + "/");
    names.push_back(source.name + "//");
  }
  return wrong(text, found.error().what,
               base::did_you_mean(text, names, "`fathom pmu list` shows what can be counted here"));
}

// The letters of an event and of its group are one set, as in perf: {a:u}:k counts user and kernel.
base::Expected<void> Parser::add_modifiers(Event& event, std::string_view letters) const {
  const std::size_t unknown = letters.find_first_not_of("ukhD");
  if (unknown != std::string_view::npos)
    return wrong(letters.substr(unknown, 1), "no modifier `" + std::string(1, letters[unknown]) + "`",
                 "use u (user), k (kernel), h (hypervisor) or D (pinned); the others are for sampling or for guests");
  for (const char letter : letters)
    if (event.modifiers.find(letter) == std::string::npos) event.modifiers += letter;
  return {};
}

}  // namespace

void bind_to_kind(Event& event, const Source& core) {
  constexpr int kTypeShift = 32;
  if (event.type == PERF_TYPE_RAW)
    event.type = *core.type;
  else
    event.config[0] |= std::uint64_t{*core.type} << kTypeShift;
}

base::Error mistake(std::string_view all, std::string_view part, std::string what, std::string help) {
  base::Error error;
  error.what = std::move(what);
  error.help = std::move(help);
  const auto inside = std::clamp<std::ptrdiff_t>(part.data() - all.data(), 0, static_cast<std::ptrdiff_t>(all.size()));
  const auto length =
      std::clamp<std::size_t>(part.size(), 1, std::max<std::size_t>(1, all.size() - static_cast<std::size_t>(inside)));
  error.place =
      base::SourcePlace{"<event>", 1, static_cast<int>(inside) + 1, std::string(all), static_cast<int>(length)};
  return error;
}

base::Expected<std::vector<Event>> parse_events(std::string_view text, const EventSources& sources) {
  Parser parser(text, sources);
  auto done = parser.list(text, -1, {});
  if (!done) return done.error();
  return parser.take();
}

}  // namespace fathom::pmu::events
