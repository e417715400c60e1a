#include "profiles/dumps/nsys/doubts.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "profiles/base/input_error.h"

namespace tandem::nsys {
namespace {

constexpr std::size_t kMostShown = 3, kMostKept = 1000;

struct Words {
  std::string_view what, advice;
};
constexpr std::array<Words, static_cast<std::size_t>(Doubt::kLast) + 1> kWords = {{
    {"a range did not end, or not on the thread that began it",
     "end the capture between two inferences, and begin and end each range on one thread"},
    {"two ranges overlap, and neither is in the other", "nest them"},
    {"a layer did not run once in every inference",
     "name the range that is around one inference with --range, or leave out what is not like the others"},
    {"work was launched by a call that the export does not have, or has twice",
     "capture from before the first launch, and profile again"},
    {"work was launched in no layer's range",
     "say in a file for --map which layers its range means (none leaves the range out), or with --range what "
     "is around one inference: what was launched outside of that is left out"},
    {"work ran in a CUDA graph, which is launched as a whole", "profile the model without graphs"},
    {"work was launched by another thread during an inference",
     "launch all of an inference on the thread that is in its ranges"},
    {"a copy to or from the card was launched in a layer's range",
     "its time is the link's: put it into a range of its own, and leave that out with --map"},
    {"a layer did not launch as much in every inference",
     "leave out inferences that warm up or choose kernels, with --range or by a later start of the capture"},
    {"an inference began before the one before it ended", "let each wait for the last, and profile again"},
    {"work ran while other work did, and took longer for it than alone",
     "use one stream, and nothing else on the card"},
}};

}  // namespace

void Doubts::Add(Doubt doubt, std::string example) {
  Found& found = found_[static_cast<std::size_t>(doubt)];
  ++found.count;
  if (found.examples.size() < kMostKept || found.examples.contains(example))
    ++found.examples[std::move(example)];
}

// The most frequent ones.
std::string Doubts::ExamplesOf(const Found& found) {
  std::vector<std::pair<std::string, std::size_t>> examples(found.examples.begin(), found.examples.end());
  std::stable_sort(examples.begin(), examples.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (std::size_t i = 0; i < examples.size() && i < kMostShown; ++i) {
    text += (text.empty() ? "" : ", ") + examples[i].first;
    if (examples[i].second > 1) text += " (" + std::to_string(examples[i].second) + " times)";
  }
  return examples.size() > kMostShown ? text + ", ..." : text;
}

void Doubts::Refuse(const std::string& file) const {
  std::string text;
  for (std::size_t i = 0; i < found_.size(); ++i) {
    if (found_[i].count == 0) continue;
    text += "\n  " + std::string(kWords[i].what) + ", " + std::to_string(found_[i].count) +
            (found_[i].count == 1 ? " time: " : " times: ") + ExamplesOf(found_[i]) + "\n    " +
            std::string(kWords[i].advice);
  }
  if (!text.empty()) throw InputError(file + ": it is not certain which layer took how long:" + text);
}

}  // namespace tandem::nsys
