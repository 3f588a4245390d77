// Follows fio's rules. A [global] applies to the jobs after it. A job that waits (stonewall) or has new_group begins a
// new group. Copies of a job are in its group and do not wait for each other. kb_base applies to the whole section.
#include "job/builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "base/prng.h"
#include "base/text/parse.h"
#include "job/command.h"
#include "job/fields/verify.h"
#include "job/option.h"
#include "job/resolve.h"
#include "job/resolve_control.h"
#include "job/switches.h"
#include "job/values/engine_name.h"
#include "job/values/neutral.h"
#include "options/expression.h"

namespace fathom::job {
namespace {

// ${ENV} and $pagesize, $mb_memory, $ncpus in option values.

struct Substituted {
  std::string text;
  bool keyword = false;  // a $keyword was replaced: arithmetic needs no parentheses
};

// An unset environment variable becomes empty. $jobname, $jobnum and $filenum stay, because they are known only later.
Substituted substitute(std::string_view value, const Environment& env);

std::string keyword_value(std::string_view text, const Environment& env, std::size_t& length) {
  const struct {
    std::string_view name;
    std::uint64_t value;
  } keywords[] = {{"$pagesize", env.page_bytes}, {"$mb_memory", env.memory_mib}, {"$ncpus", env.ncpus}};
  for (const auto& k : keywords)
    if (text.substr(0, k.name.size()) == k.name) {
      length = k.name.size();
      return std::to_string(k.value);
    }
  return {};
}

Substituted substitute(std::string_view value, const Environment& env) {
  Substituted out;
  for (std::size_t i = 0; i < value.size();) {
    std::size_t length = 0;
    const auto rest = value.substr(i);
    const std::size_t close = rest.substr(0, 2) == "${" ? rest.find('}') : std::string_view::npos;
    if (close != std::string_view::npos) {
      if (env.getenv) out.text += env.getenv(std::string(rest.substr(2, close - 2))).value_or("");
      i += close + 1;
    } else if (rest.front() == '$' && !keyword_value(rest, env, length).empty()) {
      out.text += keyword_value(rest, env, length);
      out.keyword = true;
      i += length;
    } else {
      out.text += rest.front();
      ++i;
    }
  }
  return out;
}

base::Error not_built(const Row& option, const Assignment& a) {
  const std::string values = values::neutral_text(option);
  auto e = usage_error(
      fmt::format("fio option `{}` is not built in fathom yet", option.name()),
      option.texts.engines.empty() ? "" : fmt::format("the option belongs to fio's engines {}", option.texts.engines),
      values.empty() ? "omit it; docs/reference/fio-options.md lists supported options"
                     : fmt::format("omit it, or write a value without effect: {}", values),
      key_place(a));
  e.kind = base::ErrorKind::not_built;
  return e;
}

// The assignment of a secret for messages, which quote its line.
Assignment without_secret(const Assignment& a) {
  Assignment shown = a;
  if (!a.value || a.value->empty()) return shown;
  shown.value = std::string(options::kSecret);
  shown.key_column = 1;
  shown.value_column = static_cast<int>(a.key.size()) + 2;
  shown.line = std::make_shared<options::SourceLine>(
      options::SourceLine{a.line->file, a.line->line, fmt::format("{}={}", a.key, *shown.value)});
  return shown;
}

base::Error unknown_option(const Assignment& a) {
  const std::string written = a.key + (a.value ? "=" + *a.value : "");
  const std::string what = fmt::format("Bad option <{}>", written);
  if (find_switch(a.key) != nullptr)
    return usage_error(what, "the option belongs to the command line, not to a job",
                       fmt::format("omit it here, and write `--{}` on the command line", written), key_place(a));
  return usage_error(what, "neither fathom nor fio has an option with that name",
                     suggest_option(a.key, "see docs/reference/fio-options.md for the options"), key_place(a));
}

void echo(std::vector<std::pair<std::string, std::string>>& list, std::string_view name, const std::string& value) {
  auto it = std::find_if(list.begin(), list.end(), [&](const auto& entry) { return entry.first == name; });
  if (it == list.end())
    list.emplace_back(name, value);
  else
    it->second = value;
}

// Each filename= of a section adds files. Of other options, the last one counts.
std::string with_earlier(const std::vector<std::pair<std::string, std::string>>& list, std::string_view name,
                         const std::string& value) {
  const auto it = std::find_if(list.begin(), list.end(), [&](const auto& entry) { return entry.first == name; });
  return name == "filename" && it != list.end() ? it->second + ":" + value : value;
}

// fio reads 4KiB as 4000 bytes unless kb_base=1000. fathom does the same, and adds a note.
bool has_swapped_unit(std::string_view value) {
  for (std::size_t i = 1; i + 2 < value.size(); ++i) {
    const auto lower = [&](std::size_t k) { return value[k] | 0x20; };
    const bool digit = value[i - 1] >= '0' && value[i - 1] <= '9';
    if (digit && std::string_view("kmgtpe").find(static_cast<char>(lower(i))) != std::string_view::npos &&
        lower(i + 1) == 'i' && lower(i + 2) == 'b')
      return true;
  }
  return false;
}

// fio computes an expression with a keyword (`8*$pagesize`) before it looks at the option. The result is a number
// without a unit, so the option's own unit applies.
std::string computed(const std::string& text, unsigned kb_base) {
  if (text.find_first_of("*/+^") == std::string::npos || text.find(',') != std::string::npos) return text;
  const auto number = evaluate(text, [&](std::string_view part) { return base::text::parse_bytes(part, kb_base); });
  return number ? std::to_string(*number) : "(" + text + ")";
}

bool is_size(const Row& option) {
  return option.type == Type::bytes || option.type == Type::bytes_or_percent || option.type == Type::range ||
         option.type == Type::count || option.name() == "bssplit";
}

Outcome check_presence(const Row& option, const Assignment& a) {
  const bool missing = a.value ? a.value->empty() && option.type != Type::text : !option.bare();
  if (!missing) return {};
  const std::string_view example = !option.choices.empty()          ? option.choices.front().name
                                   : !option.texts.fallback.empty() ? option.texts.fallback
                                                                    : std::string_view("...");
  return wrong("a value is missing", fmt::format("`{}` needs a value", option.name()),
               fmt::format("write `{}={}`", option.name(), example), {});
}

}  // namespace

base::Expected<void> Builder::apply(Draft& draft, const Assignment& given) {
  const Row* option = find_option(given.key);
  if (!option) return unknown_option(given);
  const Assignment a = option->secret ? without_secret(given) : given;
  const bool built = is_built(option);
  if (auto problem = built ? check_presence(*option, a) : Outcome()) return error_at(a, "", *problem);
  auto value = substitute(given.value.value_or(""), env_);
  const bool is_number = option->type == Type::count || option->type == Type::duration || is_size(*option);
  if (value.keyword && is_number) value.text = computed(value.text, static_cast<unsigned>(draft.kb_base));
  if (!built && !(a.value && values::changes_nothing(*option, value.text, nullptr))) return not_built(*option, a);
  const Targets targets(draft, draft.job, draft.job.engine);
  const Value asked{*option, value.text, Spelling::key, static_cast<unsigned>(draft.kb_base)};
  if (auto problem = built ? option->apply(targets, asked) : Outcome()) return error_at(a, value.text, *problem);
  if (option->secret && !value.text.empty()) value.text = options::kSecret;
  draft.applied.push_back({option, a, value.text});
  if (auto less = values::departure_of(*option, a, value.text)) departures_.push_back(std::move(*less));
  const std::string written = a.value ? value.text : "1";
  echo(draft.job.echo, option->name(), with_earlier(draft.job.echo, option->name(), a.value ? value.text : ""));
  if (option->texts.status == Status::ignored)
    draft.job.ignored.push_back(fmt::format("{}={}", option->name(), written));
  if (draft.kb_base == 1024 && is_size(*option) && has_swapped_unit(value.text))
    draft.job.notes.push_back(fmt::format(
        "{}={}: as in fio, a unit ending in `ib` counts powers of 1000 unless kb_base=1000", option->name(), written));
  debug_.push_back(fmt::format("handle_option={}, ptr={}  {}:{}: {}={} -> {}{}", option->name(), written, a.line->file,
                               a.line->line, a.key, written, option->name(), built ? "" : ", as it is anyway"));
  return {};
}

void Builder::keep(const base::Error& not_built) {
  const auto same_place = [&](const base::Error& e) {
    return e.place && not_built.place && e.place->file == not_built.place->file &&
           e.place->line == not_built.place->line && e.place->column == not_built.place->column &&
           e.place->line_text == not_built.place->line_text;
  };
  if (std::none_of(not_built_.begin(), not_built_.end(), same_place)) not_built_.push_back(not_built);
}

// The last assignment of an option counts.
void Builder::check_neutral(const Draft& draft) {
  for (const auto* options : {&draft.inherited, &draft.applied})
    for (const auto& a : *options)
      if (!is_built(a.option) && draft.find(a.option->name()) == &a &&
          !values::changes_nothing(*a.option, a.value, &draft.job))
        keep(not_built(*a.option, a.assignment));
}

base::Expected<void> Builder::apply_all(Draft& draft, const std::vector<Assignment>& options) {
  for (const bool units : {true, false})
    for (const auto& a : options)
      if ((a.key == "kb_base") == units)
        if (auto done = apply(draft, a); !done) {
          if (done.error().kind != base::ErrorKind::not_built) return done;
          keep(done.error());
        }
  return {};
}

base::Expected<void> Builder::add(const Section& section) {
  if (auto done = add_section(section); !done) return failed(done.error());
  return {};
}

base::Error Builder::failed(base::Error mistake) {
  not_built_.push_back(std::move(mistake));
  return base::joined(std::exchange(not_built_, {}));
}

base::Expected<void> Builder::finish() {
  if (not_built_.empty()) return {};
  return base::joined(std::exchange(not_built_, {}));
}

base::Expected<void> Builder::add_section(const Section& section) {
  if (!section.global) return add_job(section);
  if (auto done = apply_all(global_, section.options); !done) return done;
  const bool named = section.from_command_line && section.place.key == section.name;
  if (named) echo(set_.global_echo, "name", section.name);
  for (const auto& [name, value] : global_.job.echo) echo(set_.global_echo, name, value);
  return {};
}

base::Expected<void> Builder::add_job(const Section& section) {
  if (!rules_.sections.empty()) {
    if (std::find(rules_.sections.begin(), rules_.sections.end(), section.name) == rules_.sections.end()) return {};
    met_.push_back(section.name);
  }
  Draft draft = global_;
  draft.inherited = std::move(draft.applied);
  draft.applied.clear();
  draft.job.own_global_echo = std::exchange(draft.job.echo, {});
  draft.job.name = draft.job.section_name = section.name;
  draft.job.section = sections_++;
  draft.job.readonly = rules_.readonly;
  draft.job.fio_stamps = rules_.fio_stamps;
  draft.job.own.get<fields::VerifyOptions>().aux_path = rules_.aux_path;
  if (section.from_command_line) echo(draft.job.echo, "name", section.name);
  if (auto done = apply_all(draft, section.options); !done) return done;
  if (file_stonewall_) draft.job.stonewall = true;
  file_stonewall_ = false;
  check_neutral(draft);
  if (auto done = values::resolve_engine_name(draft, section.place); !done) {
    if (done.error().kind != base::ErrorKind::not_built) return done;
    keep(done.error());
  }
  if (!not_built_.empty()) return {};
  if (auto done = resolve(draft, section.place, env_); !done) return done;
  if (auto done = find_waitee(draft, section.place, set_.jobs); !done) return done;
  return expand(draft, section.place);
}

base::Expected<void> Builder::expand(const Draft& draft, const Assignment& place) {
  if (set_.jobs.size() + draft.numjobs > kMostJobs) {
    const auto* numjobs = draft.find("numjobs");
    return usage_error(fmt::format("more than {} jobs", kMostJobs),
                       fmt::format("`{}` raises the number of jobs to {}", place.key, set_.jobs.size() + draft.numjobs),
                       "lower numjobs=; the limit is fio's, and --max-jobs does not change it",
                       numjobs ? value_place(numjobs->assignment) : key_place(place));
  }
  if ((draft.job.stonewall || draft.new_group) && group_used_) ++group_;
  group_used_ = true;
  if (auto done = check_group(draft, place, group_, set_.jobs); !done) return done;
  for (std::uint64_t i = 0; i < draft.numjobs; ++i) {
    Job job = draft.job;
    job.group_id = group_;
    job.subjob = static_cast<int>(i);
    job.place = key_place(place);
    if (const auto* d = draft.find("directory")) job.directory_place = value_place(d->assignment);
    if (const auto* f = draft.find("filename")) job.filename_place = value_place(f->assignment);
    if (i > 0) job.stonewall = false;
    const auto& delay = draft.startdelay_ns;
    base::Prng prng(set_.jobs.size() + 1);
    job.startdelay_ns = delay.low + (delay.high > delay.low ? prng.below(delay.high - delay.low) : 0);
    set_.jobs.push_back(std::move(job));
  }
  return {};
}

void Builder::next_file() {
  global_ = Draft{};
  set_.global_echo.clear();
  file_stonewall_ = true;
}

JobSet Builder::take_jobs() {
  auto shared = set_.global_echo;
  std::erase_if(shared,
                [](const auto& entry) { return entry.first == "name"; });  // starts a [global] on a command line
  for (auto& job : set_.jobs)
    if (job.own_global_echo == shared) job.own_global_echo.reset();
  return std::move(set_);
}

std::string Builder::missing_section() const {
  for (const auto& wanted : rules_.sections)
    if (std::find(met_.begin(), met_.end(), wanted) == met_.end()) return wanted;
  return {};
}

}  // namespace fathom::job
