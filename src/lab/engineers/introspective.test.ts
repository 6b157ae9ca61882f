import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { IcecoreError } from '../../../schemas/errors.ts';
import { tries } from '../../../schemas/testing/tries.ts';
import { writeBase } from '../../../testbed/grpo/base.ts';
import { startConfiguration } from '../../../testbed/lake/configuration.ts';
import { openLake } from '../../../testbed/lake/environment.ts';
import { openNeural } from '../../../testbed/neural/neural.ts';
import type { Configuration, GenerateRequest } from '../environments/environment.ts';
import { knobValues } from '../environments/knobs.ts';
import type { Checkpoint, Policy } from '../policies/policy.ts';
import { type Decision, decisionOn } from './decision.ts';
import type { Proposal, ProposalRequest } from './engineer.ts';
import { openIntrospective } from './introspective.ts';
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
  without,
} from './testing/context-facts.ts';
import { mostlyHigh, Piles, piles, pilesAtTheEnds, pilesNow, snapshot, snapshotThat } from './testing/piles.ts';
import { askedOf, askedOfLakes } from './testing/questions.ts';

type Change = Partial<Omit<ProposalRequest, 'context'>> & { readonly facts?: ModuleFacts };

function requestWith({ facts, ...change }: Change): ProposalRequest {
  const context = facts === undefined ? null : contextWith(facts);
  return askedOf({ descriptor: piles, current: pilesNow, first: pilesNow, checkpoint: snapshot, context, ...change });
}

async function proposed(policy: Policy, change: Change = {}, environment = new Piles()): Promise<Proposal> {
  const engineer = openIntrospective({ identity: 'checkpoint', environment, policyOf: async () => policy });
  const answer = await engineer.propose(requestWith(change));
  if ('rejected' in answer) throw new Error('no proposal');
  return answer.proposal;
}

async function decided(policy: Policy, change: Change = {}): Promise<Decision> {
  const proposal = await proposed(policy, change);
  const made = decisionOn(piles, requestWith(change).current, proposal, () => []);
  if ('issues' in made) throw new Error(JSON.stringify(made.issues));
  return made.decision;
}

function knob({ configuration }: { readonly configuration: unknown }, name: string): number {
  const found = knobValues(piles, configuration as Configuration).find((one) => one.knob === name);
  return found?.value ?? Number.NaN;
}

const reasonFor = ({ changes, kept }: Decision, name: string) =>
  [...changes, ...(kept ?? [])].find((one) => one.knob === name);

const ofTwoMinds = snapshotThat((family) => ({ low: 0.98, middle: 0.5, high: 0.02 })[family]);
const indifferent = snapshotThat(() => 0.3);
const assured = snapshotThat(() => 0.8);
const mute = snapshotThat(() => undefined);

describe('an engineer that asks a checkpoint', () => {
  it('gives more data to families about which the checkpoint is uncertain, even without a context', async () => {
    const decision = await decided(ofTwoMinds);
    expect(knob(decision, 'middle.share')).toBeGreaterThan(0.5);
    expect(reasonFor(decision, 'middle.share')).toMatchObject({ cites: null, reason: expect.stringContaining('50 %') });
  });

  it('distinguishes uncertainty about each task from solving exactly half of the tasks', async () => {
    const torn = snapshotThat((family, _, i) => (family === 'middle' ? 0.5 : i % 2));
    expect(knob(await proposed(torn), 'middle.share')).toBeGreaterThan(0.8);
  });

  it('asks about the same training tasks each time', async () => {
    const environments = [new Piles(), new Piles()];
    for (const environment of environments) await proposed(indifferent, {}, environment);
    const [once, again] = environments.map(({ asked: requestWith }) => requestWith);
    expect(new Set(once?.map(({ split }) => split))).toEqual(new Set(['train']));
    expect(again).toEqual(once);
  });

  it('ignores generated tasks of other families', async () => {
    class Mixed extends Piles {
      override async *generate(request: GenerateRequest) {
        for await (const task of super.generate(request)) {
          yield task;
          yield { ...task, id: `${task.id} too`, family: 'another' };
        }
        return [];
      }
    }
    const torn = snapshotThat((family) => (family === 'another' ? 0 : 0.8));
    const { predictions } = await proposed(torn, {}, new Mixed());
    expect(predictions?.map(({ value }) => value)).toEqual([0.8, 0.8, 0.8].map((rate) => expect.closeTo(rate, 9)));
  });

  it('moves a knob to where the checkpoint is less certain', async () => {
    const easyBelow = snapshotThat((_, level) => (level > 5 ? 0.5 : 0.95));
    const hardAbove = snapshotThat((_, level) => (level < 5 ? 0.5 : 0.02));
    expect(knob(await proposed(easyBelow), 'high.level')).toBe(6);
    expect(knob(await proposed(hardAbove, { current: mostlyHigh }), 'high.level')).toBe(4);
    expect(knob(await proposed(indifferent, { current: mostlyHigh }), 'high.level')).toBe(5);
  });

  it('makes a family easier only if it has more than its part of the data, and never assumes that harder tasks are easier', async () => {
    const hardAbove = snapshotThat((_, level) => (level < 5 ? 0.5 : 0.02));
    expect(knob(await proposed(hardAbove), 'high.level')).toBe(5);
    const upsideDown = snapshotThat((_, level) => (level > 5 ? 0.5 : 0.02));
    expect(knob(await proposed(upsideDown), 'high.level')).toBe(5);
  });

  it("calibrates the checkpoint's expectations by the results", async () => {
    const boastful = snapshotThat(() => 0.9);
    const evidence = {
      behaviour: ['low', 'middle', 'high'].flatMap((g) => [solved(g, 0.3), measured(g, 'value', 0.9)]),
    };
    const rate = async (change: Change) => (await proposed(boastful, change)).predictions?.[0]?.value;
    expect(await rate({})).toBeCloseTo(0.9, 9);
    expect(await rate({ facts: evidence })).toBeCloseTo(0.3, 9);
  });

  it('changes a working family by at most one step, with a reason', async () => {
    const evidence = { behaviour: [solved('low', 0.97), solved('middle', 0.5), solved('high', 0.5)] };
    const decision = await decided(
      snapshotThat((family) => (family === 'low' ? 1 : 0.5)),
      { facts: evidence },
    );
    expect(knob(decision, 'low.share')).toBeCloseTo(1 / 3 - 0.05, 9);
    expect(reasonFor(decision, 'low.level')).toMatchObject({ cites: ['Blow.valid'] });
  });

  it('does not repeat a change that made things worse, nor judge knobs without generated tasks', async () => {
    const drawn = snapshotThat((family, level) => (family === 'high' && level > 5 ? 0.5 : 0.95));
    const history = [
      set(1, 'high', 'level', 4),
      came(1, 'high', 0.9),
      set(2, 'high', 'level', 6),
      came(2, 'high', 0.7),
    ];
    expect(knob(await proposed(drawn, { facts: { stats: [made('high', 9, 9)] } }), 'high.level')).toBe(6);
    const burnt = await decided(drawn, { facts: { history } });
    expect(knob(burnt, 'high.level')).toBe(5);
    expect(reasonFor(burnt, 'high.level')?.cites).toEqual(['H2.high.level', 'H1.high.valid', 'H2.high.valid']);
    const unmade = await decided(drawn, { facts: { stats: [made('low', 9, 9)] } });
    expect(reasonFor(unmade, 'high.level')).toMatchObject({ cites: null, reason: expect.stringContaining('no task') });
  });

  const telling: ModuleFacts = {
    training: [signal('low', 0.4), signal('middle', 0.9), signal('high', 0.6)],
    stats: [made('low', 50), made('middle', 50)],
    behaviour: [solved('low', 0.9), solved('middle', 0.8), solved('high', 0.8), measured('low', 'value', 0.95)],
    failures: ['low', 'middle', 'high'].map((family) => failing(family, 'toppled', 1, 20)),
    history: [set(1, 'low', 'level', 4), came(1, 'low', 0.9), set(2, 'low', 'level', 6), came(2, 'low', 0.7)],
  };

  it('relies on the checkpoint, not on failures, if no rates are shown', async () => {
    const failures = ['low', 'middle', 'high'].map((family) =>
      failing(family, 'toppled', 1, family === 'low' ? 50 : 99),
    );
    const share = async (policy: Policy, evidence: ModuleFacts) =>
      knob(await proposed(policy, { facts: evidence }), 'low.share');
    expect(await share(ofTwoMinds, { failures })).toBe(await share(ofTwoMinds, {}));
    expect(await share(mute, { failures })).toBeGreaterThan(0.5);
  });

  it.each(rules.reads)('reads %s: without it, the proposal differs', async (module) => {
    const { configuration } = await proposed(assured, { facts: telling });
    const other = await proposed(assured, { facts: without(telling, module) });
    expect(other.configuration).not.toEqual(configuration);
  });

  it('cites only what it was shown, and needs no clamps', async () => {
    const { evidenceIds } = contextWith(telling);
    for (const policy of [ofTwoMinds, assured, mute]) {
      for (const current of [pilesNow, pilesAtTheEnds]) {
        const { changes, kept, clamps } = await decided(policy, { facts: telling, current });
        expect(clamps).toEqual([]);
        for (const { cites } of [...changes, ...(kept ?? [])])
          for (const evidenceId of cites ?? []) expect(evidenceIds.has(evidenceId)).toBe(true);
      }
    }
  });

  it.each(['training', 'behaviour', 'history'])(
    'gives reasons from %s only if that module is shown',
    async (module) => {
      const words = {
        training: /training had|in training/,
        behaviour: /% of its probe attempts succeed/,
        history: /once/,
      };
      const all = async (facts: ModuleFacts): Promise<string> => {
        const { reasons, kept, rationale } = await proposed(ofTwoMinds, { facts: facts });
        return [...reasons, ...(kept ?? []), { reason: rationale }].map((one) => one.reason).join('\n');
      };
      const facts = module === 'behaviour' ? without(telling, 'history') : telling;
      expect(await all(facts)).toMatch(words[module as keyof typeof words]);
      expect(await all(without(facts, module))).not.toMatch(words[module as keyof typeof words]);
    },
  );

  it('states the direction of each change, and compares no equal figures', async () => {
    const rate = fc.integer({ min: 0, max: 100 }).map((percent) => percent / 100);
    const rates = fc.tuple(rate, rate, rate, rate);
    const settings = fc.constantFrom(pilesNow, mostlyHigh, pilesAtTheEnds);
    await fc.assert(
      fc.asyncProperty(rates, settings, fc.boolean(), async ([low, middle, high, slope], current, isShown) => {
        const at = { low, middle, high };
        const policy = snapshotThat((family, level) =>
          Math.min(1, Math.max(0, at[family as keyof typeof at] + (slope / 4) * (5 - level))),
        );
        const { changes } = await decided(policy, { current, ...(isShown ? { facts: telling } : {}) });
        for (const { knob: name, from, to, reason } of changes) {
          expect(reason).not.toMatch(/(?<!\d)(\d+ %)[^;]* (?:instead of|but) \1/);
          if (name.endsWith('.share'))
            expect(reason).toMatch(to > (from ?? 0) ? /^(?:slightly )?more data/ : /^(?:slightly )?less data/);
          else expect(reason).toMatch(/^(harder|easier): ./);
        }
      }),
      { numRuns: tries(60) },
    );
  });

  it('relies on the context alone if the checkpoint reports no certainty, and does not ask again', async () => {
    const environment = new Piles();
    const proposal = await proposed(mute, { facts: telling }, environment);
    expect(environment.asked).toHaveLength(1);
    const byRule = await rules.propose(requestWith({ facts: telling }));
    expect(byRule).toMatchObject({ proposal: { configuration: proposal.configuration } });
    expect(proposal.rationale).toContain('the checkpoint does not say how sure it is');
  });

  it('keeps everything and says so without a checkpoint and a context', async () => {
    for (const change of [{ checkpoint: null }, { checkpoint: null, facts: { objective: [] } }]) {
      const proposal = await proposed(ofTwoMinds, change);
      expect(proposal).toMatchObject({
        configuration: pilesNow,
        rationale: expect.stringContaining('no knob changes'),
      });
    }
    expect(await proposed(mute)).toMatchObject({ configuration: pilesNow });
  });
});

describe('the checkpoint', () => {
  it('is opened, and closed even after an abort', async () => {
    const opened: Checkpoint[] = [];
    let closed = 0;
    const stop = new AbortController();
    const engineer = openIntrospective({
      identity: 'checkpoint@2',
      environment: new Piles(),
      policyOf: async (checkpoint) => {
        opened.push(checkpoint);
        return { ...indifferent, close: async () => void closed++ };
      },
    });
    expect(engineer.identity.name).toBe('checkpoint@2');
    await engineer.propose(requestWith({}));
    expect([opened, closed]).toEqual([[snapshot], 1]);
    const policyOf = async () => {
      stop.abort(new Error('enough'));
      return { ...indifferent, close: async () => void closed++ };
    };
    const stopped = openIntrospective({ identity: 'base', environment: new Piles(), policyOf });
    await expect(stopped.propose(requestWith({ signal: stop.signal }))).rejects.toThrow('enough');
    expect(closed).toBe(2);
  });

  it('causes an error instead of an answer if it cannot be read', async () => {
    const engineerThat = (policyOf: () => Promise<Policy>) =>
      openIntrospective({ identity: 'base', environment: new Piles(), policyOf });
    const fault = new IcecoreError('not-found', 'there is no such file');
    await expect(engineerThat(() => Promise.reject(fault)).propose(requestWith({}))).rejects.toMatchObject({
      name: 'EngineerFailed',
      failure: 'unavailable',
      message: 'there is no such file',
    });
    const bug = engineerThat(() => Promise.reject(new TypeError('x is not a function')));
    await expect(bug.propose(requestWith({}))).rejects.toThrow(TypeError);
    const stop = new AbortController();
    const stopped = engineerThat(() => {
      stop.abort(new Error('enough'));
      return Promise.reject(fault);
    });
    await expect(stopped.propose(requestWith({ signal: stop.signal }))).rejects.toThrow('enough');
  });
});

describe('proposals with the built-in network on the lake', () => {
  const lake = openLake();
  let folder = '';
  let base: Checkpoint;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'icecore-introspective-'));
    base = await writeBase(startConfiguration, 'one', folder);
  });
  afterAll(async () => {
    await lake.close();
    await rm(folder, { recursive: true });
  });

  it('need no clamps and are reproducible', async () => {
    const engineer = openIntrospective({
      identity: 'base',
      environment: lake,
      policyOf: (checkpoint) => openNeural(checkpoint, { threads: 1 }),
    });
    const question = askedOfLakes({ checkpoint: base });
    const answer = await engineer.propose(question);
    if ('rejected' in answer) throw new Error('no proposal');
    const made = decisionOn(question.descriptor, question.current, answer.proposal, lake.check);
    expect(made).toMatchObject({ decision: { clamps: [] } });
    expect(answer.proposal.configuration).not.toEqual(question.current);
    expect(await engineer.propose(question)).toEqual(answer);
  });
});
