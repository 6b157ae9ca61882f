// Reproducible random numbers for tests that try the same at different moments.
import { createHash } from 'node:crypto';

/** A number from 0 to 1 for a purpose: the same seed and purpose give the same number. */
export function randomFrom(seed: string): (purpose: string) => number {
  return (purpose) => {
    const digest = createHash('sha256').update(`${seed}/${purpose}`).digest('hex');
    return Number.parseInt(digest.slice(0, 12), 16) / 16 ** 12;
  };
}

export function newSeed(): string {
  return String(Math.floor(Math.random() * 1_000_000));
}

/** The seed in ICECORE_TEST_SEED, or a new one. Moments vary a little even with the same seed. */
export function testSeed(): string {
  const named = process.env['ICECORE_TEST_SEED'] ?? 'random';
  return named === 'random' ? newSeed() : named;
}
