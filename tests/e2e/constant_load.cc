// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "tests/e2e/constant_load.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "stridecast/program.h"
#include "stridecast/tensor_view.h"

namespace stridecast::testing {
namespace {

struct Kind {
  int64_t num_elements;  // f32
  absl::Duration pause;  // between calls: the machine is also others'
};
constexpr Kind kSmall = {256, absl::Milliseconds(4)};
constexpr Kind kGreat = {int64_t{1} << 20, absl::Milliseconds(20)};

Signature Doubling(int64_t num_elements) {
  ProgramBuilder b;
  const Value x = b.Parameter(*TensorDesc::Create(DType::kF32, {num_elements}));
  b.Result(b.Add(x, x));
  return *b.Build();
}

}  // namespace

class ConstantLoad::Caller {
 public:
  Caller(const Client& client, const Kind& kind)
      : client_(client), kind_(kind), thread_([this] { Run(); }) {}

  ~Caller() {
    {
      absl::MutexLock lock(&mutex_);
      is_stopped_ = true;
    }
    thread_.join();
  }

  int64_t num_answers() const {
    absl::MutexLock lock(&mutex_);
    return num_answers_;
  }

  // False at `limit`.
  bool WaitForAnswers(int64_t num_answers, absl::Time limit) const {
    absl::MutexLock lock(&mutex_);
    const auto has_them = [this, num_answers]() ABSL_SHARED_LOCKS_REQUIRED(
                              mutex_) { return num_answers_ >= num_answers; };
    return mutex_.AwaitWithDeadline(absl::Condition(&has_them), limit);
  }

  void TakeInto(Figures& figures) {
    absl::MutexLock lock(&mutex_);
    NoteGap();
    figures.num_calls += std::exchange(num_calls_, 0);
    for (std::string& failure : failures_) {
      figures.failures.push_back(std::move(failure));
    }
    failures_.clear();
    figures.longest_gap = std::max(
        figures.longest_gap, std::exchange(longest_gap_, absl::ZeroDuration()));
  }

 private:
  void Run() {
    const Signature program = Doubling(kind_.num_elements);
    const auto count = static_cast<size_t>(kind_.num_elements);
    std::vector<float> operand(count), result(count);
    for (float number = 1;; ++number) {
      std::fill(operand.begin(), operand.end(), number);
      const absl::Status status =
          client_.ComputeInto(program, {*View(operand, {kind_.num_elements})},
                              {*MutableView(result, {kind_.num_elements})});
      const bool is_right =
          status.ok() &&
          std::all_of(result.begin(), result.end(), [number](float element) {
            return element == 2 * number;
          });
      absl::MutexLock lock(&mutex_);
      ++num_calls_;
      if (is_right) {
        NoteGap();
        last_answer_ = absl::Now();
        ++num_answers_;
      } else {
        failures_.push_back(status.ok() ? "wrong values" : status.ToString());
      }
      if (mutex_.AwaitWithTimeout(absl::Condition(&is_stopped_), kind_.pause)) {
        return;
      }
    }
  }

  void NoteGap() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    longest_gap_ = std::max(longest_gap_, absl::Now() - last_answer_);
  }

  const Client client_;
  const Kind kind_;
  mutable absl::Mutex mutex_;
  bool is_stopped_ ABSL_GUARDED_BY(mutex_) = false;
  int64_t num_calls_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t num_answers_ ABSL_GUARDED_BY(mutex_) = 0;
  std::vector<std::string> failures_ ABSL_GUARDED_BY(mutex_);
  absl::Time last_answer_ ABSL_GUARDED_BY(mutex_) = absl::Now();
  absl::Duration longest_gap_ ABSL_GUARDED_BY(mutex_);
  std::thread thread_;
};

ConstantLoad::ConstantLoad(const Client& client) {
  for (const Kind& kind : {kSmall, kSmall, kSmall, kSmall, kGreat, kGreat}) {
    callers_.push_back(std::make_unique<Caller>(client, kind));
  }
}

ConstantLoad::~ConstantLoad() = default;

bool ConstantLoad::WaitForAnswers(int num_answers) {
  const absl::Time limit = absl::Now() + absl::Minutes(1);
  std::vector<int64_t> wanted;
  for (const auto& caller : callers_) {
    wanted.push_back(caller->num_answers() + num_answers);
  }
  bool all = true;
  for (size_t i = 0; i < callers_.size(); ++i) {
    all &= callers_[i]->WaitForAnswers(wanted[i], limit);
  }
  return all;
}

ConstantLoad::Figures ConstantLoad::Take() {
  Figures figures;
  for (const auto& caller : callers_) caller->TakeInto(figures);
  return figures;
}

}  // namespace stridecast::testing
