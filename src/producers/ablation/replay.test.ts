// Contexts built again from the history of a real run: those that were shown, those of any other form, and what happens
// where the record lacks what they need.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../schemas/canonical.ts';
import type { EventData, TypeName } from '../../../schemas/catalogue.ts';
import { golden } from '../../../schemas/testing/golden.ts';
import { openLake } from '../../lab/lake/environment.ts';
import { EvidenceMissing } from '../../ledger/errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { parentAt } from '../by-hand/forking.ts';
import { builder } from '../contexts/build.ts';
import { formNamed, presetNames } from '../contexts/forms.ts';
import { readHistory } from '../history/reading.ts';
import {
  emptyHistory,
  newStage,
  nowhere,
  type Recorded,
  type RunHistory,
  type StageHistory,
} from '../history/run-history.ts';
import { runTiny, type TinyPlace, tinyPlace, tinySettings } from '../run/testing/tiny.ts';
import {
  contextsAfter,
  contextsAt,
  decisionAfter,
  decisionsIn,
  ErasedText,
  heldAgainst,
  NoDecision,
  type Replaying,
  type Sight,
} from './replay.ts';
import { NoDescriptor, SummaryMissing, summedUp } from './summed.ts';
import { tinyLake } from './testing/tiny-ablation.ts';

let place: TinyPlace;
let history: RunHistory;
let fork: RunHistory;
const environment = openLake();
const budget = { 'agent-steps': 60 };
const form = 'training,stats,behaviour,failures,history';

beforeAll(async () => {
  place = await tinyPlace();
  const settings = tinySettings({ stages: 3, budget, context: form, contextTokens: 2500, validation: 2 });
  await runTiny(place, { run: 'whole0000000', settings, lake: tinyLake });
  history = await readHistory(place.ledger, 'whole0000000');
  const parent = await parentAt(place.ledger, history, 1);
  const forked = tinySettings({ stages: 2, budget, context: 'v4', engineer: 'rules' });
  await runTiny(place, {
    run: 'forked000000',
    settings: forked,
    about: { parent },
    until: ({ do: next }) => next === 'train',
  });
  fork = await readHistory(place.ledger, 'forked000000');
});
afterAll(async () => {
  await environment.close();
  await place.close();
});

function replaying(others: Partial<Replaying> = {}): Replaying {
  const textOf: Replaying['textOf'] = async (text) => ('text' in text ? text.text : null);
  return { ledger: place.ledger, textOf, environment, ...others };
}

/** As if nothing had ever been summed up. */
function unsummed(of: RunHistory): RunHistory {
  return inStages(of, () => ({ summaries: [] }));
}

function inStages(of: RunHistory, change: (stage: StageHistory) => Partial<StageHistory>): RunHistory {
  return { ...of, stages: of.stages.map((stage) => ({ ...stage, ...change(stage) })) };
}

function sight(name: string, tokens = 0): Sight {
  return { form: formNamed(name), budget: tokens };
}

/** How often each stream of evidence was read. */
function counting(reads: Map<string, number>): Ledger {
  const read: Ledger['read'] = (stream, options) => {
    if (stream.startsWith('evidence-')) reads.set(stream, (reads.get(stream) ?? 0) + 1);
    return place.ledger.read(stream, options);
  };
  return new Proxy(place.ledger, { get: (target, key) => (key === 'read' ? read : Reflect.get(target, key)) });
}

describe('the decisions of a run', () => {
  it('stand behind every stage but the last, with what was shown, proposed and adopted', () => {
    expect(decisionsIn(history).map(({ stage }) => stage)).toEqual([1, 2]);
    for (const { stage, context, proposal, rejection, adopted } of decisionsIn(history)) {
      const own = history.stages.find((one) => one.stage === stage);
      expect([context, proposal, rejection, adopted]).toEqual([
        own?.contexts[0],
        own?.proposals[0],
        null,
        own?.adopted,
      ]);
    }
  });

  it('of several questions, the one counts whose answer was adopted', () => {
    const asked = inStages(history, ({ contexts, proposals }) => ({
      contexts: [
        ...contexts.map((one) => ({ ...one, id: 'by hand', data: { ...one.data, digest: '0' } })),
        ...contexts,
      ],
      proposals: [...proposals.map((one) => ({ ...one, id: 'another' })), ...proposals],
    }));
    expect(decisionsIn(asked)).toEqual(decisionsIn(history));
  });

  it('one is open where a run stopped before it, and none where a stage is not over', () => {
    const before = history.stages[1] as StageHistory;
    const stopped = {
      ...history,
      completed: null,
      stages: [history.stages[0] as StageHistory, { ...before, adopted: null }],
    };
    expect(decisionAfter(stopped, 2)).toMatchObject({ proposal: null, rejection: null, adopted: null });
    const within = {
      ...stopped,
      stages: [history.stages[0] as StageHistory, { ...before, adopted: null, completed: null }],
    };
    expect(decisionsIn(within).map(({ stage }) => stage)).toEqual([1]);
    expect(() => decisionAfter(within, 2)).toThrow('after stage 2: that stage is not over');
  });

  it('a run of one stage has none, and says so', async () => {
    const single = { ...history, stages: [{ ...(history.stages[0] as StageHistory), adopted: null }] };
    expect(decisionsIn(single)).toEqual([]);
    await expect(contextsAt(single, 1, [sight('v1')], replaying())).rejects.toThrow(NoDecision);
    expect(() => decisionAfter(history, 3)).toThrow('after stage 3: the run ended with it');
    expect(() => decisionAfter(history, 9)).toThrow('after stage 9: it has 3 stages');
  });
});

describe('a context that was really shown', () => {
  it('is built again to the same bytes, from what was recorded and where that is lost from the evidence', async () => {
    for (const of of [history, fork]) {
      const shown = of.stages.flatMap(({ stage, contexts }) => contexts.map((context) => ({ stage, context })));
      expect(shown.length).toBeGreaterThan(0);
      for (const { stage, context } of shown) {
        expect(await heldAgainst(of, stage, context, replaying())).toEqual({ is: 'equal' });
        expect(await heldAgainst(unsummed(of), stage, context, replaying())).toEqual({ is: 'equal' });
      }
    }
  });

  it('cannot be where another builder made it, where it was changed, and where what it was built from is no more', async () => {
    const context = decisionAfter(history, 2).context as NonNullable<StageHistory['contexts'][number]>;
    const held = async (data: Partial<typeof context.data>, of = history, others: Partial<Replaying> = {}) =>
      await heldAgainst(of, 2, { data: { ...context.data, ...data } }, replaying(others));
    const digest = '0'.repeat(64);
    expect(await held({ digest, builder: 'icecore-context/1' })).toEqual({
      is: 'other-builder',
      builder: 'icecore-context/1',
      here: builder,
    });
    const text = 'text' in context.data.text ? context.data.text.text : '';
    const changed = await held({ digest, text: { text: text.replace('# stats', '# statistics') } });
    expect(changed).toMatchObject({ is: 'different', says: expect.stringContaining('# statistics') });
    const { started } = history;
    if (started === null) throw new Error('it never began');
    const { descriptor: _, ...undescribed } = started.data;
    const nameless = { ...history, started: { ...started, data: undescribed } };
    expect(await held({}, nameless)).toEqual({ is: 'equal' });
    const missing = { is: 'missing', says: expect.stringContaining('did not record the descriptor') };
    expect(await held({}, nameless, { environment: null })).toEqual(missing);
  });
});

describe('a history of an older icecore', () => {
  const of = <Type extends TypeName>(name: string): Recorded<Type> => {
    const { event } = golden(name);
    return { ...nowhere, id: event.id, data: event.data as unknown as EventData[Type] };
  };
  const stage = {
    ...newStage(1, of<'StageStarted'>('StageStarted.v1')),
    sealed: of<'EvidenceSealed'>('EvidenceSealed.v1'),
    completed: of<'StageCompleted'>('StageCompleted.v1'),
  };
  const old = {
    ...emptyHistory('k3v9q2m8x1tz'),
    started: of<'RunStarted'>('RunStarted.v1.minimal'),
    stages: [stage],
  };

  it('has decisions, and says plainly what it lacks', async () => {
    expect(decisionsIn(old).map((one) => one.stage)).toEqual([1]);
    await expect(contextsAt(old, 1, [sight('v1')], replaying({ environment: null }))).rejects.toThrow(NoDescriptor);
    await expect(contextsAt(old, 1, [sight('v1')], replaying())).rejects.toThrow(/its seal vouches for/);
    const [built] = await contextsAt(old, 1, [sight('objective,guideline,history')], replaying());
    expect(built?.shown.text).toContain('Nothing was tried yet but the configuration in force.');
  });

  it('its contexts are known to be those of another builder', async () => {
    for (const name of ['ContextRecorded.v1', 'ContextRecorded.v1.minimal']) {
      const shown = of<'ContextRecorded'>(name);
      const { builder: other = null } = shown.data;
      const held = await heldAgainst(old, 1, shown, replaying());
      expect(held).toEqual({ is: 'other-builder', builder: other, here: builder });
    }
  });
});

describe('contexts of other forms', () => {
  const sights = presetNames.filter((name) => name !== 'v5').map((name) => sight(name, 3000));

  it('are the same, byte for byte, where their summaries are added up again; the evidence of a stage is read once', async () => {
    const recorded = await contextsAfter(history, [1, 2], sights, replaying());
    const reads = new Map<string, number>();
    const again = await contextsAfter(
      unsummed(history),
      [1, 2],
      sights,
      replaying({ ledger: counting(reads), threads: 1 }),
    );
    for (const stage of [1, 2]) {
      expect(again.get(stage)?.map(({ shown }) => shown.text)).toEqual(
        recorded.get(stage)?.map(({ shown }) => shown.text),
      );
      const evidenceIds = (of: typeof again) => of.get(stage)?.map(({ recorded }) => Object.keys(recorded.evidenceIds));
      expect(evidenceIds(again)).toEqual(evidenceIds(recorded));
    }
    expect([...reads.values()]).toEqual([1, 1]);
  });

  it('read no evidence at all where everything is recorded', async () => {
    const reads = new Map<string, number>();
    await contextsAfter(history, [1, 2], sights, replaying({ ledger: counting(reads) }));
    expect(reads.size).toBe(0);
  });

  it('may leave out what the one that was shown had', async () => {
    const [without] = await contextsAt(history, 2, [{ ...sight(form), without: ['F1'] }], replaying());
    expect(without?.recorded).toMatchObject({ without: ['F1'] });
  });
});

describe('summaries that were not recorded', () => {
  const all = ['stats', 'behaviour', 'failures', 'training'];
  const needed = [1, 2, 3].map((stage) => ({ stage, modules: all }));

  it('come to what a run records, by one thread or by several', async () => {
    for (const threads of [1, 2]) {
      const { history: whole, added } = await summedUp(unsummed(history), needed, replaying({ threads }));
      expect(added).toHaveLength(12);
      for (const [i, { summaries }] of whole.stages.entries()) {
        const recorded = history.stages[i]?.summaries ?? [];
        expect(summaries.map(({ data }) => canonicalJson(data))).toEqual(
          recorded.map(({ data }) => canonicalJson(data)),
        );
      }
    }
  });

  it('are vouched for by the seal of their evidence, or stand for the event they will be', async () => {
    const stats = [{ stage: 2, modules: ['stats'] }];
    const { added } = await summedUp(unsummed(history), stats, replaying());
    expect(added.map(({ event }) => event.id)).toEqual([history.stages[1]?.sealed?.id]);
    const named = await summedUp(
      unsummed(history),
      stats,
      replaying({ idOf: (stage, module) => `${stage} ${module}` }),
    );
    expect(named.added.map(({ event }) => event.id)).toEqual(['2 stats']);
  });

  it('of behaviour come with those before, beside which forgetting shows', async () => {
    const { added } = await summedUp(unsummed(history), [{ stage: 2, modules: ['behaviour'] }], replaying());
    expect(added.map(({ stage, event }) => [stage, event.data.module])).toEqual([
      [1, 'behaviour'],
      [2, 'behaviour'],
    ]);
  });

  it('that take a model, an environment, a descriptor, evidence or a text that is not there are said to be missing', async () => {
    const bare = unsummed(history);
    const v5 = [sight('v5')];
    await expect(contextsAt(bare, 1, v5, replaying())).rejects.toThrow(
      'whole0000000@1 has no summary for self-summary, and it cannot be added up again: it takes a call of a model',
    );
    const undrawn = summedUp(bare, [{ stage: 1, modules: ['failures'] }], replaying({ environment: null }));
    await expect(undrawn).rejects.toThrow('cannot be drawn without their environment');
    const unsealed = inStages(bare, () => ({ sealed: null, training: null }));
    await expect(contextsAt(unsealed, 1, [sight('stats')], replaying())).rejects.toThrow(
      'no evidence of the stage was sealed',
    );
    await expect(contextsAt(unsealed, 1, [sight('training')], replaying())).rejects.toThrow(SummaryMissing);
    const undescribed = contextsAt({ ...bare, started: null }, 1, [sight('stats')], replaying({ environment: null }));
    await expect(undescribed).rejects.toThrow(NoDescriptor);
    const lost = inStages(bare, ({ sealed }) => ({
      sealed: sealed && { ...sealed, data: { attempts: sealed.data.attempts.map((one) => ({ ...one, count: 9999 })) } },
    }));
    for (const threads of [1, 2]) {
      const summing = summedUp(
        lost,
        [1, 2].map((stage) => ({ stage, modules: ['stats'] })),
        replaying({ threads }),
      );
      await expect(summing).rejects.toThrow(EvidenceMissing);
    }
  });

  it('what the policy says of itself is asked for once, of whoever can, when the rest is there', async () => {
    const asked: (readonly string[])[] = [];
    const said: Replaying['said'] = async (of, stage) => {
      asked.push(of.stages[stage - 1]?.summaries.map(({ data }) => data.module) ?? []);
      return { module: 'self-summary', facts: [], exemplars: [], text: { text: 'I walk into holes.' } };
    };
    const built = await contextsAt(unsummed(history), 1, [sight('v5'), sight('self-summary')], replaying({ said }));
    expect(asked).toEqual([['failures']]);
    for (const { shown } of built) expect(shown.text).toContain('I walk into holes.');
  });

  it('a text that was erased is not passed over', async () => {
    const erased = { module: 'self-summary', facts: [], exemplars: [], text: { blob: '0'.repeat(64), bytes: 7 } };
    const summary = { ...nowhere, id: 'said', data: erased };
    const redacted = inStages(history, ({ summaries }) => ({ summaries: [...summaries, summary] }));
    await expect(contextsAt(redacted, 1, [sight('v5')], replaying())).rejects.toThrow(ErasedText);
  });
});
