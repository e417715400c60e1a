// How figures stand in files: each with its tolerance, a line each.
#pragma once

#include "scenarios/baseline/baseline.h"

namespace tandem::as {

CodecOf<std::string> FigureText();     // the whole name of a figure, perhaps of a stream
CodecOf<FigureValue> ValueOfFigure();  // a number, a word or null

// {"makespan_ns": {"value": 1, "tolerance": 0}, ...}; each behind `before`, and `after` before the last
// brace.
CodecOf<KeptFigures> FigureLines(std::string before, std::string after);

// As ListOf, but each element is written behind `before`.
template <class Element>
CodecOf<std::vector<Element>> LineList(CodecOf<Element> element, std::string before) {
  const CodecOf<std::vector<Element>> list = ListOf(element);
  return Custom<std::vector<Element>>(
      [list](SchemaDefs& defs) { return list->Schema(defs); },
      [list](const JsonReader& value, std::vector<Element>& into, Context context) {
        list->Read(value, into, context);
      },
      [element, before](const std::vector<Element>& from, std::string& text, Context context) {
        text += '[';
        for (std::size_t i = 0; i < from.size(); ++i) {
          text += (i == 0 ? "" : ",") + before;
          element->Write(from[i], text, context);
        }
        text += ']';
      });
}

}  // namespace tandem::as
