import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shuffle } from '../../../testbed/lake/testing/random-lakes.ts';
import { Random } from '../../lab/random.ts';
import { meanInterval } from '../../lab/statistics/distributions.ts';
import { bearingOf, type Cited, citationScore, type EvidenceIds } from './scores.ts';

/** Two evidence ids of each of three families, and one of all families. */
const evidenceIds: EvidenceIds = withEvidenceId({
  'B4.valid': '4',
  F1: '4',
  'B6.valid': '6',
  F2: '6',
  'B8.valid': '8',
  F3: '8',
  T: null,
});

function withEvidenceId(families: Readonly<Record<string, string | null>>, module = 'behaviour'): EvidenceIds {
  return Object.fromEntries(
    Object.entries(families).map(([evidenceId, family]) => [evidenceId, { module, events: [], family }]),
  );
}

function change(family: string | null, ...cites: readonly string[]): Cited {
  return { family, cites: [...cites] };
}

describe('the citation score', () => {
  it.each<[string, string | null, readonly string[], number]>([
    ['is 1 for evidence of the changed family', '8', ['F3'], 1],
    ['is still 1 for all evidence of that family', '8', ['F3', 'B8.valid'], 1],
    ['ignores evidence about all families', '8', ['F3', 'T'], 1],
    ['is 0 for evidence about all families alone', '8', ['T'], 0],
    // One of three ids would be right by chance: (0 - 1/3) / (1 - 1/3).
    ['is negative for evidence of another family', '8', ['F1'], -0.5],
    // One half, where chance gives one third: (1/2 - 1/3) / (1 - 1/3).
    ['is lowered by additional evidence of another family', '8', ['F3', 'F1'], 0.25],
    // One half, where chance gives half of one third.
    ['is lowered by an additional unknown id', '8', ['F3', 'F99'], 0.4],
    ['is 0 for unknown ids alone', '8', ['constructor', '__proto__'], 0],
    ['is 0 without citations', '8', [], 0],
    ['is 0 for citing every id', '8', Object.keys(evidenceIds), 0],
  ])('%s', (_, family, cites, score) => {
    expect(citationScore([change(family, ...cites)], evidenceIds)).toBe(score);
  });

  it('is the mean over all changes, corrected for chance once', () => {
    const changes = [change('8', 'F3'), change('6', 'T'), { family: '4', cites: null }];
    // One of three is right, where chance gives one third of one.
    expect(citationScore(changes, evidenceIds)).toBeCloseTo((1 - 1 / 3) / (3 - 1 / 3), 5);
  });

  it('counts a change for all families only if it cites nothing, since all evidence concerns it', () => {
    expect(citationScore([change(null, 'F1'), change('8', 'F3')], evidenceIds)).toBe(1);
    expect(citationScore([change(null), change('8', 'F3')], evidenceIds)).toBe(0.4);
    const reason = 'all evidence shown concerns the changes';
    expect(citationScore([change(null, 'F1')], evidenceIds)).toEqual({ value: null, reason });
    expect(citationScore([change('8', 'F3')], withEvidenceId({ F3: '8', F4: '8' }))).toEqual({ value: null, reason });
  });

  it('has no value without changes, and without citable evidence', () => {
    expect(citationScore([], evidenceIds)).toEqual({ value: null, reason: 'nothing was changed' });
    for (const none of [null, {}])
      expect(citationScore([change('8', 'F3')], none)).toEqual({
        value: null,
        reason: 'the context had nothing to cite',
      });
  });
});

describe('evidence for a change', () => {
  const shown: EvidenceIds = {
    ...withEvidenceId({ 'B8.valid': '8', 'B6.valid': '6', 'B.entropy': null }),
    ...withEvidenceId({ 'O.stages-to-go': null }, 'objective'),
    ...withEvidenceId({ N1: null }, 'self-summary'),
    ...withEvidenceId({ 'H1.8.data': '8', 'H1.8.valid': '8', 'H1.a.b.valid~2': '8' }, 'history'),
    ...withEvidenceId({ 'T8.signal': '8' }, 'training'),
  };

  it.each<[string, string | null, number]>([
    ['O.stages-to-go', null, 0],
    ['O.stages-to-go', '8', 0],
    ['N1', '8', 0],
    ['H1.8.data', '8', 0],
    ['H1.8.valid', '8', 1],
    ['H1.a.b.valid~2', '8', 1],
    ['T8.signal', '8', 1],
    ['B.entropy', '8', 0],
    ['B.entropy', null, 1],
    ['B6.valid', '8', 0],
    ['F99', '8', 0],
  ])('counts only what the policy did: %s for family %s', (evidenceId, family, share) => {
    expect(bearingOf(change(family, evidenceId), shown)).toBe(share);
  });

  it('ignores citations that are not evidence', () => {
    expect(bearingOf(change('8', 'B8.valid', 'O.stages-to-go', 'N1'), shown)).toBe(1);
  });

  it('is undefined if the context shows only items that are not evidence', () => {
    const { N1, 'O.stages-to-go': toGo } = shown;
    const few = { N1, 'O.stages-to-go': toGo } as EvidenceIds;
    expect(bearingOf(change('8', 'N1'), few)).toBe(null);
    expect(citationScore([change('8', 'N1')], few)).toEqual({ value: null, reason: 'the context had nothing to cite' });
  });
});

const families = ['4', '6', '8'] as const;
const contexts = fc
  .array(fc.option(fc.constantFrom(...families)), { minLength: 1, maxLength: 8 })
  .map((of) => withEvidenceId(Object.fromEntries(of.map((family, i) => [`L${i}`, family]))));

describe('the correction for chance', () => {
  it('gives a mean of 0 over all ways to cite the same number of ids', () => {
    fc.assert(
      fc.property(contexts, fc.constantFrom(...families), fc.integer({ min: 1, max: 3 }), (context, family, count) => {
        const ways = choices(Object.keys(context), count);
        const scores = ways.map((cites) => citationScore([change(family, ...cites)], context));
        fc.pre(ways.length > 0 && scores.every((score) => typeof score === 'number'));
        // Evidence of all families is ignored, so such draws cite fewer ids: each number of ids is fair by itself.
        const telling = (cites: readonly string[]): number =>
          cites.filter((evidenceId) => context[evidenceId]?.family !== null).length;
        for (const same of Map.groupBy(ways.keys(), (i) => telling(ways[i] ?? [])).values()) {
          expect(meanOf(same.map((i) => scores[i] as number))).toBeCloseTo(0, 4);
        }
      }),
    );
  });

  it('never gives more than 1, and ignores repeated citations', () => {
    const cites = fc.array(fc.constantFrom('L0', 'L1', 'L2', 'L3', 'X'), { maxLength: 6 });
    const changes = fc.array(fc.record({ family: fc.option(fc.constantFrom(...families)), cites }), { minLength: 1 });
    fc.assert(
      fc.property(contexts, changes, (context, all) => {
        const score = citationScore(all, context);
        if (typeof score === 'number') expect(score).toBeLessThanOrEqual(1);
        const twice = all.map((one) => change(one.family, ...one.cites.toReversed(), ...one.cites));
        expect(citationScore(twice, context)).toEqual(score);
      }),
    );
  });
});

/** A context of realistic size, and changes after it. */
interface History {
  readonly context: EvidenceIds;
  readonly changed: readonly string[];
}

/** Modules show different families; figures, rollouts and other items are mixed. */
function historyOf(seed: number): History {
  const chance = new Random(String(seed), 'citing');
  const of = Array.from({ length: 2 + chance.below(7) }, (_, i) => String(3 + i));
  const figures = (module: string, prefix: string, measures: readonly string[]): EvidenceIds => {
    const shown = of.filter(() => chance.below(4) > 0);
    return withEvidenceId(
      Object.fromEntries(shown.flatMap((family) => measures.map((one) => [`${prefix}${family}.${one}`, family]))),
      module,
    );
  };
  const drawn = Array.from({ length: chance.below(9) }, (_, i) => [`F${i + 1}`, of[chance.below(of.length)] ?? '']);
  const context = {
    ...withEvidenceId({ 'O.stages-to-go': null }, 'objective'),
    ...figures('stats', 'S', ['tasks', 'holes']),
    ...figures('behaviour', 'B', ['valid', 'tried', 'waits']),
    ...figures('failures', 'FC', ['hole']),
    ...withEvidenceId(Object.fromEntries(drawn), 'failures'),
    ...withEvidenceId({ T: null, 'T.signal': null }, 'training'),
    ...figures('history', 'H1.', ['valid', 'hole']),
    ...withEvidenceId({ N1: null, N2: null }, 'self-summary'),
  };
  const knobs = of.flatMap((family) => [family, family, family]);
  shuffle(chance, knobs);
  return { context, changed: knobs.slice(0, 1 + chance.below(knobs.length)) };
}

describe('the mean score over a hundred histories', () => {
  type Citing = (history: History, family: string, chance: Random) => readonly string[];

  function scoresOf(citing: Citing): number[] {
    return Array.from({ length: 100 }, (_, seed) => {
      const history = historyOf(seed);
      const chance = new Random(String(seed), 'stub');
      const changes = history.changed.map((family) => change(family, ...citing(history, family, chance)));
      return citationScore(changes, history.context);
    }).filter((score) => typeof score === 'number');
  }

  const some = (from: readonly string[], count: number, chance: Random): readonly string[] => {
    const shuffled = [...from];
    shuffle(chance, shuffled);
    return shuffled.slice(0, count);
  };
  const evidence = ({ context }: History): readonly string[] =>
    Object.keys(context).filter((evidenceId) => context[evidenceId]?.family !== null);

  it.each<[string, Citing]>([
    ['cites the first id of all', ({ context }) => Object.keys(context).slice(0, 1)],
    ['cites the first id of a family', (history) => evidence(history).slice(0, 1)],
    ['cites the last id of a family', (history) => evidence(history).slice(-1)],
    ['cites the first two ids of a family', (history) => evidence(history).slice(0, 2)],
    ['cites the same two ids of two families', (history) => evidence(history).slice(3, 5)],
    ['cites the first five ids of families', (history) => evidence(history).slice(0, 5)],
    ['cites an id at random', ({ context }, _, chance) => some(Object.keys(context), 1, chance)],
    ['cites three ids at random', ({ context }, _, chance) => some(Object.keys(context), 3, chance)],
    [
      'cites a random number of random ids',
      ({ context }, _, chance) => some(Object.keys(context), chance.below(20), chance),
    ],
    ['cites everything', ({ context }) => Object.keys(context)],
    ['cites all evidence', (history) => evidence(history)],
    ['cites nothing', () => []],
  ])('of an engineer that %s is 0', (_, citing) => {
    const scores = scoresOf(citing);
    // Scores without variation have no interval.
    const { low, high } = meanInterval(scores, 0.95) ?? { low: scores[0], high: scores[0] };
    expect(low).toBeLessThanOrEqual(0);
    expect(high).toBeGreaterThanOrEqual(0);
  });

  it.each<[string, Citing, number]>([
    ['cites evidence of the changed family', ownEvidence, 0.8],
    [
      'cites it half of the time, and random ids otherwise',
      (history, family, chance) =>
        chance.below(2) === 0 ? ownEvidence(history, family) : some(Object.keys(history.context), 2, chance),
      0.3,
    ],
  ])('of an engineer that %s is clearly higher', (_, citing, least) => {
    expect(meanInterval(scoresOf(citing), 0.95)?.low).toBeGreaterThan(least);
  });

  function ownEvidence({ context }: History, family: string): readonly string[] {
    return Object.keys(context).filter(
      (evidenceId) => context[evidenceId]?.family === family && !evidenceId.endsWith('.hole'),
    );
  }
});

function choices(from: readonly string[], count: number): readonly (readonly string[])[] {
  if (count === 0) return [[]];
  return from.flatMap((one, i) => choices(from.slice(i + 1), count - 1).map((rest) => [one, ...rest]));
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
