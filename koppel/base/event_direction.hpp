// Which passages of a function through zero count as an event.
#pragma once

namespace koppel {

enum class EventDirection { Both, Falling, Rising };

}  // namespace koppel
