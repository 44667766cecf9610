// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// What a kernel is: one operation on one block of elements, on one thread.
// Rules:
//   (K1) no allocation, no exception, no signal, whatever the data
//   (K2) nothing outside the stated elements is written, nor read; copies may
//        read what lies between the first and the last element of the source
//   (K3) pointers need no alignment, not even that of the element type
//   (K4) the result overlaps no operand
//   (K5) the bits of the result do not depend on the SIMD target, on the
//        split of the work into blocks or on the position within a block

#ifndef STRIDECAST_CORE_KERNELS_KERNEL_H_
#define STRIDECAST_CORE_KERNELS_KERNEL_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/kernels/fetch_ahead.h"
#include "stridecast/dtype.h"
#include "stridecast/operation.h"
#include "stridecast/request.h"

namespace stridecast {

// An operand of a block of rows x cols elements. Along a row its elements are
// dense (col_stride = element size) or one element repeated (col_stride = 0);
// from row to row it moves by row_stride bytes, any number, 0 and negative ones
// included.
struct BlockOperand {
  const std::byte* data;
  int64_t row_stride;
  int64_t col_stride;
};

// The result is dense along a row. Of 16 bytes, so that calls pass it in
// registers: through memory it would be copied in vectors, which wait for all
// stores before them, and those past the caches take long.
class BlockResult {
 public:
  BlockResult(std::byte* begin, int64_t row_stride, bool past_cache = false)
      : data(begin), stride_and_mode_(2 * row_stride + (past_cache ? 1 : 0)) {}

  int64_t row_stride() const { return stride_and_mode_ >> 1; }
  // Its whole lines may bypass the caches; others must not read them before the
  // thread's next fence.
  bool past_cache() const { return (stride_and_mode_ & 1) != 0; }

  std::byte* data;

 private:
  int64_t stride_and_mode_;
};

// Computes result[r][c] = op(operands[0][r][c], ...) for all of the block, rows
// >= 1 and cols >= 1. `operands` has as many entries as the operation has
// operands, followed by the kernel's parameters. A pred operand holds 0 or 1.
using Kernel = void (*)(int64_t rows, int64_t cols,
                        const BlockOperand* operands, BlockResult result);

// What an instruction's attribute tells its kernel: more operands, each a
// single element that repeats (both strides 0) and begins at the first byte of
// an entry of `elements`.
struct KernelParameters {
  static constexpr int kMaxCount = 5;
  int count = 0;
  uint64_t elements[kMaxCount] = {};
};

// `type` as for KernelTable::Find; `attribute` is one that the operation takes,
// or none, which stands for its defaults.
KernelParameters ParametersOf(Opcode opcode, DType type,
                              const Attribute& attribute);

// Copies rows x cols elements of 1, 2, 4, 8 or 16 bytes between two strided
// places; all strides are in bytes and arbitrary. Fast where one stride of the
// destination is the element size, and one of the source that or a few times
// it, forwards or backwards: same one, rows are copied; different ones, the
// block is transposed. So are pixels of up to 16 bytes. A source stride of 0
// repeats.
using CopyKernel = void (*)(int64_t rows, int64_t cols, const std::byte* source,
                            int64_t source_row_stride,
                            int64_t source_col_stride, std::byte* destination,
                            int64_t destination_row_stride,
                            int64_t destination_col_stride);

// A chain of operations on f32 or f64, run on a block as one: it begins with
// operands[0], and every link makes of the value and an operand the next value.
// operands[0] may be converted to f32 before, the result from f32 after.
enum class ChainOperation : int8_t {
  kAdd,
  kSubtract,      // value - operand
  kSubtractFrom,  // operand - value
  kMultiply,
  kDivide,      // value / operand
  kDivideInto,  // operand / value
  kMaximum,
  kMinimum,
  kSqrt,    // no operand, nor
  kSquare,  // value * value
};
struct ChainLink {
  ChainOperation operation;
  int operand;  // -1 for none
  // Of sums and differences: the operand is multiplied by this one; -1 for
  // none.
  int factor = -1;
};
inline constexpr int kMaxChainOperands = 16;
inline constexpr int kMaxChainLinks = 32;
// How far ahead of itself a chain asks for the first operand that moves along
// rows that go on, into L2, half of it where others move too. Of results past
// the caches, if half a group of them ends a line, it asks for all that move, a
// quarter of it together.
inline constexpr int64_t kChainAheadBytes = 8192;
struct ChainArgs {
  const ChainLink* links;
  int num_links;
  int num_operands;
  // Of operands[0] and of the result: the type of the chain, or with f32 one of
  // u8, s8, u16, s16, f16, bf16.
  DType first;
  DType last;
};
using ChainKernel = void (*)(int64_t rows, int64_t cols, const ChainArgs& args,
                             const BlockOperand* operands, BlockResult result);

// A matrix whose rows lie together in the source and whose columns lie together
// in the result, of elements of 4 or 8 bytes:
//   result + row_offsets[r] + c * bytes  =  source + col_offsets[c] + r * bytes
// and others like it, each from an offset of its own on.
struct StripArgs {
  int64_t matrices;
  const int64_t* source_offsets;  // by matrix
  const int64_t* result_offsets;
  int64_t rows;
  int64_t cols;
  const std::byte* source;
  const int64_t* col_offsets;
  std::byte* result;
  const int64_t* row_offsets;
  bool past_cache;  // whole lines of the result bypass the caches
  // Scratch, 64-byte aligned: 64 bytes for each row.
  std::byte* unfinished;
};
using StripKernel = void (*)(const StripArgs& args);

// A matrix, as StripArgs have it, of a box, which is put together in L2 or in
// the result:
//   destination + row_offsets[r] + c * bytes
//     =  source + col_offsets[c] + r * bytes
struct BoxArgs {
  int64_t rows;
  int64_t cols;
  const std::byte* source;
  const int64_t* col_offsets;
  std::byte* destination;
  const int64_t* row_offsets;
  FetchAhead* ahead;  // asked for a part of its lines meanwhile
};
// Of at least 16 bytes of rows and 9 of columns.
using BoxKernel = void (*)(const BoxArgs& args);

// The runs of such a box, to the result: from stage + 64 + r * pitch to result
// + offsets[r].
struct RunsArgs {
  int64_t num_runs;
  int64_t run_bytes;
  const std::byte* stage;
  int64_t pitch;
  std::byte* result;
  const int64_t* offsets;
  FetchAhead* ahead;  // asked for all that it has left
  bool past_cache;    // whole lines of the result bypass the caches
  // Past the caches, each run begins where another one ended: the 64 bytes
  // before it in the stage are that one's last.
  bool continues = false;
  // Each run is continued by another: what does not fill its last line is not
  // written, but its last 64 bytes to unfinished + 64 * r. Null: none is.
  std::byte* unfinished = nullptr;
};
using RunsKernel = void (*)(const RunsArgs& args);

// Copies `count` bytes, each becoming 0 if it is 0 and else 1: how operands of
// type pred enter.
using PredKernel = void (*)(int64_t count, const std::byte* source,
                            std::byte* destination);

// The kernels compiled for one SIMD target.
class KernelTable {
 public:
  virtual ~KernelTable() = default;

  // "AVX2" or "AVX3" (AVX-512).
  virtual absl::string_view target() const = 0;

  // The kernel of an element-wise operation whose operands have type `type`
  // (Select: the type of the values, Convert: the source's, Quantize and
  // Dequantize: the first operand's); null where it is not built. `attribute`
  // is the instruction's; it decides among the kernels of compare, convert,
  // quantize and dequantize.
  virtual Kernel Find(Opcode opcode, DType type,
                      const Attribute& attribute) const = 0;

  // For elements of that many bytes: 1, 2, 4, 8 or 16.
  virtual CopyKernel Copy(int64_t element_bytes) const = 0;
  // The same, of a source that is in no cache.
  virtual CopyKernel CopyFromMemory(int64_t element_bytes) const = 0;
  // The same; whole lines of the destination bypass the caches where it is
  // dense in one direction. Others must not read them before the thread's next
  // fence.
  virtual CopyKernel CopyPastCache(int64_t element_bytes) const = 0;

  // For f32 and f64.
  virtual ChainKernel Chain(DType type) const = 0;

  // For elements of that many bytes: 4 or 8; else null.
  virtual StripKernel Strip(int64_t element_bytes) const = 0;

  // For elements of that many bytes: 1, 2, 4 or 8; null for 16.
  virtual BoxKernel Box(int64_t element_bytes) const = 0;
  virtual RunsKernel Runs() const = 0;

  virtual PredKernel Pred() const = 0;
};

// The tables of all targets that this CPU can run, best first. Empty if the CPU
// lacks the least one: AVX2 with FMA, BMI, BMI2, F16C, AES and PCLMUL.
absl::Span<const KernelTable* const> KernelTables();

}  // namespace stridecast

#endif  // STRIDECAST_CORE_KERNELS_KERNEL_H_
