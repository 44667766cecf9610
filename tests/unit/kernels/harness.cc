// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "tests/unit/kernels/harness.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "core/kernels/parts.h"
#include "tests/support/numbers.h"
#include "tests/unit/kernels/element_reference.h"

namespace stridecast::kernel_tests {
namespace {

using ::stridecast::testing::ExactNumber;
using ::stridecast::testing::RoundToFloat;

constexpr size_t kCapacity = size_t{1} << 16;
constexpr std::byte kSentinel{0xA5};

// Finite edges, infinities, quiet and signalling NaNs with payloads; each with
// both signs.
std::vector<uint64_t> FloatEdges(DType type) {
  switch (type) {
    case DType::kF16:
      return {0,      1,      0x3FF,  0x400,  0x3C00, 0x3800, 0x4200,
              0x7BFF, 0x7C00, 0x7E00, 0x7E55, 0x7C01, 0x3C01, 0x0200};
    case DType::kBF16:
      return {0,      1,      0x7F,   0x80,   0x3F80, 0x3F00, 0x4040,
              0x7F7F, 0x7F80, 0x7FC0, 0x7FD5, 0x7F81, 0x3F81, 0x0040};
    case DType::kF32:
      return {0,          1,          0x7FFFFF,   0x800000,   0x3F800000,
              0x3F000000, 0x40400000, 0x7F7FFFFF, 0x7F800000, 0x7FC00000,
              0x7FC12345, 0x7F800001, 0x3F800001, 0x4F000000, 0x5F000000,
              0x4EFFFFFF, 0x4F800000, 0x5F800000, 0x477FF000, 0x33800000,
              0x3F808000, 0x3F818000, 0x477FEFFF, 0x42FF0000, 0x437F8000};
    default:
      return {0,
              1,
              0xFFFFFFFFFFFFF,
              0x10000000000000,
              0x3FF0000000000000,
              0x3FE0000000000000,
              0x4008000000000000,
              0x7FEFFFFFFFFFFFFF,
              0x7FF0000000000000,
              0x7FF8000000000000,
              0x7FF8123456789ABC,
              0x7FF0000000000001,
              0x3FF0000000000001,
              0x43E0000000000000,  // 2^63
              0x43F0000000000000,  // 2^64
              0x43DFFFFFFFFFFFFF,
              0x41E0000000000000,  // 2^31
              0x41DFFFFFFFC00000,  // 2^31 - 1
              0x41F0000000000000,
              0x47EFFFFFE0000000,  // the greatest f32
              0x47EFFFFFF0000000,
              0x47EFFFFFEFFFFFFF,
              0x3690000000000000,  // half the least f32
              0x3690000000000001,
              0x36A0000000000000,
              0x3FF0000010000000,  // half way between two f32
              0x3FF0000010000001,
              0x3FF0020000000000,  // f16
              0x3FF0020000000001,
              0x3FF0060000000000,
              0x3FF0100000000000,  // bf16
              0x3FF0100000000001,
              0x3FF0300000000000,
              0x40EFFDFFFFFFFFFF,
              0x40EFFE0000000000,
              0x44B0000000000000};
  }
}

uint64_t RandomInteger(Random& random, DType type) {
  const int width = static_cast<int>(ElementBytes(type)) * 8;
  const uint64_t bits = random();
  switch (random() % 8) {
    case 0:
      return 0;
    case 1:
      return ~uint64_t{0};
    case 2:
      return uint64_t{1} << (width - 1);
    case 3:
      return (uint64_t{1} << (width - 1)) - 1;
    case 4:
      return bits % 8;
    case 5:  // around a power of two
      return (uint64_t{1} << (bits % 64)) + bits / 64 % 5 - 2;
    default:
      return bits;
  }
}

uint64_t RandomFloat(Random& random, DType type) {
  static const std::vector<uint64_t> edges[] = {
      FloatEdges(DType::kF16), FloatEdges(DType::kBF16),
      FloatEdges(DType::kF32), FloatEdges(DType::kF64)};
  const std::vector<uint64_t>& own = edges[type == DType::kF16    ? 0
                                           : type == DType::kBF16 ? 1
                                           : type == DType::kF32  ? 2
                                                                  : 3];
  const int width = static_cast<int>(ElementBytes(type)) * 8;
  const uint64_t bits = random();
  switch (random() % 8) {
    case 0:
    case 1:
      return own[bits / 2 % own.size()] | (bits & 1) << (width - 1);
    case 2:
    case 3:
      return bits;
    case 4: {  // around the integers' limits and beyond
      ExactNumber x;
      x.negative = (bits & 1) != 0;
      x.significand = bits >> 20 | 1;
      x.exponent = static_cast<int>(bits / 2 % 90) - 50;
      return RoundToFloat(type, x);
    }
    default: {
      ExactNumber x;
      x.negative = (bits & 1) != 0;
      x.significand = bits / 2 % 4096;
      x.exponent = static_cast<int>(bits >> 40) % 12 - 8;
      return RoundToFloat(type, x);
    }
  }
}

struct Placed {
  std::byte* first_row;
  std::byte* lowest;
  size_t num_bytes;
  int64_t row_stride;
};

// Places rows of row_bytes each.
Placed Place(const GuardedBuffer& buffer, RowStride kind, int64_t rows,
             int64_t row_bytes, bool at_end, size_t gap) {
  int64_t stride = row_bytes;
  if (kind == RowStride::kPadded) stride = row_bytes + 7;
  if (kind == RowStride::kNegative) stride = -(row_bytes + 5);
  if (kind == RowStride::kZero) stride = 0;
  const int64_t reach = std::abs(stride) * (rows - 1) + row_bytes;
  Placed placed;
  placed.num_bytes = static_cast<size_t>(reach);
  placed.lowest =
      at_end ? buffer.AtEnd(placed.num_bytes, gap) : buffer.AtStart(gap);
  placed.row_stride = stride;
  placed.first_row =
      stride < 0 ? placed.lowest - stride * (rows - 1) : placed.lowest;
  return placed;
}

void ComputeAlone(const Subject& what, Kernel kernel,
                  const std::byte* const* elements, std::byte* result) {
  BlockOperand operands[3] = {};
  for (int k = 0; k < ArityOf(what); ++k) operands[k].data = elements[k];
  RunKernel(what, kernel, 1, 1, operands, BlockResult{result, 0});
}

std::string Hex(const std::byte* bytes, int64_t num_bytes) {
  std::string text = "0x";
  for (int64_t i = num_bytes - 1; i >= 0; --i) {
    absl::StrAppend(&text,
                    absl::Hex(static_cast<int>(bytes[i]), absl::kZeroPad2));
  }
  return text;
}

}  // namespace

GuardedBuffer::GuardedBuffer(size_t capacity) {
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t inside = (capacity + page - 1) / page * page;
  void* memory = mmap(nullptr, inside + 2 * page, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) std::abort();
  begin_ = static_cast<std::byte*>(memory) + page;
  end_ = begin_ + inside;
  if (mprotect(begin_, inside, PROT_READ | PROT_WRITE) != 0) std::abort();
}

GuardedBuffer::~GuardedBuffer() {
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  munmap(begin_ - page, capacity() + 2 * page);
}

void FillRandom(Random& random, DType type, int64_t count,
                std::byte* elements) {
  const DType real = RealType(type);
  const size_t part_bytes = static_cast<size_t>(ElementBytes(real));
  const int64_t parts = count * (IsComplex(type) ? 2 : 1);
  for (int64_t i = 0; i < parts; ++i) {
    const uint64_t bits = type == DType::kPred ? random() % 2
                          : IsFloat(real)      ? RandomFloat(random, real)
                                               : RandomInteger(random, real);
    std::memcpy(elements + i * static_cast<int64_t>(part_bytes), &bits,
                part_bytes);
  }
}

std::string ToString(const KernelCase& test_case) {
  std::string text = absl::StrCat(
      NameOf(test_case.what), " ", test_case.rows, "x", test_case.cols, " gap ",
      test_case.gap, test_case.at_end ? " at end" : " at start",
      test_case.past_cache ? ", past caches" : "", ", result rows ",
      static_cast<int>(test_case.result_row_stride), ", operands");
  for (int k = 0; k < ArityOf(test_case.what); ++k) {
    absl::StrAppend(&text, " ", test_case.operands[k].repeats ? "splat" : "",
                    static_cast<int>(test_case.operands[k].row_stride));
  }
  return text;
}

std::string RunCase(const KernelCase& c, Kernel kernel, Random& random) {
  static const GuardedBuffer operand_buffers[3] = {GuardedBuffer(kCapacity),
                                                   GuardedBuffer(kCapacity),
                                                   GuardedBuffer(kCapacity)};
  static const GuardedBuffer result_buffer(kCapacity);
  const int arity = ArityOf(c.what);
  const int64_t result_bytes = ElementBytes(ReferenceResultType(c.what));
  const bool is_exact = IsExact(c.what);

  const auto types = OperandTypes(c.what);
  BlockOperand operands[3] = {};
  int64_t operand_bytes[3] = {};
  for (int k = 0; k < arity; ++k) {
    const DType type = types[k];
    const OperandShape& shape = c.operands[k];
    operand_bytes[k] = ElementBytes(type);
    const int64_t row_bytes = operand_bytes[k] * (shape.repeats ? 1 : c.cols);
    const Placed placed = Place(operand_buffers[k], shape.row_stride, c.rows,
                                row_bytes, c.at_end, c.gap);
    std::memset(placed.lowest, 0x5A, placed.num_bytes);
    for (int64_t row = 0; row < c.rows; ++row) {
      FillRandom(random, type, row_bytes / operand_bytes[k],
                 placed.first_row + row * placed.row_stride);
    }
    operands[k] = {placed.first_row, placed.row_stride,
                   shape.repeats ? 0 : operand_bytes[k]};
  }
  const Placed result = Place(result_buffer, c.result_row_stride, c.rows,
                              result_bytes * c.cols, c.at_end, c.gap);
  // The result and what is near it.
  std::byte* begin = std::max(result.lowest - 256, result_buffer.AtStart());
  std::byte* end =
      std::min(result.lowest + result.num_bytes + 256, result_buffer.AtEnd(0));
  std::memset(begin, static_cast<int>(kSentinel),
              static_cast<size_t>(end - begin));

  RunKernel(c.what, kernel, c.rows, c.cols, operands,
            BlockResult{result.first_row, result.row_stride, c.past_cache});

  for (int64_t row = 0; row < c.rows; ++row) {
    for (int64_t col = 0; col < c.cols; ++col) {
      const std::byte* elements[3] = {};
      for (int k = 0; k < arity; ++k) {
        elements[k] = operands[k].data + row * operands[k].row_stride +
                      col * operands[k].col_stride;
      }
      std::byte expected[16] = {};
      if (is_exact) {
        ComputeReference(c.what, elements, expected);
      } else {
        ComputeAlone(c.what, kernel, elements, expected);
      }
      std::byte* got =
          result.first_row + row * result.row_stride + col * result_bytes;
      if (std::memcmp(got, expected, static_cast<size_t>(result_bytes)) != 0) {
        std::string text =
            absl::StrCat(ToString(c), " at (", row, ", ", col, "): got ",
                         Hex(got, result_bytes), ", expected ",
                         Hex(expected, result_bytes), " of");
        for (int k = 0; k < arity; ++k) {
          absl::StrAppend(&text, " ", Hex(elements[k], operand_bytes[k]));
        }
        return text;
      }
    }
  }
  // What is left must be untouched.
  for (int64_t row = 0; row < c.rows; ++row) {
    std::memset(result.first_row + row * result.row_stride,
                static_cast<int>(kSentinel),
                static_cast<size_t>(result_bytes * c.cols));
  }
  if (std::any_of(begin, end, [](std::byte b) { return b != kSentinel; })) {
    return absl::StrCat(ToString(c), ": wrote between or beyond the elements");
  }
  return "";
}

namespace {

// Of letters and digits, as names of tests are.
std::string NameOf(double number) {
  return absl::StrReplaceAll(absl::StrCat(number),
                             {{"-", "Minus"}, {".", "p"}, {"+", ""}});
}

}  // namespace

std::string NameOf(const Subject& what) {
  const auto& [opcode, type, attribute] = what;
  std::string name =
      absl::StrCat(OperationOf(opcode).label, "_", DTypeName(type));
  if (const auto* compare = std::get_if<CompareAttribute>(&attribute)) {
    static constexpr const char* kDirections[] = {"",   "EQ", "NE", "GE",
                                                  "GT", "LE", "LT"};
    absl::StrAppend(&name, "_",
                    kDirections[static_cast<int>(compare->direction)],
                    compare->total_order ? "_TOTALORDER" : "");
  }
  if (const auto* convert = std::get_if<ConvertAttribute>(&attribute)) {
    static constexpr const char* kOverflows[] = {"", "_SATURATE", "_WRAP"};
    absl::StrAppend(&name, "_", DTypeName(convert->type),
                    kOverflows[static_cast<int>(convert->overflow)]);
  }
  if (const auto* quantize = std::get_if<QuantizeAttribute>(&attribute)) {
    absl::StrAppend(&name, "_", DTypeName(quantize->type));
  }
  if (const auto* reduce = std::get_if<ReducePrecisionAttribute>(&attribute)) {
    absl::StrAppend(&name, "_E", reduce->exponent_bits, "M",
                    reduce->mantissa_bits);
  }
  if (const auto* scalars = std::get_if<ScalarsAttribute>(&attribute)) {
    if (scalars->alpha) absl::StrAppend(&name, "_A", NameOf(*scalars->alpha));
    if (scalars->beta) absl::StrAppend(&name, "_B", NameOf(*scalars->beta));
  }
  return name;
}

namespace {

bool IsListed(Opcode opcode, DType type) {
  using namespace type_letters;  // NOLINT: the letters of kernels.inc
  unsigned listed = 0;
#define STRIDECAST_ELEMENTWISE(operation, types, functor) \
  if (opcode == Opcode::k##operation) listed |= (types);
#define STRIDECAST_COMPARE(direction, total_order, types, functor) \
  if (opcode == Opcode::kCompare) listed |= (types);
#define STRIDECAST_QUANTIZE(integer, cpp_type)  \
  if (opcode == Opcode::kQuantize) listed |= F; \
  if (opcode == Opcode::kDequantize && type == DType::integer) return true;
#include "core/kernels/kernels.inc"
  return (ClassOf(type) & listed) != 0 &&
         (opcode != Opcode::kComplex || ComplexType(type));
}

}  // namespace

std::vector<Subject> ElementwiseKernels() {
  return testing::AllSubjects(IsListed);
}

int ArityOf(const Subject& what) {
  return static_cast<int>(OperandTypes(what).size());
}

void RunKernel(const Subject& what, Kernel kernel, int64_t rows, int64_t cols,
               const BlockOperand* operands, BlockResult result) {
  std::vector<BlockOperand> all(operands, operands + ArityOf(what));
  const KernelParameters parameters =
      ParametersOf(what.opcode, what.type, what.attribute);
  for (int i = 0; i < parameters.count; ++i) {
    all.push_back(
        {reinterpret_cast<const std::byte*>(&parameters.elements[i]), 0, 0});
  }
  kernel(rows, cols, all.data(), result);
}

}  // namespace stridecast::kernel_tests
