// The policy permits images from `data:` and `blob:` only: the plots' own PNG files.
#include "report/page/document.h"

#include <fmt/format.h>

#include "report/page/html.h"

namespace fathom::report::page {
namespace {

std::string hashes(const std::vector<Asset>& assets) {
  std::string out;
  for (const auto& asset : assets) out += fmt::format(" '{}'", policy_hash(asset));
  return out;
}

std::string policy(const Document& document) {
  return fmt::format(
      "default-src 'none'; script-src{}; style-src{}; img-src data: blob:; base-uri 'none'; form-action 'none'{}",
      hashes(document.scripts), hashes(document.styles), document.asks_its_own_address ? "; connect-src 'self'" : "");
}

std::string tags(const char* element, const std::vector<Asset>& assets) {
  std::string out;
  for (const auto& asset : assets) out += fmt::format("<{}>{}</{}>\n", element, asset.text, element);
  return out;
}

}  // namespace

std::string document(const Document& document) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"generator\" "
      "content=\"fathom\">\n<title>{}</title>\n{}</head>\n<body>\n<main>\n{}</main>\n{}{}</body>\n</html>\n",
      escaped(policy(document)), escaped(document.title), tags("style", document.styles), document.body, document.data,
      tags("script", document.scripts));
}

}  // namespace fathom::report::page
