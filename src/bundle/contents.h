// Makes a bundle: the job, the result, the facts of the machine, the HTML report and the evidence, with a manifest of
// their checksums and, with a key, a signature of the manifest. The same input gives the same bytes. Pure but for
// loading OpenSSL.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "bundle/keys.h"
#include "bundle/manifest.h"
#include "result/result.h"

namespace fathom::bundle {

struct Evidence {
  std::string name;  // of the file, without a directory
  std::string bytes;
};

struct Contents {
  const result::Run& run;
  std::string_view result_text;  // the file of the result, which is stored unchanged
  std::string version, commit;   // of this program
  std::vector<Evidence> evidence;
  std::optional<Key> key;  // to sign with
};

struct Made {
  std::string bytes;
  Manifest manifest;
  std::vector<std::string> omitted;  // see JobText
};

// ErrorKind::usage: what job_text() refuses, names of evidence that a bundle cannot have, a wrong key, more than 1 GiB.
base::Expected<Made> make(const Contents& contents);

}  // namespace fathom::bundle
