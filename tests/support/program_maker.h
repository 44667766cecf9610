// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Makes one random program: values in any order, numbered at the end, operands
// first, as a Signature wants it. Private to random_*.cc.

#ifndef STRIDECAST_TESTS_SUPPORT_PROGRAM_MAKER_H_
#define STRIDECAST_TESTS_SUPPORT_PROGRAM_MAKER_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "tests/support/random_program.h"

namespace stridecast::testing {

class ProgramMaker {
 public:
  ProgramMaker(uint64_t seed, const SupportsFn& supports)
      : random_(seed), supports_(supports) {}

  RandomCase Make();

 private:
  struct Node {
    DType type;
    DimVector shape;
    std::optional<TensorDesc> operand;  // else an instruction
    Instruction instruction;            // its operands are indices of nodes
  };

  // --- random_program.cc: values ---
  void CollectOpcodes();
  Opcode RandomOpcode();
  DimVector RandomShape();
  uint32_t AddOperand(DType type, const DimVector& shape);
  uint32_t AddConstant(DType type, const DimVector& shape);
  // Adds an instruction whose operands are indices of nodes.
  void AddInstruction(Instruction instruction);
  // A value of that type and shape: an old one if there is one, at times.
  uint32_t ValueOf(DType type, const DimVector& shape);
  // A value that `opcode` is defined on; most often a late one.
  std::optional<uint32_t> ValueFor(Opcode opcode);
  RandomCase Numbered();

  // --- random_instruction.cc: one more instruction, or none ---
  void TryInstruction(Opcode opcode);
  void AddElementwise(Opcode opcode, uint32_t x);
  void AddBinary(Opcode opcode, uint32_t x);
  void AddQuantize(Opcode opcode, uint32_t x);
  std::pair<DimVector, DimVector> RandomPartner(const DimVector& shape);
  std::pair<DimVector, DimVector> RandomPartnerOfHigherRank(
      const DimVector& shape);

  // --- random_data.cc ---
  void AddData(Opcode opcode, uint32_t x);
  void AddBroadcast(uint32_t x);
  void AddSlice(uint32_t x);
  void AddReshape(uint32_t x);
  void AddConcatenate(uint32_t x);
  void AddPad(uint32_t x);
  void AddBitcast(uint32_t x);
  void AddIota();

  Random random_;
  const SupportsFn& supports_;
  std::vector<Opcode> data_opcodes_;
  std::vector<Opcode> elementwise_opcodes_;
  int64_t edge_rarity_ = 1;
  std::vector<DType> types_;
  int64_t max_elements_ = 0;
  DimVector base_shape_;
  std::vector<Node> nodes_;
  int64_t num_instructions_ = 0;
  int64_t constant_bytes_ = 0;
};

}  // namespace stridecast::testing

#endif  // STRIDECAST_TESTS_SUPPORT_PROGRAM_MAKER_H_
