// The hash by which Kafka's own clients choose a partition for a key: whoever else writes to or reads from the topics finds
// a stream where icecore looks for it.

const seed = 0x9747b28c;
const multiplier = 0x5bd1e995;

/** As a signed number of 32 bits. */
export function murmur2(bytes: Uint8Array): number {
  const { length } = bytes;
  let hash = seed ^ length;
  let at = 0;
  for (; at + 4 <= length; at += 4) {
    const word =
      byteAt(bytes, at) | (byteAt(bytes, at + 1) << 8) | (byteAt(bytes, at + 2) << 16) | (byteAt(bytes, at + 3) << 24);
    hash = Math.imul(hash, multiplier) ^ mixed(Math.imul(word, multiplier));
  }
  hash = rest(hash, bytes, at);
  hash = Math.imul(hash ^ (hash >>> 13), multiplier);
  return hash ^ (hash >>> 15);
}

function mixed(word: number): number {
  return Math.imul(word ^ (word >>> 24), multiplier);
}

/** Up to three bytes are left over at the end. */
function rest(hash: number, bytes: Uint8Array, at: number): number {
  const left = bytes.length - at;
  if (left === 0) return hash;
  let end = hash;
  for (let i = 0; i < left; i++) end ^= byteAt(bytes, at + i) << (8 * i);
  return Math.imul(end, multiplier);
}

function byteAt(bytes: Uint8Array, at: number): number {
  return bytes[at] as number;
}
