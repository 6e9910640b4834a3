// SPDX-License-Identifier: Apache-2.0
#include "stages/cuda/ptx/parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <map>
#include <optional>
#include <string>

#include "glint/error.h"
#include "stages/cuda/ptx/count.h"
#include "stages/cuda/ptx/operations.h"

namespace glint::cuda::ptx {
namespace {

/// The parts of a text between any of these characters.
std::vector<std::string_view> Split(std::string_view text, std::string_view between) {
  std::vector<std::string_view> parts;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(between), text.size()));
    if (text.empty()) return parts;
    parts.push_back(text.substr(0, text.find_first_of(between)));
    text.remove_prefix(parts.back().size());
  }
}

constexpr std::string_view kBlanks = " \t";

std::string_view Trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  return first == std::string_view::npos
             ? std::string_view()
             : text.substr(first, text.find_last_not_of(kBlanks) + 1 - first);
}

/// Takes the text's start away where it is this. @return whether it was
bool Consume(std::string_view& text, std::string_view start) {
  if (!text.starts_with(start)) return false;
  text.remove_prefix(start.size());
  return true;
}

/// The same with its end.
bool ConsumeEnd(std::string_view& text, std::string_view end) {
  if (!text.ends_with(end)) return false;
  text.remove_suffix(end.size());
  return true;
}

template <class T>
bool ParseNumber(std::string_view text, T& number, int base = 10) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  return error == std::errc() && end == text.data() + text.size();
}

std::size_t AlignedTo(std::size_t alignment, std::size_t offset) {
  return (offset + alignment - 1) / alignment * alignment;
}

/// What a declaration makes known.
struct Variable {
  std::string name;
  std::size_t alignment = 1;
  std::size_t bytes = 0;
};

/// Of ".shared .align 8 .b8 NAME[3072]", ".param .u32 NAME,"
std::optional<Variable> VariableOf(std::string_view declaration) {
  const std::vector<std::string_view> words = Split(declaration, " \t[],");
  Variable variable;
  std::size_t next = 1;  // after the space that it lies in
  if (next + 1 < words.size() && words[next] == ".align") {
    if (!ParseNumber(words[next + 1], variable.alignment)) return std::nullopt;
    next += 2;
  }
  if (words.size() < next + 2 || words.size() > next + 3) return std::nullopt;
  std::size_t bits = 0, count = 1;
  const std::string_view type = words[next];  // ".f32"
  if (type.size() < 3 || !ParseNumber(type.substr(2), bits)) return std::nullopt;
  if (words.size() == next + 3 && !ParseNumber(words[next + 2], count)) return std::nullopt;
  variable.name = words[next + 1];
  variable.alignment = std::max(variable.alignment, bits / 8);
  variable.bytes = bits / 8 * count;
  return variable;
}

/// A number as PTX writes it: "-12", "0x1F", "0f3F800000" (a float's bits), "0d..." (a double's).
std::optional<std::uint64_t> NumberOf(std::string_view word) {
  const bool negative = Consume(word, "-");
  const bool hexadecimal = Consume(word, "0x") || Consume(word, "0f") || Consume(word, "0d");
  std::uint64_t value = 0;
  if (!ParseNumber(word, value, hexadecimal ? 16 : 10)) return std::nullopt;
  return negative ? 0 - value : value;
}

/// One kernel while its lines are read.
class Reader {
 public:
  /// @param module  whose constants it may use
  /// @param shared_by_launch  names of the shared memory that launches give it
  Reader(std::string name, Module& module, const std::vector<std::string>& shared_by_launch,
         Floats floats)
      : floats_(floats) {
    code_.name = std::move(name);
    code_.first_slots.resize(kToldCount);
    names_ = {{"%tid.x", kThread},       {"%tid.y", kThreadRow}, {"%ntid.x", kBlockWidth},
              {"%ntid.y", kBlockHeight}, {"%ctaid.x", kBlock},   {"%ctaid.y", kLayer}};
    for (auto& [constant, bytes] : module.constants) {
      names_[constant] = ConstantSlot(std::bit_cast<std::uint64_t>(bytes.data()));
    }
    launch_shared_ = NewSlot(0);
    for (const std::string& shared : shared_by_launch) names_[shared] = launch_shared_;
  }

  bool TakeArgument(std::string_view declaration) {
    const auto argument = VariableOf(declaration);
    if (!argument) return false;
    const std::size_t first = AlignedTo(argument->alignment, code_.argument_bytes);
    code_.argument_bytes = first + argument->bytes;
    if (first == 0) {
      names_[argument->name] = kArguments;
    } else {
      later_arguments_[argument->name] = static_cast<std::int64_t>(first);
    }
    return true;
  }

  bool TakeThreads(std::string_view maxntid) {
    const std::vector<std::string_view> words = Split(maxntid, " ,\t");
    return words.size() == 4 && ParseNumber(words[1], code_.threads);
  }

  /// A line of the body, without its semicolon. @return whether it was understood
  bool Take(std::string_view line, int number) {
    if (line.starts_with(".reg")) return TakeRegisters(line);
    if (line.starts_with(".shared")) return TakeShared(line);
    if (line.starts_with(".pragma")) return true;  // advice to the next compiler
    if (ConsumeEnd(line, ":")) {
      labels_[std::string(line)] = code_.instructions.size();
      return true;
    }
    return TakeInstruction(line, number);
  }

  /// The kernel, once all lines are there; nothing when a branch leads nowhere.
  std::optional<Code> Finish() {
    for (const auto& [instruction, label] : branches_) {
      const auto found = labels_.find(label);
      if (found == labels_.end()) return std::nullopt;
      code_.instructions[instruction].offset = static_cast<std::int64_t>(found->second);
    }
    code_.shared_bytes = AlignedTo(kSharedAlignment, code_.shared_bytes);
    code_.first_slots[static_cast<std::size_t>(launch_shared_)] = code_.shared_bytes;
    return std::move(code_);
  }

 private:
  bool TakeRegisters(std::string_view line) {  // ".reg .b32 %r<33>"
    const std::vector<std::string_view> words = Split(line, " \t<>");
    int count = 0;
    if (words.size() != 4 || !ParseNumber(words[3], count)) return false;
    for (int i = 0; i < count; ++i) names_[fmt::format("{}{}", words[2], i)] = NewSlot(kNothing);
    return true;
  }

  bool TakeShared(std::string_view line) {
    const auto shared = VariableOf(line);
    if (!shared) return false;
    const std::size_t first = AlignedTo(shared->alignment, code_.shared_bytes);
    names_[shared->name] = ConstantSlot(first);
    code_.shared_bytes = first + shared->bytes;
    return true;
  }

  bool TakeInstruction(std::string_view line, int number) {
    Instruction instruction{.line = number};
    if (Consume(line, "@")) {
      instruction.unless = Consume(line, "!");
      const std::size_t end = line.find(' ');
      const auto guard = names_.find(line.substr(0, end));
      if (end == std::string_view::npos || guard == names_.end()) return false;
      instruction.guard = guard->second;
      line = Trimmed(line.substr(end));
    }
    const std::size_t end = std::min(line.find_first_of(kBlanks), line.size());
    const std::string_view operands = Trimmed(line.substr(end));
    std::string name(line.substr(0, end));
    if (name.starts_with("mov.") && operands.find('{') != std::string_view::npos) name += ".packed";
    const Opcode* opcode = FindOpcode(name, floats_);
    if (opcode == nullptr) return false;
    const Counted counted = CountedAs(name);
    instruction.kind = counted.kind;
    instruction.bytes = counted.bytes;
    instruction.address = counted.address;
    instruction.run = opcode->run;
    instruction.course = opcode->course;
    if (opcode->course == Course::kBranch) {
      branches_.emplace_back(code_.instructions.size(), operands);
    } else if (TakeOperands(operands, instruction) != opcode->operands) {
      return false;
    }
    code_.instructions.push_back(instruction);
    return true;
  }

  /// "%f1, [%rd2+16]", "{%r1, %r2}, [%rd3]", "[%rd4], {%r5, %r6}"
  /// @return how many there are, -1 when one is not understood
  int TakeOperands(std::string_view operands, Instruction& instruction) {
    std::size_t count = 0;
    for (std::string_view word : Split(operands, " ,{}\t")) {
      if (count == instruction.slots.size()) return -1;
      if (Consume(word, "[")) {
        ConsumeEnd(word, "]");
        const std::size_t plus = std::min(word.find('+'), word.size());
        const std::string_view offset = word.substr(std::min(plus + 1, word.size()));
        if (!offset.empty() && !ParseNumber(offset, instruction.offset)) return -1;
        word = word.substr(0, plus);
        if (const auto later = later_arguments_.find(word); later != later_arguments_.end()) {
          instruction.offset += later->second;
          instruction.slots[count++] = kArguments;
          continue;
        }
      }
      const auto slot = SlotOf(word);
      if (!slot) return -1;
      instruction.slots[count++] = *slot;
    }
    return static_cast<int>(count);
  }

  std::optional<int> SlotOf(std::string_view word) {
    if (const auto found = names_.find(word); found != names_.end()) return found->second;
    const auto number = NumberOf(word);
    if (!number) return std::nullopt;
    return ConstantSlot(*number);
  }

  int NewSlot(std::uint64_t value) {
    code_.first_slots.push_back(value);
    return static_cast<int>(code_.first_slots.size()) - 1;
  }

  int ConstantSlot(std::uint64_t value) {
    const auto [place, is_new] = constants_.try_emplace(value, 0);
    if (is_new) place->second = NewSlot(value);
    return place->second;
  }

  static constexpr std::uint64_t kNothing = 0xA5A5A5A5A5A5A5A5;  // a register before its first use
  static constexpr std::size_t kSharedAlignment = 16;

  const Floats floats_;
  Code code_;
  int launch_shared_ = 0;  ///< slot of where the launch's shared memory begins
  std::map<std::string, std::int64_t, std::less<>> later_arguments_;  ///< by offset
  std::map<std::string, int, std::less<>> names_;
  std::map<std::uint64_t, int> constants_;
  std::map<std::string, std::size_t> labels_;
  std::vector<std::pair<std::size_t, std::string>> branches_;
};

/// What stands on a line, without comment, indentation and semicolon.
std::string_view Statement(std::string_view line) {
  line = Trimmed(line.substr(0, line.find("//")));
  ConsumeEnd(line, ";");
  return Trimmed(line);
}

bool SaysNothing(std::string_view line) {
  for (const std::string_view directive :
       {".version", ".target", ".address_size", ".file", ".loc"}) {
    if (line.starts_with(directive)) return true;
  }
  return line.empty();
}

/// One file while its lines are read.
class FileReader {
 public:
  explicit FileReader(Floats floats) : floats_(floats) {}

  /// @return whether the statement was understood
  bool Take(std::string_view statement, int number) {
    switch (part_) {
      case Part::kSection:  // names of files, for debuggers
        if (statement.ends_with("}")) part_ = Part::kOutside;
        return true;
      case Part::kOutside:
        return SaysNothing(statement) || TakeOutside(statement);
      case Part::kHeader:
        return SaysNothing(statement) || TakeHeader(statement);
      case Part::kBody:
        return SaysNothing(statement) || TakeBody(statement, number);
    }
    return false;
  }

  bool IsWhole() const { return part_ == Part::kOutside; }
  Module Finish() { return std::move(module_); }

 private:
  enum class Part : std::uint8_t { kOutside, kHeader, kBody, kSection };

  bool TakeOutside(std::string_view statement) {
    std::string_view rest = statement;
    if (Consume(rest, ".visible .entry ") && ConsumeEnd(rest, "(")) {
      reader_.emplace(std::string(rest), module_, shared_by_launch_, floats_);
      part_ = Part::kHeader;
      return true;
    }
    if (statement.starts_with(".const ")) {
      const auto constant = VariableOf(statement);
      if (constant) module_.constants[constant->name].resize(constant->bytes);
      return constant.has_value();
    }
    if (Consume(rest, ".extern .shared ") && ConsumeEnd(rest, "[]")) {
      shared_by_launch_.emplace_back(Split(rest, kBlanks).back());
      return true;
    }
    part_ = Part::kSection;
    return statement.starts_with(".section");
  }

  bool TakeHeader(std::string_view statement) {
    if (statement.starts_with(".param")) return reader_->TakeArgument(statement);
    if (statement.starts_with(".maxntid")) return reader_->TakeThreads(statement);
    if (statement.starts_with(".minnctapersm")) return true;  // for whoever gives out registers
    if (statement == "{") part_ = Part::kBody;
    return statement == "{" || statement == ")";
  }

  bool TakeBody(std::string_view statement, int number) {
    if (statement != "}") return reader_->Take(statement, number);
    std::optional<Code> code = reader_->Finish();
    if (!code) return false;
    module_.kernels.push_back(*std::move(code));
    part_ = Part::kOutside;
    return true;
  }

  const Floats floats_;
  Module module_;
  std::vector<std::string> shared_by_launch_;
  std::optional<Reader> reader_;
  Part part_ = Part::kOutside;
};

}  // namespace

absl::StatusOr<Module> Parse(std::string_view text, Floats floats) {
  FileReader file(floats);
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view statement = Statement(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (file.Take(statement, number)) continue;
    return Error(Reason::kInvalidOption,
                 fmt::format("PTX, line {}: not understood: {}", number, statement));
  }
  if (!file.IsWhole()) return Error(Reason::kInvalidOption, "PTX ends within a kernel");
  return file.Finish();
}

}  // namespace glint::cuda::ptx
