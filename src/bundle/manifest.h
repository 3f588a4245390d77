// The documents (result/documents.h) that a bundle has in addition to the result: the manifest, which the signature
// covers, and the facts of the machine. Plain data.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "result/documents.h"

namespace fathom::bundle {

// Names of members. All but the signature are in each bundle, and report.html and evidence/ may be.
inline constexpr std::string_view kManifest = "manifest.json", kSignature = "manifest.sig", kJob = "job.fio",
                                  kResult = "result.json", kEnvironment = "environment.json", kPage = "report.html",
                                  kEvidence = "evidence/";

struct ListedMember {
  std::string name;
  std::uint64_t size_bytes = 0;
  std::string sha256;  // hexadecimal, lower case
};

// All members but the manifest itself and its signature.
struct Manifest {
  static constexpr const char* kFormat = "fathom bundle";

  std::string version, commit;  // of the fathom that wrote the bundle
  std::string run_id;
  std::vector<ListedMember> members;
};

// What the result has about the machine and the program that measured.
struct Environment {
  static constexpr const char* kFormat = "fathom bundle environment";
  static constexpr bool kExact = true;

  result::Program program;
  result::HostFacts host;
  std::optional<int> utc_offset_s;
};

template <class W>
void walk(W& w, result::Like<ListedMember> auto& member) {
  w.field(result::Key("name", "name of the member"), member.name);
  w.field(result::Key("size_bytes", "size of the member, unpacked"), member.size_bytes);
  w.field(result::Key("sha256", "SHA-256 of the unpacked bytes, hexadecimal"), member.sha256);
}

template <class W>
void walk(W& w, result::Like<Manifest> auto& manifest) {
  w.field(result::Key("fathom_version", "version of the fathom that wrote the bundle"), manifest.version);
  w.field(result::Key("commit", "commit that it was built from"), manifest.commit);
  w.field(result::Key("run_id", "UUID of the run"), manifest.run_id);
  w.list(result::Key("members", "all members but the manifest and its signature"), "member", manifest.members);
}

template <class W>
void walk(W& w, result::Like<Environment> auto& environment) {
  w.part(result::Key("program", "as in the result"), environment.program);
  w.part(result::Key("host", "as in the result"), environment.host);
  w.maybe(result::Key("utc_offset_s", "as in the result"), environment.utc_offset_s);
}

}  // namespace fathom::bundle
