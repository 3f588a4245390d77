// Marks in the machine code: a named address in the section .fathom.marks, which is never loaded. Tests disassemble the
// final program at its marks (tests/house/marks.py), so that what the source says of a barrier or of the hot loop is
// checked in what the compiler and the linker made of it. A mark costs no instruction; it is a volatile asm, so it
// keeps its place among other volatile asm statements (a barrier, a time stamp read).
#pragma once

// "?": the entry belongs to the same section group as the code, so that a discarded copy of an inline function takes
// its marks along. The text form is for an asm statement that holds the marked instruction itself, so that nothing can
// come between the two.
#define FATHOM_MARK_TEXT(name)                             \
  "661:\n\t.pushsection .fathom.marks,\"?\",@progbits\n\t" \
  ".quad 661b\n\t.asciz \"" name "\"\n\t.popsection\n\t"
#define FATHOM_MARK(name) asm volatile(FATHOM_MARK_TEXT(name))
