// Bytes and hashes are made when the program is built.
#include "report/page/assets.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/text/base64.h"

namespace fathom::report::page {
namespace {

constexpr unsigned char kStyle[] = {
#include "fathom_page_style.h"
};
constexpr unsigned char kPlotStyle[] = {
#include "fathom_page_plot_style.h"
};
constexpr unsigned char kScript[] = {
#include "fathom_page_script.h"
};
constexpr unsigned char kPlotScript[] = {
#include "fathom_page_plot_script.h"
};
constexpr unsigned char kViewerStyle[] = {
#include "fathom_page_viewer_style.h"
};
constexpr unsigned char kViewerScript[] = {
#include "fathom_page_viewer_script.h"
};
constexpr unsigned char kViewerBody[] = {
#include "fathom_page_viewer_body.h"
};
constexpr unsigned char kLiveScript[] = {
#include "fathom_page_live_script.h"
};
constexpr unsigned char kLiveBody[] = {
#include "fathom_page_live_body.h"
};
constexpr const char* kStyleHash =
#include "fathom_page_style_sha256.h"
    ;
constexpr const char* kPlotStyleHash =
#include "fathom_page_plot_style_sha256.h"
    ;
constexpr const char* kScriptHash =
#include "fathom_page_script_sha256.h"
    ;
constexpr const char* kPlotScriptHash =
#include "fathom_page_plot_script_sha256.h"
    ;
constexpr const char* kViewerStyleHash =
#include "fathom_page_viewer_style_sha256.h"
    ;
constexpr const char* kViewerScriptHash =
#include "fathom_page_viewer_script_sha256.h"
    ;
constexpr const char* kLiveScriptHash =
#include "fathom_page_live_script_sha256.h"
    ;
constexpr const char* kLiveBodyHash =
#include "fathom_page_live_body_sha256.h"
    ;
constexpr const char* kViewerBodyHash =
#include "fathom_page_viewer_body_sha256.h"
    ;

template <std::size_t N>
std::string_view text_of(const unsigned char (&bytes)[N]) {
  return {reinterpret_cast<const char*>(bytes), N};
}

std::uint32_t nibble(char c) { return static_cast<std::uint32_t>(c <= '9' ? c - '0' : c - 'a' + 10); }

std::string bytes_of(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes += static_cast<char>(nibble(hex[i]) << 4 | nibble(hex[i + 1]));
  return bytes;
}

}  // namespace

Asset style() { return {text_of(kStyle), kStyleHash}; }
Asset plot_style() { return {text_of(kPlotStyle), kPlotStyleHash}; }
Asset script() { return {text_of(kScript), kScriptHash}; }
Asset plot_script() { return {text_of(kPlotScript), kPlotScriptHash}; }
Asset viewer_style() { return {text_of(kViewerStyle), kViewerStyleHash}; }
Asset viewer_script() { return {text_of(kViewerScript), kViewerScriptHash}; }
Asset viewer_body() { return {text_of(kViewerBody), kViewerBodyHash}; }
Asset live_script() { return {text_of(kLiveScript), kLiveScriptHash}; }
Asset live_body() { return {text_of(kLiveBody), kLiveBodyHash}; }

std::string policy_hash(const Asset& asset) { return "sha256-" + base::text::base64(bytes_of(asset.sha256)); }

}  // namespace fathom::report::page
