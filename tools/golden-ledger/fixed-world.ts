// A process with a fixed clock and fixed random numbers, so that its records are the same each time. Import it before anything else of icecore.
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';

let now = Date.UTC(2026, 0, 2, 3, 4, 5);
let drawn = 0;

/** Time passes between two commands, so that claims expire. */
export function advance(seconds: number): void {
  now += seconds * 1000;
}

/** Resets the random numbers for each command, because the amount used by one depends on threads. */
export function reseed(seed: number): void {
  drawn = seed * 1_000_000;
}

function bytes(count: number): Buffer {
  const blocks = Array.from({ length: Math.ceil(count / 32) }, () =>
    crypto.createHash('sha256').update(`golden ${drawn++}`).digest(),
  );
  return Buffer.concat(blocks).subarray(0, count);
}

function uuid(): `${string}-${string}-${string}-${string}-${string}` {
  const hex = bytes(16).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
}

const Running = Date;
globalThis.Date = class extends Running {
  constructor(...given: [] | [number | string | Date]) {
    super(given[0] ?? now);
  }

  static override now(): number {
    return now;
  }
} as DateConstructor;
// Measured durations are zero.
performance.now = () => 0;
Object.assign(crypto, { randomBytes: bytes, randomUUID: uuid });
Object.assign(os, { hostname: () => 'golden' });
Object.defineProperty(process, 'pid', { value: 1 });
// Hides the repository, so that runs do not record the commit of icecore.
process.env['GIT_DIR'] = '/nowhere';
syncBuiltinESMExports();
