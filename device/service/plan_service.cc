// PlanService of tandem_device.h: the harness's units, runner and dispatcher, with requests from outside.
#include <algorithm>
#include <condition_variable>
#include <iostream>
#include <mutex>
#include <new>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "device/harness/serving_threads.h"
#include "device/processor/provenance.h"
#include "device/service/counts.h"
#include "device/service/plan.h"
#include "device/service/requests.h"
#include "device/service/tandem_device.h"
#include "device/threads/delivery.h"
#include "profiles/base/input_error.h"
#include "profiles/base/suggest.h"

namespace tandem::device {
namespace {

std::vector<TensorInfo> TensorsOf(const Model& model, const std::vector<LayerId>& layers) {
  std::vector<TensorInfo> tensors;
  for (const LayerId id : layers) {
    const Layer& layer = model.layer(id);
    tensors.push_back({layer.name, layer.output, static_cast<std::size_t>(Elements(layer.output))});
  }
  return tensors;
}

std::vector<std::int32_t> OutputOfTensors(const Cut& cut, const std::vector<LayerId>& outputs) {
  std::vector<std::int32_t> output_of;
  for (const CutTensor& tensor : cut.tensors) {
    const auto found = std::find(outputs.begin(), outputs.end(), tensor.layer);
    output_of.push_back(found == outputs.end() ? -1 : static_cast<std::int32_t>(found - outputs.begin()));
  }
  return output_of;
}

template <class Function>
auto AsOwnExceptions(const Function& function) {
  try {
    return function();
  } catch (const InputError& error) {
    throw BadRequest(error.what());
  } catch (const EnvironmentError& error) {
    throw DeviceFailure(error.what());
  } catch (const std::bad_alloc&) {
    throw DeviceFailure("memory ran out");
  } catch (const std::system_error& error) {
    throw DeviceFailure(error.what());
  }
}

}  // namespace

class PlanService::Inside final : private SpanSink {
 public:
  Inside(const std::string& plan_file, ServiceOptions options);
  ~Inside() { Stop(); }

  const std::vector<StreamInfo>& streams() const { return streams_; }
  std::uint64_t Submit(const std::string& stream, const std::vector<std::vector<float>>& inputs,
                       Callback callback);
  void Drain();
  void Stop();
  ServiceStatistics statistics() const { return counts_->All(); }
  std::string MeasuredProfile() const;

 private:
  void DescribeStreams();
  StreamId StreamOf(const std::string& name) const;
  std::unique_ptr<ServiceRequest> MakeRequest(StreamId stream,
                                              const std::vector<std::vector<float>>& inputs) const;
  void Serve();
  void AnswerTheRest();
  void Answer(std::unique_ptr<ServiceRequest> request, RequestStatus status);
  void TellDrift(const DriftInfo& info);

  void Add(const Span& span) override;
  void Completed(StreamId stream, std::int32_t index, Nanos release, Nanos at) override;
  void Dropped(StreamId stream, std::int32_t index, Nanos release, Nanos at) override;

  ServiceOptions options_;
  PlanFile file_;
  HarnessPlace place_;
  ModelStore store_;
  PreparedRun prepared_;
  std::vector<StreamInfo> streams_;
  std::optional<HarnessUnits> units_;
  std::optional<LiveTensors> tensors_;
  std::optional<ServiceRequests> requests_;
  std::optional<ServiceCounts> counts_;
  std::optional<Dispatcher> dispatcher_;
  std::optional<HarnessWork> work_;
  std::optional<DeviceRunner> runner_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool serving_ = false, closed_ = false;
  std::string failure_;  // of the device
  std::uint64_t submitted_ = 0, answered_ = 0;
  Delivery delivery_;
  std::mutex joining_;
  std::thread thread_;  // runs the runner
};

PlanService::Inside::Inside(const std::string& plan_file, ServiceOptions options)
    : options_(std::move(options)),
      file_(ReadPlanForService(plan_file)),
      place_(ThisPlace({})),
      store_(options_.seed),
      prepared_(Prepare(file_.scenario, file_.scenario.policies.front())) {
  place_.libraries = LibrariesOf(*file_.scenario.platform);
  if (!options_.force) CheckMadeForHere(file_, place_);
  RepeatFixedOrder(prepared_);
  const Problem& problem = *prepared_.problem;
  units_.emplace(file_.scenario, store_, options_.seed, place_.backend_of);
  units_->Prepare(problem);
  DescribeStreams();
  tensors_.emplace(problem, *units_, BufferCounts());
  counts_.emplace(problem, options_.drift);
  RunOptions run_options;
  run_options.spans = this;
  run_options.from_outside = true;
  dispatcher_.emplace(problem, *prepared_.policy, run_options);
  work_.emplace(problem, *dispatcher_, *units_, *tensors_, *requests_);
  DeviceRunnerOptions runner_options;
  runner_options.spin = [&problem](UnitId unit) { return SpinOf(problem, unit); };
  runner_options.arrivals = [this](Nanos now) {
    {
      const std::lock_guard lock(mutex_);
      if (!serving_) changed_.notify_all();
      serving_ = true;
    }
    requests_->HandOver(*dispatcher_, now);
  };
  runner_options.open = [this] {
    const std::lock_guard lock(mutex_);
    return !closed_;
  };
  runner_.emplace(*dispatcher_, *work_, std::move(runner_options));
  thread_ = std::thread([this] { Serve(); });
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return serving_ || closed_; });
  if (!failure_.empty()) {
    lock.unlock();
    thread_.join();
    throw EnvironmentError(failure_);
  }
}

void PlanService::Inside::DescribeStreams() {
  const Scenario& scenario = file_.scenario;
  std::vector<std::vector<std::int32_t>> output_of;
  for (std::size_t s = 0; s < scenario.streams.size(); ++s) {
    const Cut& cut = prepared_.problem->cut(StreamId(s));
    const ScenarioModel& named = scenario.model(cut.model);
    const Model& model = *store_.Get(named.key, cut.batch).model;
    streams_.push_back({scenario.streams[s].name, named.name, cut.batch, TensorsOf(model, model.Inputs()),
                        TensorsOf(model, model.Outputs())});
    output_of.push_back(OutputOfTensors(cut, model.Outputs()));
  }
  requests_.emplace(*prepared_.problem, std::move(output_of));
}

StreamId PlanService::Inside::StreamOf(const std::string& name) const {
  StreamId of_model;
  bool several = false;
  std::vector<std::string> names;
  for (std::size_t s = 0; s < streams_.size(); ++s) {
    if (streams_[s].name == name) return StreamId(s);
    several = several || (streams_[s].model == name && of_model.valid());
    if (streams_[s].model == name) of_model = StreamId(s);
    names.push_back(streams_[s].name);
  }
  if (several) throw InputError("several streams run model " + Quoted(name) + ": say which by its name");
  if (!of_model.valid())
    throw InputError("the plan has no stream or model " + Quoted(name) + Suggestion(name, names));
  return of_model;
}

std::unique_ptr<ServiceRequest> PlanService::Inside::MakeRequest(
    StreamId stream, const std::vector<std::vector<float>>& inputs) const {
  const StreamInfo& info = streams_[stream.index()];
  if (inputs.size() != info.inputs.size()) {
    throw InputError("stream " + Quoted(info.name) + " takes " + std::to_string(info.inputs.size()) +
                     " inputs, here are " + std::to_string(inputs.size()));
  }
  auto request = std::make_unique<ServiceRequest>();
  request->stream = stream;
  request->result.stream = info.name;
  request->submitted = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].size() != info.inputs[i].floats) {
      throw InputError("stream " + Quoted(info.name) + ", input " + Quoted(info.inputs[i].layer) + ": " +
                       std::to_string(info.inputs[i].floats) + " floats, here are " +
                       std::to_string(inputs[i].size()));
    }
    request->inputs.emplace_back(std::span<const float>(inputs[i]));
  }
  for (const TensorInfo& output : info.outputs) request->outputs.emplace_back(output.floats);
  return request;
}

std::uint64_t PlanService::Inside::Submit(const std::string& name,
                                          const std::vector<std::vector<float>>& inputs, Callback callback) {
  const StreamId stream = StreamOf(name);
  auto request = MakeRequest(stream, inputs);
  request->callback = std::move(callback);
  std::uint64_t number = 0;
  {
    const std::lock_guard lock(mutex_);
    if (!failure_.empty()) throw EnvironmentError(failure_);
    if (closed_) throw InputError("the service has been stopped");
    number = request->result.number = submitted_++;
    counts_->Submitted(stream);
    requests_->Add(std::move(request));
  }
  runner_->Ring();
  return number;
}

void PlanService::Inside::Add(const Span& span) {
  if (auto drift = counts_->Ended(span)) {
    delivery_.Post([this, info = std::move(*drift)] { TellDrift(info); });
  }
}

void PlanService::Inside::Completed(StreamId stream, std::int32_t index, Nanos, Nanos) {
  Answer(requests_->Take(stream, index), RequestStatus::kDone);
}

void PlanService::Inside::Dropped(StreamId stream, std::int32_t index, Nanos, Nanos) {
  Answer(requests_->Take(stream, index), RequestStatus::kDropped);
}

void PlanService::Inside::TellDrift(const DriftInfo& info) {
  try {
    if (options_.on_drift) return options_.on_drift(info);
    std::cerr << "tandem: " << info.model << (info.layers.empty() ? "" : ", " + info.layers) << " on "
              << info.unit << " takes " << info.measured.count() / 1000 << " us, profiled are "
              << info.profiled.count() / 1000 << " us\n";
  } catch (...) {
    counts_->CallbackFailed();
  }
}

void PlanService::Inside::Answer(std::unique_ptr<ServiceRequest> request, RequestStatus status) {
  request->result.status = status;
  request->result.latency = std::chrono::steady_clock::now() - request->submitted;
  delivery_.Post([this, answered = std::shared_ptr<ServiceRequest>(std::move(request))] {
    RequestResult& result = answered->result;
    if (result.status == RequestStatus::kDone && result.output_hash.empty()) {
      for (const Buffer& output : answered->outputs) {
        result.outputs.emplace_back(output.values().begin(), output.values().end());
      }
    }
    counts_->Answered(answered->stream, result);
    try {
      if (answered->callback) answered->callback(result);
    } catch (...) {
      counts_->CallbackFailed();
    }
    const std::lock_guard lock(mutex_);
    ++answered_;
    changed_.notify_all();
  });
}

void PlanService::Inside::Serve() {
  std::string failure;
  try {
    const ServingThreads threads(*runner_, *work_, *units_);
    runner_->Run(*dispatcher_);
    if (runner_->failure()) failure = WhatOf(runner_->failure());
  } catch (const std::exception& error) {
    failure = error.what();
  }
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    failure_ = failure;
    changed_.notify_all();
  }
  AnswerTheRest();
}

// Nothing is added any more.
void PlanService::Inside::AnswerTheRest() {
  for (auto& request : requests_->TakeAll()) {
    request->result.why = failure_;
    Answer(std::move(request), failure_.empty() ? RequestStatus::kStopped : RequestStatus::kFailed);
  }
}

void PlanService::Inside::Drain() {
  if (delivery_.IsThisThread()) throw InputError("Drain() and Stop() are not for callbacks");
  std::unique_lock lock(mutex_);
  const std::uint64_t all = submitted_;
  changed_.wait(lock, [&] { return answered_ >= all; });
}

void PlanService::Inside::Stop() {
  if (delivery_.IsThisThread()) throw InputError("Drain() and Stop() are not for callbacks");
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  runner_->AskToStop();
  {
    const std::lock_guard lock(joining_);
    if (thread_.joinable()) thread_.join();
  }
  Drain();
}

std::string PlanService::Inside::MeasuredProfile() const {
  return ProfileOfMedians(*prepared_.problem, place_, counts_->Medians());
}

double DriftInfo::drift() const {
  return profiled.count() == 0
             ? 0
             : static_cast<double>(measured.count()) / static_cast<double>(profiled.count()) - 1;
}

PlanService::PlanService(const std::string& plan_file, ServiceOptions options)
    : inside_(AsOwnExceptions([&] { return std::make_unique<Inside>(plan_file, std::move(options)); })) {}
PlanService::~PlanService() = default;

const std::vector<StreamInfo>& PlanService::streams() const { return inside_->streams(); }

std::uint64_t PlanService::Submit(const std::string& stream, std::vector<std::vector<float>> inputs,
                                  Callback callback) {
  return AsOwnExceptions([&] { return inside_->Submit(stream, inputs, std::move(callback)); });
}

void PlanService::Drain() {
  AsOwnExceptions([&] { inside_->Drain(); });
}

void PlanService::Stop() {
  AsOwnExceptions([&] { inside_->Stop(); });
}

ServiceStatistics PlanService::statistics() const { return inside_->statistics(); }

std::string PlanService::MeasuredProfile() const {
  return AsOwnExceptions([&] { return inside_->MeasuredProfile(); });
}

}  // namespace tandem::device
