// The parts of a page in addition to its text: styles, and the scripts that draw. Bytes in the program
// (cmake/page.cmake).
#pragma once
#include <string>
#include <string_view>

namespace fathom::report::page {

struct Asset {
  std::string_view text;
  std::string_view sha256;  // hexadecimal, computed by the build
};
Asset style();
Asset plot_style();
Asset script();
Asset plot_script();
Asset viewer_style();
Asset viewer_script();
Asset viewer_body();
Asset live_script();
Asset live_body();

// "sha256-..." in base64, as a content policy names permitted scripts. Source: W3C Content Security Policy 3, 2.3.1.
std::string policy_hash(const Asset& asset);

}  // namespace fathom::report::page
