// Results of `fathom verify-bundle`: whether a bundle has what its manifest states, and who signed the manifest.
// bundle/check.h makes them.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "result/documents.h"

namespace fathom::result {

enum class Signature : std::uint8_t { none, not_checked, valid, wrong };
inline const char* name(Signature signature) {
  constexpr const char* kNames[] = {"none", "not_checked", "valid", "wrong"};
  return kNames[static_cast<std::size_t>(signature)];
}

struct BundleProblem {
  std::string member;
  std::string what;  // "its SHA-256 differs from the manifest"
};

struct BundleCheck {
  static constexpr const char* kFormat = "fathom verify-bundle";

  std::string file;
  std::string version, run_id;                     // of the fathom that wrote the bundle; of the result
  std::uint64_t members = 0, size_bytes = 0;       // of the archive; unpacked
  std::string key;                                 // file of the public key; empty: none was given
  Signature signature = Signature::none;           // of the manifest
  std::vector<BundleProblem> problems;             // damaged, missing and extra members
  bool whole() const { return problems.empty(); }  // every member is as the manifest states
  bool passed() const { return whole() && (key.empty() || signature == Signature::valid); }
};

template <class W>
void walk(W& w, Like<BundleProblem> auto& problem) {
  w.field(Key("member", "name of the member"), problem.member);
  w.field(Key("what", "what is wrong with it"), problem.what);
}

template <class W>
void walk(W& w, Like<BundleCheck> auto& check) {
  w.field(Key("file", "file of the bundle"), check.file);
  w.derived("passed", [&] { return check.passed(); });
  w.derived("whole", [&] { return check.whole(); });
  w.field(Key("signature", "`none`; `not_checked`: no key was given; `valid`, `wrong`: for `key`"), check.signature,
          Signature::wrong);
  w.field(Key("key", "file of the public key; empty: none was given"), check.key);
  w.field(Key("fathom_version", "version of the fathom that wrote the bundle"), check.version);
  w.field(Key("run_id", "UUID of the run"), check.run_id);
  w.field(Key("members", "number of members of the archive"), check.members);
  w.field(Key("size_bytes", "sum of the members' sizes, unpacked"), check.size_bytes);
  w.list(Key("problems", "damaged, missing and extra members"), "problem", check.problems);
}

}  // namespace fathom::result
