// The kinds of files that there are. A kind declares itself in one line at namespace scope of the file that
// reads it; `tandem check`, `tandem schema` and docs/formats.md take it up from there.
#pragma once

#include "profiles/base/fields.h"
#include "profiles/base/files.h"

namespace tandem {

struct FileKindDeclaration {
  std::string_view kind;         // "platform/1"
  const AnyFields& (*fields)();  // its keys; what its help says is the schema's title
  // Throws InputError, or says in a few words what the file holds; null: no file of this kind is read.
  std::string (*judge)(const JsonReader& root) = nullptr;
  std::size_t largest = std::size_t{64} << 20;  // bytes of a file of the kind

  std::string_view Name() const { return kind.substr(0, kind.find('/')); }  // "platform"
};

struct FileKindRegistration {
  explicit FileKindRegistration(FileKindDeclaration declaration);
};

// "1 unit", "4 units"; "2 entries" with its own plural.
std::string Counted(std::int64_t count, const std::string& one, const std::string& many = {});

// In order of name.
const std::vector<FileKindDeclaration>& FileKinds();

// How large a JSON file may be, by the kind that it begins with.
SizeLimit JsonLimit(std::string_view beginning);

// The fields as declarations take them.
template <class T, const Fields<T>& (*kFields)()>
const AnyFields& AsAnyFields() {
  return kFields();
}

// The kind's JSON Schema, laid out, with a newline at its end.
std::string SchemaText(const FileKindDeclaration& kind);
// Its keys as a table in Markdown: where they stand, what they take, their defaults, what they mean.
std::string ReferenceText(const FileKindDeclaration& kind);

}  // namespace tandem
