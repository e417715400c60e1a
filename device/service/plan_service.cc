// PlanService of tandem_device.h: the harness's units, runner and dispatcher, with requests from outside.
#include <condition_variable>
#include <iostream>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

#include "device/harness/serving_threads.h"
#include "device/service/counts.h"
#include "device/service/following.h"
#include "device/service/functions.h"
#include "device/service/plan.h"
#include "device/service/requests.h"
#include "device/service/streams.h"
#include "device/service/tandem_device.h"
#include "device/threads/delivery.h"
#include "profiles/base/input_error.h"
#include "profiles/base/printable.h"

namespace tandem::device {
namespace {

// Memory that runs out for them is a failure of this request alone.
void CopyOutputs(ServiceRequest& request, const std::vector<TensorInfo>& infos) {
  RequestResult& result = request.result;
  try {
    for (std::size_t i = 0; i < request.outputs->size(); ++i) {
      const float* const begin = (*request.outputs)[i].data();
      result.outputs.emplace_back(begin, begin + infos[i].floats);
    }
  } catch (const std::bad_alloc&) {
    result.outputs.clear();
    result.status = RequestStatus::kFailed;
    result.why = "memory ran out for its outputs";
  }
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

class PlanService::Inside final : private SpanSink, private Followers {
 public:
  Inside(const std::string& plan_file, ServiceOptions options);
  ~Inside() { Stop(); }

  const std::vector<StreamInfo>& streams() const { return streams_.infos(); }
  std::uint64_t Submit(const std::string& stream, const std::vector<std::vector<float>>& inputs,
                       Callback callback);
  void Cancel(std::uint64_t number);
  void Drain();
  void Stop();
  ServiceStatistics statistics() const;
  std::string MeasuredProfile() const;

 private:
  RunOptions DispatcherOptions();
  DeviceRunnerOptions RunnerOptions();
  void Serve();
  std::vector<std::unique_ptr<ServiceRequest>> TakeTheRest();
  void AnswerTheRest();
  void Answer(std::unique_ptr<ServiceRequest> request);
  void TellDrift(const DriftInfo& info);

  void Add(const Span& span) override;
  void Ended(const RequestEnd& end) override;

  bool Completes(StreamId, std::int64_t) override { return following_.Completes(); }
  void Released(StreamId stream, std::int64_t index) override;
  void LeftOut(StreamId stream, std::int64_t index) override { following_.LeftOut(stream, index); }
  void Followed(StreamId, std::int64_t) override;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool serving_ = false, closed_ = false;
  std::string failure_;          // of the device
  std::uint64_t submitted_ = 0;  // by callers
  std::uint64_t answered_ = 0;   // of these, with all that has followed them so far
  std::mutex joining_;

  ServiceOptions options_;
  PlanFile file_;
  HarnessHost host_;
  ModelStore store_;
  PreparedRun prepared_;
  std::vector<tandem::StageFunction> functions_;
  HarnessUnits units_;
  ServedStreams streams_;
  Following following_;
  LiveTensors tensors_;
  ServiceRequests requests_;
  ServiceCounts counts_;
  Dispatcher dispatcher_;
  HarnessWork work_;
  DeviceRunner runner_;
  const std::vector<std::string> notices_;  // ServiceStatistics::notices
  Delivery delivery_;
  std::thread thread_;  // runs the runner
};

PlanService::Inside::Inside(const std::string& plan_file, ServiceOptions options)
    : options_(std::move(options)),
      file_(ReadPlanForService(plan_file, options_.allow_commands)),
      host_(HostOf(file_, options_.force, options_.allow_commands)),
      store_(options_.seed),
      prepared_(PrepareForService(file_)),
      functions_(FunctionsOf(*prepared_.problem, options_.functions)),
      units_(*prepared_.problem, store_, options_.seed, host_.backend_of, functions_),
      streams_(*prepared_.problem, store_, functions_, options_.follow),
      following_(*prepared_.problem, streams_, options_.follow),
      tensors_(*prepared_.problem, units_, BufferCounts()),
      requests_(*prepared_.problem, streams_.output_of()),
      counts_(*prepared_.problem, options_.drift),
      dispatcher_(*prepared_.problem, *prepared_.policy, DispatcherOptions()),
      work_(*prepared_.problem, dispatcher_, units_, tensors_, requests_),
      runner_(dispatcher_, work_, RunnerOptions()),
      notices_(NoticesOf(file_, host_, units_, options_.follow)),
      thread_([this] { Serve(); }) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return serving_ || closed_; });
  if (!failure_.empty()) {
    lock.unlock();
    thread_.join();
    throw EnvironmentError(failure_);
  }
}

RunOptions PlanService::Inside::DispatcherOptions() {
  RunOptions options;
  options.spans = this;
  options.from_outside = true;
  if (following_.on()) options.followers = this;
  return options;
}

DeviceRunnerOptions PlanService::Inside::RunnerOptions() {
  DeviceRunnerOptions options;
  options.spin = [this](UnitId unit) { return SpinOf(*prepared_.problem, unit); };
  options.arrivals = [this](Nanos now) {
    {
      const std::lock_guard lock(mutex_);
      if (!serving_) changed_.notify_all();
      serving_ = true;
    }
    requests_.HandOver(dispatcher_, now, &following_);
    for (auto& request : requests_.TakeCancelled()) {
      request->result.status = RequestStatus::kCancelled;
      Answer(std::move(request));
    }
  };
  options.open = [this] {
    const std::lock_guard lock(mutex_);
    return !closed_;
  };
  return options;
}

std::uint64_t PlanService::Inside::Submit(const std::string& name,
                                          const std::vector<std::vector<float>>& inputs, Callback callback) {
  const StreamId stream = streams_.Find(name);
  auto request = streams_.Request(stream, inputs);
  Submission& submission = *request->submission;
  submission.callback = std::move(callback);
  submission.unanswered = 1;
  std::uint64_t number = 0;
  {
    const std::lock_guard lock(mutex_);
    if (!failure_.empty()) throw EnvironmentError(failure_);
    if (closed_) throw InputError("the service has been stopped");
    number = submission.number = request->result.number = submitted_;
    requests_.Add(std::move(request));  // where memory runs out for it, it was not submitted
    ++submitted_;
    counts_.Submitted(stream);
  }
  runner_.Ring();
  return number;
}

void PlanService::Inside::Cancel(std::uint64_t number) {
  {
    const std::lock_guard lock(mutex_);
    if (number >= submitted_)
      throw InputError("no request has the number " + std::to_string(number) + ": " +
                       std::to_string(submitted_) + " have been submitted");
    if (closed_) return;  // all that there are get their answers
    requests_.Cancel(number);
  }
  runner_.Ring();
}

// What was skipped took no time that says anything of the unit.
void PlanService::Inside::Add(const Span& span) {
  if (!requests_.IsWanted(span.stream, span.index)) return;
  if (auto drift = counts_.Ended(span)) {
    delivery_.Post([this, info = std::move(*drift)] { TellDrift(info); });
  }
}

void PlanService::Inside::Ended(const RequestEnd& end) {
  auto request = requests_.Take(end.stream, end.index);
  if (request) {
    RequestResult& result = request->result;
    if (!result.why.empty()) result.status = RequestStatus::kFailed;
    if (end.dropped) result.status = RequestStatus::kDropped;
  }
  if (following_.IsFollowed(end.stream)) return following_.Begin(std::move(request), end.index);
  if (request) Answer(std::move(request));  // else it has been, as cancelled
}

void PlanService::Inside::Released(StreamId stream, std::int64_t index) {
  auto request = following_.Follower(stream, index);
  if (!request->cancelled) {
    counts_.Submitted(stream);
    const std::lock_guard lock(mutex_);
    if (request->submission->unanswered++ == 0) --answered_;  // it joins what came with another
  }
  requests_.Begin(std::move(request), index);
}

// Answered only now, so that nobody takes the submission for done before those are there that follow.
void PlanService::Inside::Followed(StreamId, std::int64_t) {
  if (auto request = following_.TakeEnded()) Answer(std::move(request));
}

void PlanService::Inside::TellDrift(const DriftInfo& info) {
  try {
    if (options_.on_drift) return options_.on_drift(info);
    std::cerr << "tandem: "
              << PrintableLine(info.model + (info.layers.empty() ? "" : ", " + info.layers) + " on " +
                               info.unit)
              << " takes " << info.measured.count() / 1000 << " us, profiled are "
              << info.profiled.count() / 1000 << " us\n";
  } catch (...) {
    counts_.CallbackFailed();
  }
}

void PlanService::Inside::Answer(std::unique_ptr<ServiceRequest> request) {
  request->result.latency = std::chrono::steady_clock::now() - request->submission->at;
  delivery_.Post([this, answered = std::shared_ptr<ServiceRequest>(std::move(request))] {
    RequestResult& result = answered->result;
    if (result.status == RequestStatus::kDone && result.output_hash.empty()) {
      CopyOutputs(*answered, streams()[answered->stream.index()].outputs);
    }
    counts_.Answered(answered->stream, result);
    try {
      if (answered->submission->callback) answered->submission->callback(result);
    } catch (...) {
      counts_.CallbackFailed();
    }
    const std::lock_guard lock(mutex_);
    if (--answered->submission->unanswered == 0) ++answered_;
    changed_.notify_all();
  });
}

void PlanService::Inside::Serve() {
  std::string failure;
  try {
    const ServingThreads threads(runner_, work_, units_);
    runner_.Run(dispatcher_);
    if (runner_.failure()) failure = WhatOf(runner_.failure());
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

// Nothing is added any more. Where memory has run out, what has it now gives some back in the end.
std::vector<std::unique_ptr<ServiceRequest>> PlanService::Inside::TakeTheRest() {
  for (;;) {
    try {
      return requests_.TakeAll();
    } catch (const std::bad_alloc&) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
}

void PlanService::Inside::AnswerTheRest() {
  Followed({}, 0);  // what was on its way to an answer
  for (auto& request : TakeTheRest()) {
    request->result.why = failure_;
    request->result.status = failure_.empty() ? RequestStatus::kStopped : RequestStatus::kFailed;
    Answer(std::move(request));
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
  runner_.AskToStop();
  {
    const std::lock_guard lock(joining_);
    if (thread_.joinable()) thread_.join();
  }
  Drain();
}

ServiceStatistics PlanService::Inside::statistics() const {
  ServiceStatistics all = counts_.All();
  all.notices = notices_;
  return all;
}

std::string PlanService::Inside::MeasuredProfile() const {
  return ProfileOfMedians(*prepared_.problem, host_, counts_.Medians());
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

void PlanService::Cancel(std::uint64_t number) {
  AsOwnExceptions([&] { inside_->Cancel(number); });
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
