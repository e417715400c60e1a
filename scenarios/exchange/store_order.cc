#include "scenarios/exchange/store_order.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>

#include "profiles/base/fields.h"

namespace tandem {
namespace {

constexpr std::size_t kDigitsOfSha256 = 64;

CodecOf<std::string> HashOfFile() {
  return as::TextReadBy([](SchemaDefs& defs) { return as::Text()->Schema(defs); },
                        [](const JsonReader& value, std::string& into, Context) {
                          into = value.String();
                          if (!IsSha256(into)) value.Fail("64 hexadecimal digits, as sha256sum prints them");
                        });
}

// The path is put below a folder of the device's: it may not lead out of it.
CodecOf<std::string> PathOfFile() {
  return as::TextReadBy([](SchemaDefs& defs) { return as::Text()->Schema(defs); },
                        [](const JsonReader& value, std::string& into, Context) {
                          into = value.String();
                          const std::filesystem::path path(into);
                          const bool plain = into.find('\0') == std::string::npos && path.is_absolute() &&
                                             path.has_filename() && path.lexically_normal().string() == into;
                          const auto up = [](const std::filesystem::path& part) { return part == ".."; };
                          if (!plain || std::any_of(path.begin(), path.end(), up)) {
                            value.Fail("an absolute path of a file, without \"..\"");
                          }
                        });
}

const Fields<OfferedFile>& OfferedFields() {
  using F = OfferedFile;
  static const auto fields = Fields<F>()
                                 .Needed("path", &F::path, PathOfFile())
                                 .Optional("names", &F::names, as::ListOf(as::Text()))
                                 .Needed("sha256", &F::sha256, HashOfFile())
                                 .Needed("bytes", &F::bytes, as::Integer(0, kMostBytesOfFile));
  return fields;
}

void FewEnough(const JsonReader& value, const StoreOrder& order, Context) {
  if (order.files.size() > kMostFilesSent) value.Get("files").Fail("more files than any models have");
}

void FollowersAreOffered(const JsonReader& value, const StoreOrder& order, Context) {
  for (const std::string& hash : order.follow) {
    const auto same = [&](const OfferedFile& file) { return file.sha256 == hash; };
    if (std::none_of(order.files.begin(), order.files.end(), same)) {
      value.Get("follow").Fail("none of the files is " + hash);
    }
  }
}

const Fields<StoreOrder>& StoreOrderFields() {
  using O = StoreOrder;
  static const auto fields = Fields<O>()
                                 .Kind("store-request/1")
                                 .Needed("files", &O::files, as::ListOf(as::ObjectOf(OfferedFields())))
                                 .Rule(FewEnough)
                                 .Optional("follow", &O::follow, as::ListOf(HashOfFile()))
                                 .Rule(FollowersAreOffered);
  return fields;
}

void LacksEachOnce(const JsonReader& value, const StoreAnswer& answer, Context) {
  std::set<std::string_view> told;
  for (const std::string& hash : answer.lacks) {
    if (!told.insert(hash).second) value.Get("lacks").Fail("names " + hash + " twice");
  }
}

const Fields<StoreAnswer>& StoreAnswerFields() {
  using A = StoreAnswer;
  static const auto fields = Fields<A>()
                                 .Kind("store-result/1")
                                 .Needed("lacks", &A::lacks, as::ListOf(HashOfFile()))
                                 .Rule(LacksEachOnce)
                                 .Needed("name", &A::name, as::Text());
  return fields;
}

}  // namespace

bool IsSha256(std::string_view text) {
  return text.size() == kDigitsOfSha256 &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string StoreOrderJson(const StoreOrder& order) { return StoreOrderFields().Text(order); }

std::string StoreOrderText(const StoreOrder& order) {
  const std::string text = StoreOrderJson(order);
  return std::to_string(text.size()) + "\n" + text;
}

StoreOrder ReadStoreOrder(const JsonReader& root) { return StoreOrderFields().Read(root); }

std::string StoreAnswerJson(const StoreAnswer& answer) { return StoreAnswerFields().File(answer); }

StoreAnswer ReadStoreAnswer(const JsonReader& root) { return StoreAnswerFields().Read(root); }

}  // namespace tandem
