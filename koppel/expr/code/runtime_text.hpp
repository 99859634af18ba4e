// The text of kernels of koppel/runtime, embedded at build time.
#pragma once

namespace koppel {

extern const char* const kRuntimeText;       // all of it
extern const char* const kOwnFunctionsText;  // all in the place of libm's: pair.h and what follows
// One by one, in the order in which they need each other.
extern const char* const kTableText;         // runtime/table.h
extern const char* const kPairText;          // runtime/pair.h
extern const char* const kTrigText;          // runtime/trig.h
extern const char* const kTangentText;       // runtime/tangent.h
extern const char* const kExponentialsText;  // runtime/exponentials.h
extern const char* const kPowerText;         // runtime/power.h
extern const char* const kArcsText;          // runtime/arcs.h
extern const char* const kFloatTrigText;     // runtime/trig_float.h

}  // namespace koppel
