// Units in the headers of measurements: "x [mm]", "angle (deg)", "t [ms]". Inside all is SI.
#pragma once

#include <string>

namespace koppel {

struct ColumnUnit {
  std::string quantity;  // the header without its unit
  std::string unit;      // as it stands there; empty: none
  std::string si;        // what a value is in once it is multiplied by the factor
  double factor = 1;
};

// A header that ends in brackets has a unit. Throws Error `study.bad-data` where that is not known.
ColumnUnit split_unit(const std::string& header);

}  // namespace koppel
