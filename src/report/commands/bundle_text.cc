// `fathom verify-bundle`: the answer, one line per problem, and what the signature says.
#include <fmt/format.h>

#include "base/text/printable.h"
#include "report/formats.h"

namespace fathom::report {
namespace {

std::string signature_line(const result::BundleCheck& check) {
  using result::Signature;
  const auto key = base::text::printable(check.key);
  switch (check.signature) {
    case Signature::valid:
      return fmt::format("valid: made with the private key of {}", key);
    case Signature::wrong:
      return fmt::format("WRONG: not made with the private key of {}, or the manifest was changed", key);
    case Signature::not_checked:
      return "present, not checked: --key=PUB.pem checks it";
    case Signature::none:
      break;
  }
  return check.key.empty() ? "none" : fmt::format("MISSING: the bundle has no signature to compare with {}", key);
}

}  // namespace

std::string bundle_check_text(const result::BundleCheck& check) {
  std::string out = fmt::format("{}: {}\n", base::text::printable(check.file), check.passed() ? "passed" : "FAILED");
  out += fmt::format("  members    {}, {} bytes: {}\n", check.members, check.size_bytes,
                     check.whole() ? "every checksum matches the manifest" : "not as in the manifest");
  for (const auto& problem : check.problems)
    out += fmt::format("             {}: {}\n", base::text::printable(problem.member),
                       base::text::printable(problem.what));
  out += fmt::format("  signature  {}\n", signature_line(check));
  if (check.key.empty())
    out += "  maker      unknown: anyone can write a bundle with matching checksums; only --key checks the maker\n";
  return out + fmt::format("  run        {}, bundled by fathom {}\n",
                           check.run_id.empty() ? "without an id" : base::text::printable(check.run_id),
                           base::text::printable(check.version));
}

}  // namespace fathom::report
