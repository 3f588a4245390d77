// Marks in the machine code: a named address in the section .fathom.marks, which is never loaded. Tests disassemble the
// final program at its marks (tests/house/marks.py). They check claims in the source about a barrier or the hot loop
// against the output of the compiler and the linker. A mark costs no instruction. It is a volatile asm, so it keeps its
// place among other volatile asm statements (a barrier, a time stamp read).
#pragma once

// "?": the entry belongs to the same section group as the code, so that the linker discards the marks of a discarded
// inline function copy. The text form is for an asm statement that contains the marked instruction itself, so that
// nothing can come between the two.
#define FATHOM_MARK_TEXT(name)                             \
  "661:\n\t.pushsection .fathom.marks,\"?\",@progbits\n\t" \
  ".quad 661b\n\t.asciz \"" name "\"\n\t.popsection\n\t"
#define FATHOM_MARK(name) asm volatile(FATHOM_MARK_TEXT(name))
