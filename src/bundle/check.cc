// Each member is unpacked once, in parts, for its checksum.
#include "bundle/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/text/printable.h"
#include "import/document.h"
#include "import/result_json.h"

namespace fathom::bundle {
namespace {

constexpr std::size_t kMostManifest_bytes = std::size_t{1} << 20, kMostSignature_bytes = 4096;
constexpr std::string_view kRequired[] = {kJob, kResult, kEnvironment};

base::Error unreadable_member(const std::string& file, std::string_view member, std::string cause) {
  base::Error error;
  error.what = fmt::format("`{}` is not a bundle", base::text::printable(file));
  error.cause = fmt::format("{}: {}", member, cause);
  error.help = "name a file that `fathom bundle` wrote";
  return error;
}

base::Expected<Manifest> read_manifest(const std::string& text, const std::string& file) {
  import::JsonTree tree(text, fmt::format("{}:{}", file, kManifest));
  if (auto ok = tree.parse(); !ok) return ok.error();
  const auto* format = tree.root().member("format");
  if (format == nullptr || format->text != Manifest::kFormat)
    return tree.error(0, "not the manifest of a bundle",
                      fmt::format("its \"format\" is not \"{}\"", Manifest::kFormat));
  return import::read_document_of<Manifest>(tree);
}

// What differs from the manifest; empty: nothing.
base::Expected<std::string> difference(const Archive& archive, const ListedMember& member) {
  auto sum = Sha256::make();
  if (!sum) return sum.error();
  std::uint64_t size = 0;
  const auto damage = archive.unpack(member.name, [&](std::string_view part) {
    sum->add(part);
    size += part.size();
  });
  if (!damage.empty()) return damage;
  if (size != member.size_bytes) return fmt::format("it has {} bytes; the manifest states {}", size, member.size_bytes);
  return sum->hex() == member.sha256 ? std::string() : std::string("its SHA-256 differs from the manifest");
}

base::Expected<void> compare(const Archive& archive, const Manifest& manifest, result::BundleCheck& check) {
  std::set<std::string_view> listed = {kManifest, kSignature};
  for (const auto& member : manifest.members) {
    if (!listed.insert(member.name).second) {
      check.problems.push_back({member.name, "the manifest lists it twice"});
      continue;
    }
    auto differs = difference(archive, member);
    if (!differs) return differs.error();
    if (!differs->empty()) check.problems.push_back({member.name, std::move(*differs)});
  }
  for (const auto& entry : archive.entries())
    if (!listed.contains(entry.name)) check.problems.push_back({entry.name, "the manifest does not list it"});
  for (const auto name : kRequired)
    if (!listed.contains(name)) check.problems.push_back({std::string(name), "the manifest does not list it"});
  return {};
}

base::Expected<void> check_signature(const Archive& archive, const std::string& manifest_text,
                                     const std::optional<Key>& key, result::BundleCheck& check) {
  using result::Signature;
  if (key) check.key = key->file;
  std::string signature;
  if (archive.has(kSignature)) {
    check.signature = key ? Signature::wrong : Signature::not_checked;
    auto read = content_of(archive, kSignature, kMostSignature_bytes);
    if (!read) return check.problems.push_back({std::string(kSignature), read.error().cause}), base::Expected<void>();
    signature = std::move(*read);
  }
  if (!key) return {};
  const auto valid = is_signed_by(*key, manifest_text, signature);  // also refuses a wrong key
  if (!valid) return valid.error();
  if (*valid) check.signature = Signature::valid;
  return {};
}

}  // namespace

base::Expected<std::string> content_of(const Archive& archive, std::string_view member, std::size_t most_bytes) {
  std::string text;
  bool is_longer = false;
  auto damage = archive.unpack(member, [&](std::string_view part) {
    is_longer = is_longer || part.size() > most_bytes - text.size();
    if (!is_longer) text += part;
  });
  if (is_longer) damage = fmt::format("it is longer than {} bytes", most_bytes);
  if (damage.empty()) return text;
  base::Error error;
  error.what = fmt::format("member `{}` cannot be read", base::text::printable(member));
  error.cause = std::move(damage);
  return error;
}

base::Expected<Opened> open_bundle(std::string bytes, const std::string& file, const std::optional<Key>& key) {
  auto archive = Archive::open(std::move(bytes), file);
  if (!archive) return archive.error();
  const auto text = content_of(*archive, kManifest, kMostManifest_bytes);
  if (!text) return unreadable_member(file, kManifest, text.error().cause);
  auto manifest = read_manifest(*text, file);
  if (!manifest) return manifest.error();
  result::BundleCheck check;
  check.file = file;
  check.version = manifest->version;
  check.run_id = manifest->run_id;
  check.members = archive->entries().size();
  for (const auto& entry : archive->entries()) check.size_bytes += entry.size_bytes;
  if (auto ok = compare(*archive, *manifest, check); !ok) return ok.error();
  if (auto ok = check_signature(*archive, *text, key, check); !ok) return ok.error();
  return Opened{std::move(*archive), std::move(*manifest), std::move(check)};
}

}  // namespace fathom::bundle
