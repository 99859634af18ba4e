// Which Koppel this is.
#pragma once

namespace koppel {

// The release, as in "0.1.0".
const char* version() noexcept;

// The abbreviated git commit the library was built from; "unknown" outside a clone.
const char* commit() noexcept;

// What was left out when it was configured, as in "HDF5 (--hdf5)"; mostly nothing, "".
const char* left_out() noexcept;

}  // namespace koppel
