// The text of kernels of koppel/runtime and of what surrounds them, embedded at build time.
#pragma once

namespace koppel {

extern const char* const kStepText;          // runtime/step.h
extern const char* const kDop853Text;        // runtime/dop853.h, and what it needs
extern const char* const kStepControlText;   // runtime/step_control.h, likewise
extern const char* const kAccurateText;      // runtime/accurate.h
extern const char* const kLeastSquaresText;  // runtime/least_squares.h
extern const char* const kInputsText;        // runtime/inputs.h
extern const char* const kStartText;         // runtime/start.h
extern const char* const kEventsText;        // runtime/events.h, event_steps.h
extern const char* const kFmiModelText;      // runtime/fmi_model.h
extern const char* const kFmi2Text;          // runtime/fmi2.h
extern const char* const kFmi3Text;          // runtime/fmi3.h, fmi3_absent.h
extern const char* const kCardText;          // export/cuda/card.h
extern const char* const kCudaRunText;       // export/cuda/run.cu
extern const char* const kCudaBatchText;     // export/cuda/batch.cu

}  // namespace koppel
