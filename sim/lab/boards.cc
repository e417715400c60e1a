#include "sim/lab/boards.h"

#include <algorithm>
#include <string_view>

#include "profiles/base/file_kinds.h"
#include "profiles/costs/board_profile.h"

namespace tandem {
namespace {

// It is part of the name of a file.
CodecOf<std::string> NameInLab() {
  return as::TextReadBy(
      [](SchemaDefs&) {
        return SchemaNode(R"("type": "string", "pattern": "^[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}$")");
      },
      [](const JsonReader& value, std::string& into, Context) {
        into = value.Name();
        if (IsNameInStore(into)) return;
        value.Fail(
            "is part of a file's name: letters, digits, \".\", \"_\" and \"-\", and no \".\" in front");
      });
}

// The list under this key has names that differ.
template <class Element>
void NamesDiffer(const JsonReader& value, std::string_view key, const std::vector<Element>& list,
                 const std::string& what) {
  std::size_t position = 0;
  for (const JsonReader element : value.Get(key).Elements()) {
    const auto here = list.begin() + static_cast<std::ptrdiff_t>(position++);
    const auto same = [&](const Element& other) { return other.name == here->name; };
    if (std::any_of(list.begin(), here, same)) {
      element.Get("name").Fail("the " + what + " " + Quoted(here->name) + " is given twice");
    }
  }
}

const Fields<LabState>& LabStateFields() {
  static const auto fields =
      Fields<LabState>("boards_state", "What a board is put into before it is measured.")
          .Needed("name", &LabState::name, NameInLab())
          .Optional("before", &LabState::before, as::Words(),
                    "A command that brings the board there, started here: \"ssh nano sudo nvpmodel -m 0\".")
          .Optional("arguments", &LabState::arguments, as::ListOf(as::Words()),
                    "Given to the board's `tandem-device profile`; over ssh its shell takes them apart.");
  return fields;
}

void StatesDiffer(const JsonReader& value, const LabBoard& board, Context) {
  if (value.Find("states")) NamesDiffer(value, "states", board.states, "state");
}

const Fields<LabBoard>& LabBoardFields() {
  static const auto fields =
      Fields<LabBoard>("boards_board")
          .Needed("name", &LabBoard::name, NameInLab())
          .Needed("command", &LabBoard::command, as::Words(),
                  "The board's tandem-device, as a shell takes it: \"ssh nano tandem-device\".")
          .Optional("states", &LabBoard::states,
                    as::ListOf(as::ObjectOf(LabStateFields()),
                               {.least = 1, .few = "without this key the board is measured as it is"}),
                    "It is measured in each, one after the other.")
          .Rule(StatesDiffer);
  return fields;
}

void BoardsDiffer(const JsonReader& value, const Lab& lab, Context) {
  NamesDiffer(value, "boards", lab.boards, "board");
}

const Fields<Lab>& LabFields() {
  static const auto fields = Fields<Lab>("boards", "the boards of a lab, and the command that reaches each")
                                 .Kind("boards/1")
                                 .Needed("name", &Lab::name, as::Name())
                                 .Optional("note", &Lab::note, as::Text())
                                 .Needed("boards", &Lab::boards,
                                         as::ListOf(as::ObjectOf(LabBoardFields()),
                                                    {.least = 1, .few = "a lab has at least one board"}))
                                 .Rule(BoardsDiffer);
  return fields;
}

std::string JudgeLab(const JsonReader& root) {
  const Lab lab = ReadLab(root);
  std::int64_t states = 0;
  for (const LabBoard& board : lab.boards) states += static_cast<std::int64_t>(board.states.size());
  return Counted(static_cast<std::int64_t>(lab.boards.size()), "board") + ", " + Counted(states, "state");
}

const FileKindRegistration kLabKind{{"boards/1", AsAnyFields<Lab, LabFields>, JudgeLab}};

}  // namespace

Lab ReadLab(const JsonReader& root) {
  Lab lab = LabFields().Read(root);
  lab.folder = std::filesystem::path(root.file()).parent_path();
  for (LabBoard& board : lab.boards) {
    if (board.states.empty()) board.states.emplace_back();
  }
  return lab;
}

Lab ReadLabFile(const std::filesystem::path& file) { return ReadLab(JsonDocument::ReadFile(file).root()); }

}  // namespace tandem
