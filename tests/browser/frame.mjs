// WebSocket frames byte by byte, right and wrong.

// A frame of a client [RFC 6455, section 5.2], masked with zeros.
export function frame(payload, { opcode = 1, masked = true, size = payload.length } = {}) {
  const head = size < 126 ? [size] : size < 65536 ? [126, size >> 8, size & 255]
    : [127, 0, 0, 0, 0, size >>> 24, (size >> 16) & 255, (size >> 8) & 255, size & 255];
  if (masked) head[0] |= 128;
  return Buffer.concat([Buffer.from([128 | opcode, ...head, ...(masked ? [0, 0, 0, 0] : [])]),
    Buffer.from(payload)]);
}
