import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { contrastsAmong } from '../src/analysis/ablation/contrasts.ts';
import { conclusionOf } from '../src/analysis/ablation/statistics/conclude.ts';
import { keptAs, namesIn, page, withTables } from './ablations.ts';

const text = readFileSync(page, 'utf8');

describe('the results in docs/ablation.md', () => {
  it('are those that are kept', () => {
    expect(namesIn(text)).toEqual(['contexts', 'to-the-end']);
    expect(withTables(text)).toBe(text);
  });

  it.each(namesIn(text))('of %s follow from what each arm came to with each seed', (name) => {
    const kept = keptAs(name);
    if (kept === null) throw new Error(`nothing is kept of ${name}`);
    const { depth, arms, units, values, measures, primary, level, margin, histories, likeness } = kept;
    const { results, comparisons, says } = conclusionOf({
      ...{ depth, arms, values, primary, level, margin },
      units: units.map(({ unit }) => unit),
      runs: histories.length,
      better: Object.fromEntries(measures.map(({ measure, better }) => [measure, better])),
      shares: measures.filter(({ is }) => is === 'share').map(({ measure }) => measure),
      contrasts: contrastsAmong(arms, { primary, preset: kept.preset, depth }),
      same: likeness.filter(({ same }) => same).map(({ arm, other }) => [arm, other] as const),
    });
    expect(JSON.parse(JSON.stringify({ results, comparisons, says }))).toEqual({
      results: kept.results,
      comparisons: kept.comparisons,
      says: kept.conclusions,
    });
  });
});
