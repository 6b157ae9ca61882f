import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Descriptor, descriptor as descriptorSchema } from '../../../schemas/environment.ts';
import { checkLake, descriptor as lake } from '../../../testbed/lake/configuration.ts';
import type { Configuration } from '../environments/environment.ts';
import { knobValues, withKnob } from '../environments/knobs.ts';
import { descriptors } from '../environments/testing/descriptors.ts';
import { type Decision, decisionOn } from './decision.ts';
import type { Fact, Proposal, ProposalRequest } from './engineer.ts';
import { rules } from './rules.ts';
import {
  came,
  contextWith,
  failing,
  type ModuleFacts,
  made,
  measured,
  set,
  signal,
  solved,
  telling,
  without,
} from './testing/context-facts.ts';
import { askedOfLakes, lakeNow } from './testing/questions.ts';

const start = lakeNow;
const sizes = ['3', '4', '5', '6', '7', '8', '9', '10'];

function requestWith(facts: ModuleFacts | null, change: Partial<ProposalRequest> = {}): ProposalRequest {
  return askedOfLakes({ stage: 2, stages: 5, context: facts === null ? null : contextWith(facts), ...change });
}

async function proposed(facts: ModuleFacts | null, change: Partial<ProposalRequest> = {}): Promise<Proposal> {
  const answer = await rules.propose(requestWith(facts, change));
  if ('rejected' in answer) throw new Error('no proposal');
  return answer.proposal;
}

async function decided(facts: ModuleFacts | null, change: Partial<ProposalRequest> = {}): Promise<Decision> {
  const { descriptor, current } = requestWith(facts, change);
  const made = decisionOn(descriptor, current, await proposed(facts, change), () => []);
  if ('issues' in made) throw new Error(JSON.stringify(made.issues));
  return made.decision;
}

function knob({ configuration }: { readonly configuration: unknown }, name: string): number {
  const found = knobValues(lake, configuration as Configuration).find((one) => one.knob === name);
  return found?.value ?? Number.NaN;
}

const reasonFor = ({ changes, kept }: Decision, name: string) =>
  [...changes, ...(kept ?? [])].find((one) => one.knob === name);

describe('the rules engineer', () => {
  it('gives most data to families solved half of the time, and little to those always or never solved', async () => {
    const proposal = await proposed({
      behaviour: ['3', '4', '5', '6'].map((g, i) => solved(g, [1, 0.9, 0.5, 0][i] ?? 0, 20)),
    });
    const shares = ['5', '4', '6'].map((family) => knob(proposal, `${family}.data`));
    expect(shares).toEqual(shares.toSorted((a, b) => b - a));
    expect(knob(proposal, '6.data')).toBeGreaterThan(0);
    expect(knob(proposal, '10.data')).toBe(0.125);
  });

  it('gives the direction and the figures as the reason of each change of a share', async () => {
    const decision = await decided({ behaviour: sizes.map((family, i) => solved(family, i < 4 ? 0.5 : 0)) });
    expect(reasonFor(decision, '3.data')?.reason).toMatch(
      /^more data: \d+ % of the estimated worth, but 13 % of the data so far; 50 % of its probe attempts succeed$/,
    );
    expect(reasonFor(decision, '10.data')?.reason).toMatch(/^less data: \d+ % of the estimated worth/);
  });

  it('names the kind of evidence in its rationale', async () => {
    const saying = async (facts: ModuleFacts) => (await proposed(facts)).rationale;
    expect(await saying({ training: sizes.map((family, i) => signal(family, i / 10)) })).toBe(
      'data where training had most to teach',
    );
    expect(await saying({ failures: sizes.map((family, i) => failing(family, 'hole', 1, 20 + i)) })).toBe(
      'data by how failures are spread over families',
    );
  });

  it('names in its rationale what it changes and in which families', async () => {
    const mastered = ['4', '6'].map((family) => solved(family, 0.8));
    const failures = ['4', '6'].map((family) => failing(family, 'hole', 20, 20));
    const { rationale } = await proposed({ behaviour: [...mastered, solved('3', 0.5)], failures });
    expect(rationale).toBe('data where there is most to learn; harder tasks in families 4 and 6');
    const dataAlone = await proposed({ behaviour: sizes.map((family, i) => solved(family, 0.2 + i / 20)) });
    expect(dataAlone.rationale).toBe('data where there is most to learn');
  });

  it('changes nothing, and says so, if the data is already divided by worth', async () => {
    const { configuration, reasons, rationale } = await proposed({
      behaviour: sizes.map((family) => ({ ...solved(family, 0.5) })),
    });
    expect(configuration).toEqual(start);
    expect(reasons).toEqual([]);
    expect(rationale).toMatch(/^no knob changes: the data is divided by estimated worth already/);
  });

  it('changes working families by at most one step', async () => {
    const decision = await decided({ behaviour: sizes.map((family, i) => solved(family, i < 3 ? 0.97 : 0.4)) });
    for (const family of ['3', '4', '5']) {
      expect(knob(decision, `${family}.data`)).toBeCloseTo(0.075, 9);
      expect(reasonFor(decision, `${family}.hole`)).toMatchObject({ cites: [`B${family}.valid`] });
    }
  });

  it('puts easier families first while hardly anything is learned', async () => {
    const nothing = { behaviour: sizes.map((family) => solved(family, 0)), training: [signal(null, 0.02)] };
    const shares = sizes.map((family) => knob({ configuration: start }, `${family}.data`));
    const next = await proposed(nothing);
    const tilted = sizes.map((family) => knob(next, `${family}.data`));
    expect(tilted).not.toEqual(shares);
    expect(tilted).toEqual(tilted.toSorted((a, b) => b - a));
    // The next decisions may take data from easier families again.
    expect(next.rationale).toMatch(/^the data favours easier families/);
  });

  it('assumes that hardly anything is learned if no training is shown and almost nothing is solved', async () => {
    const proposal = await proposed({ behaviour: sizes.map((family) => solved(family, 0.01)) });
    expect(knob(proposal, '3.data')).toBeGreaterThan(0.2);
  });

  it('ignores a learning signal of few sample groups', async () => {
    const behaviour = sizes.map((family) => solved(family, 0.4));
    const { configuration } = await proposed({ behaviour });
    const other = async (comparisons: number) =>
      (await proposed({ behaviour, training: [signal('3', 0.05, comparisons)] })).configuration;
    expect(await other(5)).toEqual(configuration);
    expect(await other(50)).not.toEqual(configuration);
  });

  it('gives little weight to a rate over few tasks', async () => {
    const share = async (of: number) => {
      const behaviour = sizes.map((family) => solved(family, family === '6' ? 0.125 : 0, of));
      return knob(await proposed({ behaviour, training: [signal(null, 0.5)] }), '6.data');
    };
    expect(await share(8)).toBeLessThan(await share(80));
    expect(await share(8)).toBeGreaterThan(0.125);
  });

  it('ignores facts that cannot be cited', async () => {
    const context = {
      ...contextWith({ behaviour: [solved('3', 0.4), solved('4', 0.9)] }),
      evidenceIds: new Set<string>(),
    };
    expect((await proposed(null, { context })).configuration).toEqual(start);
  });

  it('gives less data to families whose tasks take more agent steps', async () => {
    const behaviour = sizes.flatMap((family, i) => [solved(family, 0.5), measured(family, 'agent-steps', 8 + 3 * i)]);
    const decision = await decided({ behaviour });
    expect(knob(decision, '3.data')).toBeGreaterThan(knob(decision, '10.data'));
    expect(reasonFor(decision, '10.data')?.cites).toEqual(['B10.valid', 'B10.agent-steps']);
  });

  it('makes a mastered family harder by the knob that provokes its failures', async () => {
    const facts = {
      behaviour: [solved('8', 0.8)],
      failures: [failing('8', 'hole', 0.15), failing('8', 'swap-conflict', 0.02)],
    };
    const decision = await decided(facts);
    expect(knob(decision, '8.hole')).toBe(0.2);
    expect(knob(decision, '8.wait')).toBe(0.25);
    expect(reasonFor(decision, '8.hole')?.cites).toEqual(['B8.valid', 'FC8.hole']);
  });

  it('makes a hardly solved family easier if it has more than its part of the data', async () => {
    const facts = { behaviour: [solved('3', 0.03)], failures: [failing('3', 'hole', 0.9)] };
    expect(knob(await proposed(facts), '3.hole')).toBe(0.15);
    const [data, other] = lake.knobs.filter(({ name }) => ['3.data', '10.data'].includes(name));
    if (data === undefined || other === undefined) throw new Error('no such knobs');
    const favoured = withKnob(withKnob(start, data, 0.25), other, 0);
    expect(knob(await proposed(facts, { current: favoured }), '3.hole')).toBeCloseTo(0.1, 9);
  });

  it('relies on history rather than failures if no rates are shown', async () => {
    const history = sizes.map((family, i) => came(1, family, i === 2 ? 0.5 : 0.01));
    const failures = sizes.map((family, i) => failing(family, 'hole', 1, i === 4 ? 50 : 99));
    for (const facts of [{ history }, { history, failures }]) {
      const proposal = await proposed(facts);
      expect(knob(proposal, '5.data')).toBeGreaterThan(0.3);
      expect(proposal.predictions?.find(({ family }) => family === '5')?.value).toBeCloseTo(0.5, 1);
    }
  });

  it('relies on the spread of failures if nothing else is shown, and predicts no rates from it', async () => {
    const factsOf = (ofFive: number) => ({
      failures: sizes.map((family) => failing(family, 'hole', 1, family === '5' ? ofFive : 99)),
    });
    const decision = await decided(factsOf(50));
    expect(knob(decision, '5.data')).toBeGreaterThan(0.3);
    expect(reasonFor(decision, '5.data')).toMatchObject({ cites: ['FC5.hole'] });
    expect((await proposed(factsOf(50))).predictions).toEqual([]);
    expect(knob(await proposed(factsOf(99)), '5.data')).toBeCloseTo(0.125, 9);
  });

  it('gives little weight to many tries of few tasks', async () => {
    const factsFor = (tasks: number) => ({
      behaviour: sizes.flatMap((family) => [solved(family, 0.7), measured(family, 'tried', tasks)]),
    });
    const kept = async (tasks: number) => reasonFor(await decided(factsFor(tasks)), '3.hole');
    expect(await kept(100)).toMatchObject({ cites: ['B3.valid'] });
    expect(await kept(20)).toBeUndefined();
  });

  it('does not repeat a change that made things worse', async () => {
    const facts = { behaviour: [solved('8', 0.72)], failures: [failing('8', 'hole', 0.2)] };
    const steps = (second: number) => [
      set(1, '8', 'hole', 0.15),
      came(1, '8', 0.8),
      set(2, '8', 'hole', 0.2),
      came(2, '8', second),
    ];
    expect(knob(await proposed({ ...facts, history: steps(0.85) }), '8.hole')).toBe(0.2);
    const decision = await decided({ ...facts, history: steps(0.6) });
    expect(knob(decision, '8.hole')).toBe(0.15);
    expect(reasonFor(decision, '8.hole')?.cites).toEqual(['H2.8.hole', 'H1.8.valid', 'H2.8.valid']);
  });

  it('ignores differences that may be chance', async () => {
    const behaviour = sizes.map((family) => solved(family, 0.95));
    const share = async (tasks: number) =>
      knob(await proposed({ behaviour, history: [came(1, '3', 0.9, tasks), came(2, '3', 0.75, tasks)] }), '3.data');
    expect(await share(20)).toBeCloseTo(0.125, 9);
    expect(await share(400)).toBeGreaterThan(0.3);
  });

  it('may move a knob less far or the other way after a change that made things worse', async () => {
    const facts = { behaviour: [solved('8', 0.72)], failures: [failing('8', 'hole', 0.2)] };
    const steps = (first: number, second: number) => [
      ...[set(1, '8', 'hole', first), came(1, '8', 0.8)],
      ...[set(2, '8', 'hole', second), came(2, '8', 0.6)],
    ];
    expect(knob(await proposed({ ...facts, history: steps(0.15, 0.4) }), '8.hole')).toBe(0.2);
    expect(knob(await proposed({ ...facts, history: steps(0.2, 0.15) }), '8.hole')).toBe(0.2);
  });

  it('avoids a value that made things worse even if the history does not show the previous one', async () => {
    const facts = { behaviour: [solved('8', 0.72)], failures: [failing('8', 'hole', 0.2)] };
    const steps = (hole: number) => [
      came(1, '8', 0.8),
      set(2, '8', 'hole', hole),
      came(2, '8', 0.6),
      came(3, '8', 0.72),
    ];
    expect(knob(await proposed({ ...facts, history: steps(0.2) }), '8.hole')).toBe(0.15);
    expect(knob(await proposed({ ...facts, history: steps(0.1) }), '8.hole')).toBe(0.2);
  });

  it('remembers the value of a knob from several stages ago', async () => {
    const facts = { behaviour: [solved('8', 0.72)], failures: [failing('8', 'hole', 0.2)] };
    const history = [
      ...[set(1, '8', 'hole', 0.1), came(1, '8', 0.8), came(2, '8', 0.8)],
      ...[set(3, '8', 'hole', 0.15), came(3, '8', 0.6), came(4, '8', 0.72)],
    ];
    expect(knob(await proposed({ ...facts, history }), '8.hole')).toBe(0.15);
  });

  it('gives more data to a family whose rate fell, even if it still works', async () => {
    const behaviour = sizes.map((family) => solved(family, 0.95));
    const history = [came(1, '3', 0.99), came(2, '3', 0.85)];
    expect(knob(await proposed({ behaviour, history }), '3.data')).toBeGreaterThan(0.3);
    expect(knob(await proposed({ behaviour }), '3.data')).toBeCloseTo(0.125, 9);
  });

  it('keeps the knobs of a family without generated tasks', async () => {
    const facts = { behaviour: [solved('8', 0.8)], failures: [failing('8', 'hole', 0.2)] };
    expect(knob(await proposed({ ...facts, stats: [made('8', 5, 5)] }), '8.hole')).toBe(0.2);
    const decision = await decided({ ...facts, stats: [made('3', 30, 30)] });
    expect(knob(decision, '8.hole')).toBe(0.15);
    expect(reasonFor(decision, '8.hole')).toMatchObject({ cites: null, reason: expect.stringContaining('no task') });
  });

  it('ignores a missing family if that may be chance, or if not all families are shown', async () => {
    const facts = { behaviour: [solved('8', 0.8)], failures: [failing('8', 'hole', 1, 20)] };
    const hole = async (stats: readonly Fact[]) => knob(await proposed({ ...facts, stats }), '8.hole');
    expect(await hole([made('3', 30, 30)])).toBe(0.15);
    expect(await hole([made('3', 20, 20)])).toBe(0.2);
    expect(await hole([made('3', 30, 300)])).toBe(0.2);
  });

  it.each(rules.reads)('reads %s: without it, the proposal differs', async (module) => {
    const { configuration } = await proposed(telling);
    expect((await proposed(without(telling, module))).configuration).not.toEqual(configuration);
  });

  it('needs no clamps and cites only what it was shown, for any context', async () => {
    const rate = fc.double({ min: 0, max: 1, noNaN: true });
    const fact = fc.oneof(
      fc.record({ g: fc.constantFrom(...sizes), rate }).map(({ g, rate }) => ['behaviour', solved(g, rate)] as const),
      fc
        .record({ g: fc.constantFrom(...sizes), rate })
        .map(({ g, rate }) => ['failures', failing(g, 'hole', rate)] as const),
      fc
        .record({ g: fc.constantFrom(...sizes, null), rate })
        .map(({ g, rate }) => ['training', signal(g, rate)] as const),
      fc.record({ g: fc.constantFrom(...sizes), n: fc.nat(20) }).map(({ g, n }) => ['stats', made(g, n)] as const),
      fc
        .record({ g: fc.constantFrom(...sizes), s: fc.integer({ min: 1, max: 3 }), rate })
        .map(({ g, s, rate }) => ['history', came(s, g, rate)] as const),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fact, { maxLength: 40 }), async (facts) => {
        const evidence = byModule(facts);
        const { evidenceIds } = contextWith(evidence);
        const decision = await decided(evidence);
        expect(decision.clamps).toEqual([]);
        expect(checkLake(decision.configuration)).toEqual([]);
        for (const { cites } of [...decision.changes, ...(decision.kept ?? [])])
          for (const evidenceId of cites ?? []) expect(evidenceIds.has(evidenceId)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it('needs no clamps for any descriptor', async () => {
    await fc.assert(
      fc.asyncProperty(descriptors, fc.double({ min: 0, max: 1, noNaN: true }), async (descriptor, rate) => {
        const current = even(descriptor);
        const facts = { behaviour: descriptor.families.map(({ family }, i) => solved(family, i === 0 ? rate : 0.3)) };
        const decision = await decided(facts, { descriptor: descriptorSchema.parse(descriptor), current });
        expect(decision.clamps).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it('keeps the configuration if the context has no facts that it reads', async () => {
    for (const facts of [null, {}, { guideline: [solved('3', 0.5)] }]) {
      const proposal = await proposed(facts);
      expect(proposal.configuration).toEqual(start);
      expect(proposal.rationale).toContain('nothing in the context gives a reason');
    }
  });
});

function byModule(facts: readonly (readonly [string, Fact])[]): ModuleFacts {
  const modules = new Map<string, Fact[]>();
  for (const [module, fact] of facts) modules.set(module, [...(modules.get(module) ?? []), fact]);
  return Object.fromEntries(modules);
}

/** All knobs at the minimum, with equal shares. */
function even(descriptor: Descriptor): Configuration {
  const least = descriptor.knobs.reduce<Configuration>((all, knob) => withKnob(all, knob, knob.range.min), {});
  const made = decisionOn(
    descriptor,
    least,
    { configuration: least, reasons: [], kept: null, predictions: null, rationale: null },
    () => [],
  );
  if ('issues' in made) throw new Error(JSON.stringify(made.issues));
  return made.decision.configuration;
}
