// Profiles and their options.
#include "job/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <variant>

#include "base/text/parse.h"
#include "job/job_file.h"
#include "job/option.h"

namespace fathom::job {
namespace {

constexpr std::uint64_t kMostCount = 1u << 30;

// The destination of a value. Its type determines how the value is read.
struct Bytes {
  std::uint64_t* to;
};
struct Seconds {
  std::uint64_t* to;
};
using Goal = std::variant<std::uint64_t*, Bytes, Seconds, std::string*, bool*>;
struct OptionOfProfile {
  std::string_view name;
  Goal goal;
};

Outcome read_count(const Value& value, std::uint64_t most, std::uint64_t& to) {
  const auto n = base::text::parse_bytes(value.text);
  if (!n || *n == 0 || *n > most)
    return wrong("not a number, or out of range", fmt::format("the range is 1 to {}", most),
                 "write for example " + value.with("4"), value.text);
  to = *n;
  return {};
}

Outcome read(const Value& value, const Goal& goal) {
  if (const auto* text = std::get_if<std::string*>(&goal)) {
    **text = value.text;
    return {};
  }
  if (const auto* truth = std::get_if<bool*>(&goal)) {
    **truth = value.text != "0";
    return {};
  }
  if (const auto* seconds = std::get_if<Seconds>(&goal)) {
    const auto ns = base::text::parse_duration_ns(value.text, kSecond_ns);
    if (!ns || *ns < kSecond_ns)
      return wrong("not a time of 1 s or more", "", "write for example " + value.with("1h"), value.text);
    *seconds->to = *ns / kSecond_ns;
    return {};
  }
  const auto* bytes = std::get_if<Bytes>(&goal);
  return read_count(value, kMostCount, bytes != nullptr ? *bytes->to : *std::get<std::uint64_t*>(goal));
}

// Removes the profile's options from the sections and reads their values.
base::Expected<void> take_options(std::vector<Section>& sections, const std::vector<OptionOfProfile>& known) {
  for (auto& section : sections) {
    std::vector<Assignment> rest;
    for (auto& a : section.options) {
      const auto of = std::find_if(known.begin(), known.end(), [&](const auto& o) { return o.name == a.key; });
      if (of == known.end()) {
        rest.push_back(std::move(a));
        continue;
      }
      const std::string text = a.value.value_or("1");
      const Value value{*find_option(a.key), text, Spelling::key, 1024};
      if (auto problem = read(value, of->goal)) return error_at(a, text, *problem);
    }
    section.options = std::move(rest);
  }
  return {};
}

std::vector<std::string> names_of(const std::string& list) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= list.size();) {
    const auto end = std::min(list.find(',', at), list.size());
    if (end > at) parts.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

base::Expected<std::string> act(std::vector<Section>& sections, const Assignment& profile, const Environment&) {
  ActProfile act;
  const auto done = take_options(sections, {{"device-names", &act.devices},
                                            {"load", &act.load},
                                            {"test-duration", Seconds{&act.duration_s}},
                                            {"threads-per-queue", &act.threads},
                                            {"read-req-num-512-blocks", &act.read_blocks},
                                            {"large-block-op-kbytes", &act.large_kib},
                                            {"prep", &act.prep}});
  if (!done) return done.error();
  if (names_of(act.devices).empty())
    return error_at(profile, "",
                    wrong("act: you need to set IO target(s) with the device-names option.",
                          "the profile names no devices", "add `--device-names=/dev/...`", {}));
  return act_jobs(act);
}

base::Expected<std::string> tiobench(std::vector<Section>& sections, const Assignment&, const Environment& env) {
  TiobenchProfile tio;
  const auto done = take_options(sections, {{"size", &tio.size_mib},
                                            {"block", Bytes{&tio.block_bytes}},
                                            {"numruns", &tio.runs},
                                            {"dir", &tio.directory},
                                            {"threads", &tio.threads}});
  if (!done) return done.error();
  return tiobench_jobs(tio, env.memory_mib);
}

struct ProfileRow {
  std::string_view name;
  base::Expected<std::string> (*jobs)(std::vector<Section>&, const Assignment&, const Environment&);
};
constexpr ProfileRow kProfiles[] = {{"act", act}, {"tiobench", tiobench}};

// The user did not write these lines. So errors give only their line number and do not quote them.
void leave_unquoted(std::vector<Section>& sections) {
  const auto unquote = [](Assignment& a) {
    a.line = std::make_shared<options::SourceLine>(options::SourceLine{a.line->file, a.line->line, ""});
  };
  for (auto& section : sections) {
    unquote(section.place);
    std::for_each(section.options.begin(), section.options.end(), unquote);
  }
}

// Removes profile= from the global sections, because it is not an option of a job. Returns the last one.
std::optional<Assignment> take_profile(std::vector<Section>& sections) {
  std::optional<Assignment> found;
  for (auto& section : sections) {
    if (!section.global) continue;
    for (const auto& a : section.options)
      if (a.key == "profile") found = a;
    std::erase_if(section.options, [](const auto& a) { return a.key == "profile"; });
  }
  return found;
}

}  // namespace

base::Expected<std::vector<Section>> in_place_of_profile(std::vector<Section> sections, const Environment& env,
                                                         std::string& name) {
  const auto profile = take_profile(sections);
  if (!profile) return sections;
  const std::string asked = profile->value.value_or("");
  const auto* row =
      std::find_if(std::begin(kProfiles), std::end(kProfiles), [&](const auto& r) { return r.name == asked; });
  if (row == std::end(kProfiles))
    return error_at(*profile, asked,
                    wrong("not a profile", "the profiles are act and tiobench", "write `profile=tiobench`", asked));
  for (const auto& section : sections)
    if (!section.global)
      return error_at(section.place, "",
                      wrong(fmt::format("a job in addition to profile={}", asked), "a profile creates its own jobs",
                            "omit one of the two", {}));
  const auto text = row->jobs(sections, *profile, env);
  if (!text) return text.error();
  auto jobs = read_job_text(*text, "profile=" + asked, env);
  if (!jobs) return jobs.error();
  leave_unquoted(*jobs);
  sections.insert(sections.end(), std::make_move_iterator(jobs->begin()), std::make_move_iterator(jobs->end()));
  name = asked;
  return sections;
}

std::string act_jobs(const ActProfile& act) {
  constexpr std::uint64_t kReadsPerSecond = 2000, kWritesPerSecond = 1000;
  std::string text;
  for (const auto& device : names_of(act.devices)) {
    if (act.prep) {
      text += fmt::format(
          "[act-prep-zeroes-{0}]\nfilename={0}\nbs=1m\nzero_buffers\nioengine=sync\nrw=write\ndirect=1\n", device);
      text += fmt::format(
          "[act-salt-{0}]\nstonewall\nfilename={0}\nbs=4k\nioengine=libaio\niodepth=64\nrw=randwrite\ndirect=1\n",
          device);
      continue;
    }
    const std::string common = fmt::format(
        "filename={}\ndirect=1\nioengine=sync\nthread\nrandom_generator=lfsr\ntime_based\nruntime={}\ngroup_"
        "reporting\n",
        device, act.duration_s);
    const std::uint64_t read_bytes = act.read_blocks * 512;
    const auto rate = std::max<std::uint64_t>(1, kReadsPerSecond * act.load / act.threads);
    text += fmt::format("[act-read-{}]\n{}rw=randread\nbs={}\nnumjobs={}\nrate_iops={}\n", device, common, read_bytes,
                        act.threads, rate);
    text += fmt::format("[act-write-{}]\nnew_group\n{}rw=randwrite\nbs={}\nrate={}\n", device, common,
                        act.large_kib * 1024, kWritesPerSecond * act.load * read_bytes);
  }
  return text;
}

std::string tiobench_jobs(const TiobenchProfile& tio, std::uint64_t memory_mib) {
  const std::uint64_t size_mib = tio.size_mib != 0 ? tio.size_mib : 4 * memory_mib;
  std::string text = fmt::format(
      "[global]\nioengine=sync\nruntime=600\ndirectory={}\nfilename=.fio.tio.1:.fio.tio.2:.fio.tio.3:.fio.tio.4\nsize={"
      "}m\nbs={}\nloops={}\n"
      "numjobs={}\nthread\ngroup_reporting\noverwrite=1\n",
      tio.directory, size_mib, tio.block_bytes, tio.runs, tio.threads);
  text += "[seqwrite]\nrw=write\nend_fsync=1\n";
  text += "[randwrite]\nstonewall\nrw=randwrite\nend_fsync=1\n";
  text += "[seqread]\nstonewall\nrw=read\n";
  text += "[randread]\nstonewall\nrw=randread\n";
  return text;
}

}  // namespace fathom::job
