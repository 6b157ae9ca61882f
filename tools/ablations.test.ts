import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { concludedFrom, keptAs, namesIn, page, withTables } from './ablations.ts';

const text = readFileSync(page, 'utf8');

describe('the results in docs/ablation.md', () => {
  it('are those that are stored', () => {
    expect(namesIn(text)).toEqual(['contexts', 'to-the-end']);
    expect(withTables(text)).toBe(text);
  });

  it.each(namesIn(text))('of %s follow from the results of each arm and seed', (name) => {
    const kept = keptAs(name);
    if (kept === null) throw new Error(`nothing is stored for ${name}`);
    const { results, comparisons, conclusions } = kept;
    expect(JSON.parse(JSON.stringify(concludedFrom(kept)))).toEqual({ results, comparisons, conclusions });
  });
});
