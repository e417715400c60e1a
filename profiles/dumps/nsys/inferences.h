// Which ranges are one inference together, and which are a layer's in it.
#pragma once

#include <string>
#include <vector>

#include "profiles/dumps/dump.h"
#include "profiles/dumps/nsys/doubts.h"
#include "profiles/dumps/nsys/nesting.h"

namespace tandem::nsys {

// A range of a name that was asked for, in one inference.
struct Execution {
  std::size_t row = 0, inference = 0;
};

class Inferences {
 public:
  // Of one process. What is not certain goes to `doubts`. Throws InputError for these where nothing can be
  // said then, and where no range is of a name that was asked for.
  Inferences(const Export& read, Process process, const DumpQuestion& asked, const std::string& file,
             Doubts& doubts);

  std::size_t count() const { return count_; }
  const std::vector<Name>& rows() const { return rows_; }  // in the order in which they first ran
  // Is a range around each? Else the layers' own ranges tell them apart, which begin anew with each.
  bool have_range() const { return has_outer_; }
  Name range() const { return outer_; }

  // Null where the call was made in no layer's range.
  const Execution* ExecutionAt(const Call& call) const;
  bool IsInOne(const Call& call) const;      // on the thread whose range is around it
  bool IsDuringOne(const Call& call) const;  // on any thread

 private:
  void FindNames(const Export& read, Process process, const DumpQuestion& asked,
                 const std::vector<Range>& ranges, const std::string& file);
  void NoteBroken(const Export& read, Process process, Doubts& doubts) const;
  void FindOwners();
  std::size_t OwnerOf(std::size_t range) const;
  void FindExecutions();
  void NumberExecutions();
  void CheckOnce(const Export& read, Doubts& doubts) const;
  void CheckTurns(Doubts& doubts) const;
  std::vector<Span> SpansOfInferences() const;

  bool has_outer_ = false;
  Name outer_ = 0;
  std::vector<bool> asked_;  // by name
  Nesting nesting_{{}};
  std::vector<std::size_t> around_;    // per range: the outermost that is around an inference
  std::vector<std::size_t> owners_;    // per range: the one of a layer that it is, or is in
  std::vector<std::size_t> outers_;    // the ranges around the inferences, by their starts
  std::vector<std::size_t> firsts_;    // the ranges that own themselves, by their starts
  std::vector<Execution> executions_;  // per range, of those that own themselves
  std::vector<Name> rows_;
  std::size_t count_ = 0;
};

}  // namespace tandem::nsys
