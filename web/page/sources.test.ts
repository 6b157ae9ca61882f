import { describe, expect, it } from 'vitest';
import { decisionRateSource, rateSource } from './sources.ts';

const why = { run: 'k3v9q2m8x1tz', name: 'mine', stage: 2 };

describe('the queries of rates', () => {
  it('leave out the arms of ablations, which replay the run', () => {
    for (const source of [
      decisionRateSource(why, 2, 'small', 'validation'),
      decisionRateSource(why, 2, 'small', 'signal'),
      rateSource({ run: 'mine', id: 'k3v9q2m8x1tz', stage: 2, measure: 'valid' }),
    ])
      expect(source.sql).toContain('ablation IS NULL');
  });
});
