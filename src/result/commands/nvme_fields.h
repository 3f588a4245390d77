// Data that an NVMe device reports about itself, as rows of name and value: `fathom nvme identify` and `fathom nvme
// log`. A document has the rows twice: flat, with nvme-cli's names and as in its JSON, and as `fields`, with the text
// for people.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "result/documents.h"

namespace fathom::result {

struct NvmeField {
  std::string name;
  std::string text;                     // for people
  std::optional<std::uint64_t> number;  // for programs; nullopt: the text is the value
};
using NvmeFields = std::vector<NvmeField>;

struct NvmeNamespace {
  std::uint32_t nsid = 0;
  std::uint64_t size_bytes = 0;
  std::uint32_t block_bytes = 0;
};
struct NvmeUnusable {  // a namespace that the driver does not support
  std::uint32_t nsid = 0;
  std::string cause;
};

struct NvmeIdentify {
  static constexpr const char* kFormat = "fathom nvme identify";

  std::string device;
  NvmeFields fields;
  std::optional<std::vector<NvmeNamespace>> namespaces;  // of a controller
  std::vector<NvmeUnusable> unusable;
};

struct NvmeLog {
  static constexpr const char* kFormat = "fathom nvme log";

  std::string device, log;
  std::vector<NvmeFields> entries;
};

template <class W>
void walk(W& w, Like<NvmeField> auto& field) {
  w.field(Key("name", "name, as in nvme-cli"), field.name);
  w.field(Key("text", "value for people"), field.text);
  w.maybe(Key("number", "value for programs; absent: the text is the value"), field.number);
}

template <class W>
void walk(W& w, Like<NvmeFields> auto& fields) {
  for (const auto& field : fields) {
    if (field.number)
      w.derived(field.name.c_str(), [&] { return *field.number; });
    else
      w.derived(field.name.c_str(), [&] { return field.text; });
  }
  w.list(Key("fields", "the same values in order, with their texts"), "field", fields);
}

template <class W>
void walk(W& w, Like<NvmeNamespace> auto& ns) {
  w.field(Key("nsid", "number of the namespace"), ns.nsid);
  w.field(Key("size_bytes", "size of the namespace"), ns.size_bytes);
  w.field(Key("block_bytes", "size of a logical block"), ns.block_bytes);
}

template <class W>
void walk(W& w, Like<NvmeUnusable> auto& ns) {
  w.field(Key("nsid", "number of the namespace"), ns.nsid);
  w.field(Key("cause", "what the driver does not support"), ns.cause);
}

template <class W>
void walk(W& w, Like<NvmeIdentify> auto& id) {
  w.field(Key("device", "device, as given to --device="), id.device);
  walk(w, id.fields);
  if (!w.present("namespaces", id.namespaces)) return;
  w.list(Key("namespaces", "of a controller: namespaces that the driver can use"), "namespace", *id.namespaces);
  w.list(Key("unusable_namespaces", "of a controller: namespaces that the driver cannot use"), "namespace",
         id.unusable);
}

template <class W>
void walk(W& w, Like<NvmeLog> auto& page) {
  w.field(Key("device", "device, as given to --device="), page.device);
  w.field(Key("log", "`error`, `smart`, `firmware`, `changed-ns`"), page.log);
  w.list(Key("entries", "entries of the log page"), "entry", page.entries);
}

}  // namespace fathom::result
