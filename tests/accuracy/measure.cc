// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "tests/accuracy/measure.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <mutex>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tests/accuracy/fast_value.h"
#include "tests/accuracy/inputs.h"
#include "tests/accuracy/tables.h"
#include "tests/accuracy/worst.h"
#include "tests/support/exact_functions.h"
#include "tests/support/judge.h"
#include "tests/support/reference.h"
#include "tests/support/ulp_bound.h"

namespace stridecast::accuracy {
namespace {

constexpr uint64_t kBlock = 8192;   // elements
constexpr uint64_t kSample = 4096;  // MPFR is asked for one input in so many
// Before all inputs in turn: else the many near 0, whose errors are none or
// grow step by step, would each be asked for.
constexpr uint64_t kWarmUp = 1 << 16;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool IsBinary(Opcode opcode) {
  return OperationOf(opcode).form == Form::kBinary;
}

std::string ToText(DType type, uint64_t bits) {
  if (type == DType::kF64)
    return absl::StrFormat("%.17g", testing::DoubleOf(bits));
  return absl::StrFormat("%.9g", testing::FloatOf(type, bits));
}

template <typename T>
T ElementAt(const Buffer& buffer, uint64_t i) {
  T element;
  std::memcpy(&element, buffer.data() + i * sizeof(T), sizeof(T));
  return element;
}

void Append(DType type, uint64_t bits, uint64_t i, Buffer& buffer) {
  const auto width = static_cast<size_t>(ElementBytes(type));
  std::memcpy(buffer.data() + i * width, &bits, width);
}

// A look closer at where errors are great: around so many of the worst inputs
// of the look before, each the worst of those that share so many leading bits
// of the mantissa; the other bits are drawn anew.
struct Look {
  int bits_shared;  // of the mantissa
  size_t num_centres;
};
constexpr Look kLooks[] = {{3, 48}, {7, 48}, {11, 24}};

// f32 with double, f64 with long double.
template <typename T>
struct Wider;
template <>
struct Wider<float> {
  using Type = double;
  using Bits = uint32_t;
  static constexpr DType kType = DType::kF32;
  static constexpr double kSlack = kFastSlackF32;
};
template <>
struct Wider<double> {
  using Type = long double;
  using Bits = uint64_t;
  static constexpr DType kType = DType::kF64;
  static constexpr double kSlack = kFastSlackF64;
};

// One unit in the last place of T at x.
template <typename T>
typename Wider<T>::Type UnitAt(typename Wider<T>::Type x) {
  using Limits = std::numeric_limits<T>;
  const int power = x == 0 ? Limits::min_exponent - 1
                           : std::max(std::ilogb(x), Limits::min_exponent - 1);
  return std::ldexp(typename Wider<T>::Type{1}, power - Limits::digits + 1);
}

// The unit that makes an absolute bound as many as the bound in ULP; 0 if there
// is none. As judge.cc has it.
template <typename T>
typename Wider<T>::Type AbsoluteUnit(Opcode opcode, T x, T y) {
  switch (opcode) {
    case Opcode::kLogaddexp:
      return UnitAt<T>(std::max(x, y));
    case Opcode::kGeluErf:
      return sizeof(T) == 8 && x <= -1 ? T{0x1p-54} : T{0};
    default:
      return 0;
  }
}

// The error by the fast value; infinite where only MPFR is to be asked.
template <typename T>
double FastError(Opcode opcode, T x, T y, T got) {
  using Wide = typename Wider<T>::Type;
  // The exponent magnifies the wider type's errors too much.
  if (opcode == Opcode::kGeluTanh && sizeof(T) == 8) return kInfinity;
  const Wide exact =
      FastValue(opcode, static_cast<Wide>(x), static_cast<Wide>(y));
  if (std::isnan(exact)) {
    const T canonical = std::numeric_limits<T>::quiet_NaN();
    return std::memcmp(&got, &canonical, sizeof(T)) == 0 ? 0 : kInfinity;
  }
  if (std::isnan(got) || std::signbit(got) != std::signbit(exact)) {
    return kInfinity;
  }
  // An infinity is right for all from one unit past the greatest number on.
  const Wide beyond = std::ldexp(Wide{1}, std::numeric_limits<T>::max_exponent);
  if (std::isinf(got) && std::abs(exact) >= beyond) return 0;
  if (std::isinf(exact)) return kInfinity;
  const Wide number =
      std::isinf(got) ? std::copysign(beyond, exact) : Wide{got};
  const Wide distance = std::abs(number - exact);
  const Wide error = distance / UnitAt<T>(exact);
  const Wide unit = AbsoluteUnit(opcode, x, y);
  return static_cast<double>(unit > 0 ? std::min(error, distance / unit)
                                      : error);
}

// One thread's part of a measurement on f32 or f64.
template <typename T>
class FloatWorker {
 public:
  using Bits = typename Wider<T>::Bits;
  static constexpr DType kType = Wider<T>::kType;

  // Where inputs come from: all in turn, those of inputs.h, or the neighbours
  // of `centres`.
  struct Source {
    bool all = false;
    int free_bits = 0;
    std::vector<Input> centres = {};
  };

  FloatWorker(Opcode opcode, const Source& source, int region_bits,
              Worst& worst)
      : instruction_{opcode, {}, {}, {}},
        source_(source),
        regions_(region_bits),
        worst_(worst),
        runner_(opcode, kType),
        x_(kBlock * sizeof(T)),
        y_(kBlock * sizeof(T)) {}

  void Measure(uint64_t begin, uint64_t end) {
    for (uint64_t i = begin; i < end; ++i) {
      const Input input = InputAt(i);
      Append(kType, input.x, i - begin, x_);
      Append(kType, input.y, i - begin, y_);
    }
    const Buffer& results =
        runner_.Run(static_cast<int64_t>(end - begin), x_, y_);
    for (uint64_t i = begin; i < end; ++i) {
      Judge(i - begin, i % kSample == 0, results);
    }
    if (!runner_.fault().empty()) worst_.Fail(runner_.fault());
  }

  const Regions& regions() const { return regions_; }

 private:
  Input InputAt(uint64_t i) const {
    if (source_.all && i >= kWarmUp) return {i - kWarmUp, 0};
    const bool is_binary = IsBinary(instruction_.opcode);
    if (!source_.centres.empty()) {
      return NearInput(source_.centres[i % source_.centres.size()], is_binary,
                       source_.free_bits, i);
    }
    return is_binary ? BinaryInput(instruction_.opcode, kType, i)
                     : UnaryInput(kType, i);
  }

  void Judge(uint64_t at, bool sampled, const Buffer& results) {
    const double fast =
        FastError(instruction_.opcode, ElementAt<T>(x_, at),
                  ElementAt<T>(y_, at), ElementAt<T>(results, at));
    const Input input{ElementAt<Bits>(x_, at), ElementAt<Bits>(y_, at)};
    if (!source_.all && std::isfinite(fast)) regions_.Offer(fast, input);
    if (!sampled && fast <= worst_.error() - Wider<T>::kSlack) return;
    const double error =
        testing::ErrorInUlp(instruction_, kType, {input.x}, {input.y},
                            {ElementAt<Bits>(results, at)});
    if (std::isfinite(fast) && std::isfinite(error) &&
        std::abs(fast - error) > Wider<T>::kSlack * (1 + error)) {
      worst_.Fail(absl::StrCat("the fast value says ", fast, " ULP, MPFR ",
                               error, " at ", ToText(kType, input.x), " ",
                               ToText(kType, input.y)));
    }
    if (error >= worst_.error()) worst_.Offer(error, input);
  }

  const Instruction instruction_;
  const Source& source_;
  Regions regions_;
  Worst& worst_;
  Runner runner_;
  Buffer x_, y_;
};

// Measures `count` inputs on all threads; returns where errors are great.
template <typename T>
Regions MeasureInputs(Opcode opcode,
                      const typename FloatWorker<T>::Source& source,
                      uint64_t count, int region_bits, int num_threads,
                      Worst& worst) {
  Regions regions(region_bits);
  std::mutex mutex;
  std::atomic<uint64_t> next = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < num_threads; ++t) {
    threads.emplace_back([&] {
      FloatWorker<T> worker(opcode, source, region_bits, worst);
      for (;;) {
        const uint64_t begin = next.fetch_add(kBlock);
        if (begin >= count) break;
        worker.Measure(begin, std::min(begin + kBlock, count));
      }
      testing::FreeCaches();
      const std::lock_guard lock(mutex);
      regions.Merge(worker.regions());
    });
  }
  for (std::thread& thread : threads) thread.join();
  return regions;
}

template <typename T>
void MeasureFloat(const Effort& effort, Measurement& m) {
  constexpr int kMantissaBits = std::numeric_limits<T>::digits - 1;
  const bool all = effort.all_f32 && sizeof(T) == 4 && !IsBinary(m.opcode);
  m.inputs = all ? uint64_t{1} << 32 : effort.inputs;
  Worst worst;
  int region_bits = kMantissaBits - kLooks[0].bits_shared;
  Regions regions =
      MeasureInputs<T>(m.opcode, {.all = all}, m.inputs + (all ? kWarmUp : 0),
                       region_bits, effort.num_threads, worst);
  for (size_t look = 0; !all && look < std::size(kLooks); ++look) {
    const int free_bits = region_bits;
    if (look + 1 < std::size(kLooks)) {
      region_bits = kMantissaBits - kLooks[look + 1].bits_shared;
    }
    const std::vector<Input> centres = regions.Worst(kLooks[look].num_centres);
    if (centres.empty()) break;  // MPFR judged all
    const uint64_t count = effort.inputs / 4;
    regions =
        MeasureInputs<T>(m.opcode, {.free_bits = free_bits, .centres = centres},
                         count, region_bits, effort.num_threads, worst);
    m.inputs += count;
  }
  m.error = worst.error();
  m.fault = worst.fault();
  m.where = ToText(m.type, worst.input().x);
  if (IsBinary(m.opcode)) {
    absl::StrAppend(&m.where, ", ", ToText(m.type, worst.input().y));
  }
}

// Offers the errors of complex operands, whose parts are pairs of numbers.
void MeasurePairs(Opcode opcode, DType type, const std::vector<Input>& inputs,
                  Regions& regions, Worst& worst) {
  const DType part = RealType(type);
  const auto width = static_cast<size_t>(ElementBytes(part));
  const Instruction instruction{opcode, {}, {}, {}};
  Buffer x(inputs.size() * width * 2);
  for (size_t i = 0; i < inputs.size(); ++i) {
    Append(part, inputs[i].x, 2 * i, x);
    Append(part, inputs[i].y, 2 * i + 1, x);
  }
  Runner runner(opcode, type);
  const Buffer& results = runner.Run(static_cast<int64_t>(inputs.size()), x, x);
  const DType result = opcode == Opcode::kAbs ? part : type;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const auto at = static_cast<int64_t>(i);
    const double error = testing::ErrorInUlp(
        instruction, type, testing::ReadElement(type, x, at), {},
        testing::ReadElement(result, results, at));
    worst.Offer(error, inputs[i]);
    if (std::isfinite(error)) regions.Offer(error, inputs[i]);
  }
  if (!runner.fault().empty()) worst.Fail(runner.fault());
}

void MeasureComplex(const Effort& effort, Measurement& m) {
  const DType part = RealType(m.type);
  const int mantissa_bits = part == DType::kF64 ? 52 : 23;
  Worst worst;
  std::vector<Input> inputs;
  for (uint64_t i = 0; i < effort.complex_inputs; ++i) {
    inputs.push_back(BinaryInput(m.opcode, part, i));
  }
  for (size_t look = 0;; ++look) {
    const Look& next = kLooks[std::min(look, std::size(kLooks) - 1)];
    const int free_bits = mantissa_bits - next.bits_shared;
    Regions regions(free_bits);
    MeasurePairs(m.opcode, m.type, inputs, regions, worst);
    m.inputs += inputs.size();
    const std::vector<Input> centres = regions.Worst(next.num_centres);
    if (look == std::size(kLooks) || centres.empty()) break;
    inputs.clear();
    for (uint64_t i = 0; i < effort.complex_inputs / 4; ++i) {
      inputs.push_back(
          NearInput(centres[i % centres.size()], true, free_bits, i));
    }
  }
  m.error = worst.error();
  m.fault = worst.fault();
  m.where = absl::StrCat(ToText(part, worst.input().x), " + ",
                         ToText(part, worst.input().y), " i");
}

// f16 and bf16 are to be f32's results, rounded: of all unary inputs, of as
// many random pairs.
void MeasureNarrow(const Effort& effort, Measurement& m) {
  constexpr DType kWorking = DType::kF32;
  m.inputs = (uint64_t{1} << 16) / effort.narrow_stride;
  Buffer x(m.inputs * 2), y(m.inputs * 2);
  Buffer wide_x(m.inputs * 4), wide_y(m.inputs * 4);
  const auto widened = [&](uint64_t bits) {
    return testing::RoundToFloat(kWorking, testing::ToExact(m.type, bits));
  };
  for (uint64_t i = 0; i < m.inputs; ++i) {
    const Input input = IsBinary(m.opcode) ? BinaryInput(m.opcode, m.type, i)
                                           : Input{i * effort.narrow_stride, 0};
    Append(m.type, input.x, i, x);
    Append(m.type, input.y, i, y);
    Append(kWorking, widened(input.x), i, wide_x);
    Append(kWorking, widened(input.y), i, wide_y);
  }
  const auto count = static_cast<int64_t>(m.inputs);
  Runner runner(m.opcode, m.type), wide_runner(m.opcode, kWorking);
  const Buffer& results = runner.Run(count, x, y);
  const Buffer& wide_results = wide_runner.Run(count, wide_x, wide_y);
  for (uint64_t i = 0; i < m.inputs; ++i) {
    const uint64_t expected = testing::RoundToFloat(
        m.type,
        testing::ToExact(kWorking, ElementAt<uint32_t>(wide_results, i)));
    if (ElementAt<uint16_t>(results, i) == expected) continue;
    m.fault = absl::StrCat("not f32's result, rounded, at ",
                           ToText(m.type, ElementAt<uint16_t>(x, i)), " ",
                           ToText(m.type, ElementAt<uint16_t>(y, i)));
    return;
  }
  m.fault = runner.fault();
}

}  // namespace

bool IsMeasured(Opcode opcode, DType type) {
  return OperationOf(opcode).IsDefinedOn(type) &&
         !testing::IsExact(opcode, type) && IsBuilt(opcode, type);
}

Measurement Measure(Opcode opcode, DType type, const Effort& effort) {
  Measurement m;
  m.opcode = opcode;
  m.type = type;
  m.bound = testing::UlpBound(opcode, type);
  if (IsComplex(type)) {
    MeasureComplex(effort, m);
  } else if (type == DType::kF32) {
    MeasureFloat<float>(effort, m);
  } else if (type == DType::kF64) {
    MeasureFloat<double>(effort, m);
  } else {
    MeasureNarrow(effort, m);
  }
  return m;
}

}  // namespace stridecast::accuracy
