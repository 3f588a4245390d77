// The kinds are the alternatives of result::Stored: the one whose kFormat the file has is read by its list of fields.
#include "import/document.h"

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <utility>
#include <variant>

#include "import/json_fields.h"
#include "result/stored.h"

namespace fathom::import {
namespace {

using Read = base::Expected<result::Stored>;

template <class T>
Read read(const JsonTree& tree) {
  JsonDocument in(tree, result::kOfDocuments);
  JsonReader reader(in, tree.root());
  T result;
  int version = 0;
  reader.field("format_version", version);
  if (version > result::kFormatVersion)
    return tree.error(0, fmt::format("a file of format_version {}, newer than this program", version),
                      fmt::format("this fathom reads {}", result::kFormatVersion));
  walk(reader, result);
  if (in.failed()) return in.error();
  if (!in.lacking().empty())
    return tree.error(0, fmt::format("no \"{}\"", *in.lacking().begin()),
                      "a damaged file, or one that an older fathom wrote, which stored less");
  return result::Stored(std::move(result));
}

// The alternatives behind the run.
template <std::size_t... I>
std::optional<Read> read_kind(const JsonTree& tree, std::string_view format, std::index_sequence<I...>) {
  std::optional<Read> found;
  const auto look = [&]<class T>(T*) {
    if (format == T::kFormat) found.emplace(read<T>(tree));
  };
  (look(static_cast<std::variant_alternative_t<I + 1, result::Stored>*>(nullptr)), ...);
  return found;
}

}  // namespace

Read read_document(const JsonTree& tree, const JsonNode& format) {
  constexpr auto kKinds = std::make_index_sequence<std::variant_size_v<result::Stored> - 1>();
  if (auto found = read_kind(tree, format.text, kKinds)) return *std::move(found);
  return tree.error(format.offset, fmt::format("no format \"{:.40}\" of fathom", format.text),
                    "a damaged file, or one that something else or a newer fathom wrote");
}

}  // namespace fathom::import
