// Protobuf's text format, line by line: "name: \"a\"", "input {" ... "}".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

class TextProto {
 public:
  void Text(std::string_view field, std::string_view value);
  void Word(std::string_view field, std::string_view word);  // of an enum, or true or false
  void Number(std::string_view field, std::int64_t value);
  void Numbers(std::string_view field, const std::vector<std::int64_t>& values);
  void Open(std::string_view field);
  void Close();

  std::string Take();  // every Open has its Close

 private:
  void Line(std::string_view text);

  std::string text_;
  std::size_t depth_ = 0;
};

}  // namespace tandem
