// Chance that can be repeated, for tests that try the same at moments of all kinds.
import { createHash } from 'node:crypto';

/** A number from 0 to 1, drawn for a purpose: the same seed and purpose give the same number. */
export function drawnFrom(seed: string): (purpose: string) => number {
  return (purpose) => {
    const digest = createHash('sha256').update(`${seed}/${purpose}`).digest('hex');
    return Number.parseInt(digest.slice(0, 12), 16) / 16 ** 12;
  };
}

export function newSeed(): string {
  return String(Math.floor(Math.random() * 1_000_000));
}

/** As ICECORE_TEST_SEED has it, or a new one: moments are never quite the same, whatever the seed. */
export function testSeed(): string {
  const named = process.env['ICECORE_TEST_SEED'] ?? 'random';
  return named === 'random' ? newSeed() : named;
}
