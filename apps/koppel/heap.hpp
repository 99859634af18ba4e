// Memory of the program: how it is taken from the system.
#pragma once

namespace koppel::app {

// Lets memory come in large pages where the system has them, and keeps what was freed.
//
// A command touches 5 to 30 MB. In pages of 4 kB, each of which interrupts the program when it is
// first touched, that took up to a tenth of the processor time of a short run; a page of 2 MB is
// zeroed in a tenth of the time of the 512 small ones. Room that is not touched takes no memory.
// To be called before threads start. Does nothing where the C library is not glibc.
void take_large_pages();

}  // namespace koppel::app
