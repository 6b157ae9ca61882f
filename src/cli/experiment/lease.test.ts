// Times as people type them.
import { describe, expect, it } from 'vitest';
import { leaseFrom } from './lease.ts';

describe('--lease', () => {
  it.each([
    [undefined, 60],
    ['30', 30],
    ['30s', 30],
    ['1.5s', 1.5],
    ['2m', 120],
    ['24h', 86_400],
  ])('%s is %d seconds', (text, seconds) => {
    expect(leaseFrom(text)).toBe(seconds);
  });

  it.each(['', '0', '0.1s', '25h', '-3', '3d', 'soon', '1e3'])('%s is refused', (text) => {
    expect(() => leaseFrom(text)).toThrow(`--lease: found "${text}", allowed: a time from 0.5s to 24h`);
  });
});
