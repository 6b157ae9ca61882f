import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { concludedFrom, keptAs, namesIn, pages, withTables } from './ablations.ts';

const texts = pages.map((page) => readFileSync(page, 'utf8'));

describe('the results of ablations in the documentation', () => {
  it('are those that are stored', () => {
    expect(texts.map(namesIn)).toEqual([
      ['contexts', 'to-the-end'],
      ['flagship-dungeon', 'flagship-catacomb', 'flagship-lake'],
    ]);
    expect(texts.map(withTables)).toEqual(texts);
  });

  it.each(texts.flatMap(namesIn))('of %s follow from the results of each arm and seed', (name) => {
    const kept = keptAs(name);
    if (kept === null) throw new Error(`nothing is stored for ${name}`);
    const { results, comparisons, conclusions } = kept;
    expect(JSON.parse(JSON.stringify(concludedFrom(kept)))).toEqual({ results, comparisons, conclusions });
  });
});
