// Numbers as text, with a true minus sign.

const kMinus = "\u2212";

function exponential(value: number, digits: number): string {
  return value.toExponential(digits).replace("e+", "e").replaceAll("-", kMinus);
}

// Five significant digits; the width hardly changes with the value, so that readouts stand still.
export function format_value(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "\u2013";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size < 1e-3 || size >= 1e6) return exponential(value, 3);
  return value.toPrecision(5).replace("-", kMinus);
}

// Two digits: 63 %, 2.4 %.
export function format_share(share: number): string {
  return `${Number((100 * share).toPrecision(2))}`.replace("-", kMinus) + " %";
}

// Labels of equally spaced ticks, with no more digits than tell them apart.
export function format_ticks(ticks: number[]): string[] {
  const size = Math.max(...ticks.map(Math.abs));
  const step = ticks.length > 1 ? Math.abs(ticks[1]! - ticks[0]!) : size || 1;
  const step_exponent = exponent_of(step);
  const size_exponent = size > 0 ? exponent_of(size) : 0;
  const factor = step / 10 ** step_exponent;
  const digits = Math.abs(factor - Math.round(factor)) > 1e-6 ? 1 : 0; // 2.5 takes one more
  const decimals = Math.max(0, digits - step_exponent);
  const plain = size_exponent < 5 && size_exponent > -4 && decimals < 9;
  return ticks.map((tick) => {
    if (Math.abs(tick) < step * 1e-6) return "0";
    if (plain) return tick.toFixed(decimals).replace("-", kMinus);
    return exponential(tick, Math.max(0, exponent_of(Math.abs(tick)) - step_exponent + digits));
  });
}

// Of the decimal notation; rounding errors do not make 999.999... of 1000.
function exponent_of(positive: number): number {
  return Math.floor(Math.log10(positive) + 1e-9);
}

const kSuperscripts = "⁰¹²³⁴⁵⁶⁷⁸⁹";

// 10⁻⁶
export function format_power(exponent: number): string {
  const digits = [...String(Math.abs(exponent))].map((digit) => kSuperscripts[Number(digit)]);
  return `10${exponent < 0 ? "⁻" : ""}${digits.join("")}`;
}
