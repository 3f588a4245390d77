// Reads patterns from files.
#include "run/files/content_files.h"

#include <cerrno>

#include "base/files/input_file.h"
#include "job/fields/verify.h"
#include "workload/bytes/contents.h"

namespace fathom::run::files {
namespace {

// Appends at most as many bytes as a pattern may have.
base::Expected<void> append_file(const job::Job& job, const std::string& path, std::string& out) {
  const std::size_t room = job::fields::kLongestPattern - out.size();
  auto text = base::files::read_input("the pattern", path, room, base::files::Larger::cut);
  if (text && text->empty()) text = base::system_error("read the pattern `" + path + "`", ENODATA);
  if (text) {
    out += *text;
    return {};
  }
  auto e = text.error();
  e.kind = base::ErrorKind::usage;
  if (e.help.empty()) e.help = "name a readable file, or write the text in double quotes";
  e.place = job.place;
  return e;
}

// offset_places: receives the positions at which the I/O's offset is written.
base::Expected<std::string> joined(const job::Job& job, const std::vector<job::fields::PatternPart>& parts,
                                   std::vector<std::size_t>& offset_places) {
  std::string pattern;
  for (const auto& part : parts) {
    if (part.is_offset) {
      offset_places.push_back(pattern.size());
      pattern.append(sizeof(std::uint64_t), 0);
    } else if (!part.is_file) {
      pattern += part.text;
    } else if (auto ok = append_file(job, part.text, pattern); !ok) {
      return ok.error();
    }
  }
  return pattern;
}

}  // namespace

base::Expected<void> read_patterns(job::Job& job) {
  std::vector<std::size_t> places;
  if (const auto& parts = std::as_const(job).of<job::fields::ContentOptions>().pattern_parts; !parts.empty()) {
    auto pattern = joined(job, parts, places);
    if (!pattern) return pattern.error();
    job.own.get<job::fields::ContentOptions>().pattern = std::move(*pattern);
  }
  if (const auto& parts = std::as_const(job).of<job::fields::VerifyOptions>().pattern_parts; !parts.empty()) {
    auto pattern = joined(job, parts, places);
    if (!pattern) return pattern.error();
    auto& verify = job.own.get<job::fields::VerifyOptions>();
    verify.pattern = std::move(*pattern);
    verify.offset_places = std::move(places);
  }
  return {};
}

void share_dedupe_blocks(std::vector<Plan>& plans) {
  const auto shares = [](const Plan& plan) { return plan.job.of<job::fields::ContentOptions>().dedupe_global; };
  std::vector<std::uint64_t> seeds;
  for (std::size_t i = 0; i < plans.size(); ++i)
    if (shares(plans[i])) seeds.push_back(workload::bytes::content_seed(plans[i].job, static_cast<std::uint32_t>(i)));
  for (auto& plan : plans)
    if (shares(plan)) plan.job.own.get<job::fields::ContentOptions>().shared_seeds = seeds;
}

}  // namespace fathom::run::files
