// Stored bytes as they are after an accident.
import type { Damage } from './fixture.ts';

export function damaged(stored: Buffer, damage: Damage): Buffer {
  if (damage === 'emptied') return Buffer.alloc(0);
  if (damage === 'cut') return stored.subarray(0, stored.byteLength - Math.ceil(stored.byteLength / 3));
  const flipped = Buffer.from(stored);
  const middle = flipped.byteLength >> 1;
  flipped.writeUInt8(flipped.readUInt8(middle) ^ 1, middle);
  return flipped;
}
