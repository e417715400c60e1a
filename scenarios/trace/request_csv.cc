#include "scenarios/trace/request_csv.h"

#include <algorithm>
#include <string_view>

#include "profiles/base/joined.h"
#include "profiles/base/json_write.h"

namespace tandem {
namespace {

std::string Field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

RequestCsv::RequestCsv(const std::filesystem::path& path, const Scenario& scenario)
    : scenario_(&scenario), file_(path) {
  file_.Append(
      "policy,stream,index,model,release_ns,deadline_ns,start_ns,end_ns,latency_ns,wait_ns,missed,dropped,"
      "units,energy_j\n");
  file_.Flush();
}

SpanSink& RequestCsv::BeginRun(std::string policy, Joules joules) {
  policy_ = Field(policy);
  joules_ = std::move(joules);
  under_way_.clear();
  return *this;
}

void RequestCsv::EndRun() { file_.Flush(); }

void RequestCsv::Close() { file_.Commit(); }

void RequestCsv::Add(const Span& span) {
  const auto [place, first] = under_way_.try_emplace({span.stream, span.index});
  UnderWay& request = place->second;
  request.first_start = first ? span.start : std::min(request.first_start, span.start);
  const bool by_unit = span.unit.index() < scenario_->platform->units.size() && span.kind != SpanKind::kLost;
  if (by_unit && std::find(request.units.begin(), request.units.end(), span.unit) == request.units.end()) {
    request.units.push_back(span.unit);
  }
  const auto joules = joules_(span);
  request.joules = request.joules && joules ? std::optional(*request.joules + *joules) : std::nullopt;
}

// The columns that a request has whatever becomes of it.
void RequestCsv::OpenLine(const RequestEnd& end) {
  const Stream& stream = scenario_->streams[end.stream.index()];
  line_ = policy_ + "," + Field(stream.name) + "," + std::to_string(end.index) + "," +
          Field(scenario_->model(stream.model).name) + "," + std::to_string(end.release.count()) + ",";
  if (end.due) line_ += std::to_string(end.due->count());
}

void RequestCsv::Ended(const RequestEnd& end) {
  const auto place = under_way_.find({end.stream, end.index});
  if (end.with >= 0) last_.joules.reset();  // what they took together stands in the first one's line
  const UnderWay request = place != under_way_.end() ? place->second
                           : end.with >= 0           ? last_
                                                     : UnderWay{end.at, {}, 0.0};
  if (place != under_way_.end()) {
    last_ = place->second;
    under_way_.erase(place);
  }
  OpenLine(end);
  if (end.dropped) {
    file_.Append(line_ + ",," + std::to_string(end.at.count()) + ",,,1,1,,\n");
    return;
  }
  const Nanos latency = end.at - end.release;
  for (const Nanos time : {request.first_start, end.at, latency, request.first_start - end.release}) {
    line_ += "," + std::to_string(time.count());
  }
  line_ += end.missed() ? ",1,0," : ",0,0,";
  const std::string units =
      Joined(request.units, "+", [&](UnitId unit) { return scenario_->platform->unit(unit).name; });
  file_.Append(line_ + Field(units) + "," + (request.joules ? JsonNumber(*request.joules) : "") + "\n");
}

}  // namespace tandem
