// The manifest is the first member: a reader finds it, and its signature, without reading the rest.
#include "bundle/contents.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text/printable.h"
#include "bundle/archive.h"
#include "bundle/job_text.h"
#include "bundle/member_name.h"
#include "bundle/pack.h"
#include "report/document.h"
#include "report/formats.h"

namespace fathom::bundle {
namespace {

base::Error refused_evidence(const std::string& name, std::string cause, std::string help) {
  base::Error error;
  error.what = fmt::format("`{}` cannot be a member of a bundle", base::text::printable(name));
  error.cause = std::move(cause);
  error.help = std::move(help);
  return error;
}

// Adds the evidence in the order of its names, so that the order on the command line does not matter.
base::Expected<void> add_evidence(const std::vector<Evidence>& evidence, std::vector<Member>& members) {
  std::vector<Member> all;
  for (const auto& one : evidence) {
    const auto name = std::string(kEvidence) + one.name;
    const bool nested = one.name.find('/') != one.name.npos;
    if (const auto why = nested ? "a name with a directory" : refusal_of(name); !why.empty())
      return refused_evidence(one.name, why, "rename the file");
    all.push_back({name, one.bytes});
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  const auto twice =
      std::adjacent_find(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.name == b.name; });
  if (twice != all.end())
    return refused_evidence(twice->name, "two files have this name; directories are omitted", "rename one of them");
  members.insert(members.end(), all.begin(), all.end());
  return {};
}

base::Expected<void> check_limits(const std::vector<Member>& members) {
  std::uint64_t bytes = 0;
  for (const auto& member : members) bytes += member.bytes.size();
  const bool many = members.size() + 2 > kMostMembers;
  if (!many && bytes <= kMostUnpacked_bytes - (std::uint64_t{1} << 20)) return {};  // less the manifest
  base::Error error;
  error.what = many ? fmt::format("more than {} files", kMostMembers - 2) : "the bundle would be too large";
  error.cause = fmt::format("{} members with {} MiB; the limit is {} members and {} MiB", members.size(), bytes >> 20,
                            kMostMembers, kMostUnpacked_bytes >> 20);
  error.help = "add fewer or shorter files";
  return error;
}

base::Expected<Manifest> manifest_of(const Contents& contents, const std::vector<Member>& members) {
  Manifest manifest{contents.version, contents.commit, contents.run.run_id, {}};
  for (const auto& member : members) {
    auto sum = sha256_of(member.bytes);
    if (!sum) return sum.error();
    manifest.members.push_back({member.name, member.bytes.size(), std::move(*sum)});
  }
  return manifest;
}

}  // namespace

base::Expected<Made> make(const Contents& contents) {
  const auto job = job_text(contents.run);
  if (!job) return job.error();
  const auto environment =
      report::document(Environment{contents.run.program, contents.run.host, contents.run.utc_offset_s});
  const auto page = report::run_html(contents.run);
  std::vector<Member> members = {{std::string(kJob), job->text},
                                 {std::string(kResult), contents.result_text},
                                 {std::string(kEnvironment), environment},
                                 {std::string(kPage), page}};
  if (auto ok = add_evidence(contents.evidence, members); !ok) return ok.error();
  if (auto ok = check_limits(members); !ok) return ok.error();
  auto manifest = manifest_of(contents, members);
  if (!manifest) return manifest.error();
  const auto manifest_text = report::document(*manifest);
  std::string signature;
  if (contents.key) {
    auto made = sign(manifest_text, *contents.key);
    if (!made) return made.error();
    signature = std::move(*made);
    members.insert(members.begin(), {std::string(kSignature), signature});
  }
  members.insert(members.begin(), {std::string(kManifest), manifest_text});
  auto bytes = pack(members);
  if (!bytes) return bytes.error();
  return Made{std::move(*bytes), std::move(*manifest), job->omitted};
}

}  // namespace fathom::bundle
