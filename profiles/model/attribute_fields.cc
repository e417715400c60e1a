#include "profiles/model/attribute_fields.h"

#include <limits>

namespace tandem {
namespace {

template <class Element>
void ReadElements(const JsonReader& value, std::vector<Element>& to) {
  for (const JsonReader element : value.Elements()) {
    Element read;
    ReadField(element, read);
    to.push_back(read);
  }
}

std::vector<std::int64_t> ReadExactly(const JsonReader& value, std::size_t count, const char* what) {
  std::vector<std::int64_t> numbers;
  ReadElements(value, numbers);
  if (numbers.size() != count) value.Fail(std::string("expected ") + what);
  return numbers;
}

}  // namespace

void ReadField(const JsonReader& value, bool& to) { to = value.Boolean(); }
void ReadField(const JsonReader& value, std::int64_t& to) {
  to = value.Integer(std::numeric_limits<std::int64_t>::min());
}
void ReadField(const JsonReader& value, double& to) {
  to = value.Number(std::numeric_limits<double>::lowest());
}
void ReadField(const JsonReader& value, std::vector<std::int64_t>& to) { ReadElements(value, to); }
void ReadField(const JsonReader& value, std::vector<double>& to) { ReadElements(value, to); }
void ReadField(const JsonReader& value, Extent& to) {
  const auto read = ReadExactly(value, 2, "the two extents [height, width]");
  to = {read[0], read[1]};
}
void ReadField(const JsonReader& value, Padding& to) {
  const auto read = ReadExactly(value, 4, "the four paddings [top, left, bottom, right]");
  to = {read[0], read[1], read[2], read[3]};
}
void ReadField(const JsonReader& value, PadMode& to) { to = value.OneOf(kPadModeNames, "padding"); }
void ReadField(const JsonReader& value, UpsampleMode& to) { to = value.OneOf(kUpsampleModeNames, "mode"); }

FieldValue ValueOf(const Extent& extent) { return std::vector<std::int64_t>{extent.h, extent.w}; }
FieldValue ValueOf(const Padding& pad) {
  return std::vector<std::int64_t>{pad.top, pad.left, pad.bottom, pad.right};
}
FieldValue ValueOf(PadMode mode) { return std::string(NameOf(kPadModeNames, mode)); }
FieldValue ValueOf(UpsampleMode mode) { return std::string(NameOf(kUpsampleModeNames, mode)); }

}  // namespace tandem
