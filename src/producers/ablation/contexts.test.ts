// Contexts rebuilt from the history of a real run: those that were shown, those of other forms, and histories with
// missing data.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../schemas/canonical.ts';
import type { EventData, TypeName } from '../../../schemas/catalogue.ts';
import { golden } from '../../../schemas/testing/golden.ts';
import { openLake } from '../../../testbed/lake/environment.ts';
import { EvidenceMissing } from '../../ledger/errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { parentAt } from '../by-hand/forking.ts';
import type { BuiltContext } from '../contexts/build.ts';
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
import { summaryModules } from '../summaries/modules.ts';
import { ErasedText, NoDescriptor, SummaryMissing, type SummaryOptions, withSummaries } from './summaries.ts';
import { contextsAfter, type ShownForm } from './testing/contexts.ts';
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

function replaying(others: Partial<SummaryOptions> = {}): SummaryOptions {
  const textOf: SummaryOptions['textOf'] = async (text) => ('text' in text ? text.text : null);
  const idOfSummary = (stage: number, module: string): string => `${stage} ${module}`;
  return { ledger: place.ledger, textOf, environment, idOf: idOfSummary, ...others };
}

/** Without any summaries. */
function unsummed(of: RunHistory): RunHistory {
  return inStages(of, () => ({ summaries: [] }));
}

function inStages(of: RunHistory, change: (stage: StageHistory) => Partial<StageHistory>): RunHistory {
  return { ...of, stages: of.stages.map((stage) => ({ ...stage, ...change(stage) })) };
}

function sight(name: string, tokens = 0): ShownForm {
  return { form: formNamed(name), budget: tokens, without: [] };
}

async function contextsAt(
  of: RunHistory,
  stage: number,
  sights: readonly ShownForm[],
  how: SummaryOptions,
): Promise<BuiltContext[]> {
  return (await contextsAfter(of, [stage], sights, how)).get(stage) ?? [];
}

/** How often each stream of evidence was read. */
function counting(reads: Map<string, number>): Ledger {
  const read: Ledger['read'] = (stream, options) => {
    if (stream.startsWith('evidence-')) reads.set(stream, (reads.get(stream) ?? 0) + 1);
    return place.ledger.read(stream, options);
  };
  return new Proxy(place.ledger, { get: (target, key) => (key === 'read' ? read : Reflect.get(target, key)) });
}

describe('a context that was actually shown', () => {
  it('is rebuilt to the same bytes from recorded data, even if the evidence is lost', async () => {
    for (const recorded of [history, fork]) {
      const shown = recorded.stages.flatMap(({ stage, contexts }) => contexts.map((context) => ({ stage, context })));
      expect(shown.length).toBeGreaterThan(0);
      for (const { stage, context } of shown) {
        const { contextForm, budget: tokens, without = [], digest } = context.data;
        for (const from of [recorded, unsummed(recorded)]) {
          const [built] = await contextsAt(from, stage, [{ form: contextForm, budget: tokens, without }], replaying());
          expect(built?.recorded.digest).toBe(digest);
        }
      }
    }
  });
});

describe('a history recorded by an older version', () => {
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

  it('is refused, naming the missing part', async () => {
    await expect(contextsAt(old, 1, [sight('objective')], replaying())).rejects.toThrow(NoDescriptor);
    await expect(contextsAt(old, 1, [sight('v1')], replaying())).rejects.toThrow(/its seal covers/);
  });
});

describe('contexts of other forms', () => {
  const sights = presetNames.filter((name) => name !== 'v5').map((name) => sight(name, 3000));

  it('have the same bytes with recomputed summaries, and read the evidence of each stage once', async () => {
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

  it('read no evidence if all summaries are recorded', async () => {
    const reads = new Map<string, number>();
    await contextsAfter(history, [1, 2], sights, replaying({ ledger: counting(reads) }));
    expect(reads.size).toBe(0);
  });

  it('can leave out an item of the recorded context', async () => {
    const [without] = await contextsAt(history, 2, [{ ...sight(form), without: ['F1'] }], replaying());
    expect(without?.recorded).toMatchObject({ without: ['F1'] });
  });
});

describe('missing summaries', () => {
  const needed = [1, 2, 3].map((stage) => ({ stage, modules: summaryModules }));

  it('are computed as in a run, on one or several threads', async () => {
    for (const threads of [1, 2]) {
      const { history: whole, added } = await withSummaries(unsummed(history), needed, replaying({ threads }));
      expect(added).toHaveLength(3 * summaryModules.length);
      for (const [i, { summaries }] of whole.stages.entries()) {
        const recorded = history.stages[i]?.summaries ?? [];
        expect(summaries.map(({ data }) => canonicalJson(data))).toEqual(
          recorded.map(({ data }) => canonicalJson(data)),
        );
      }
    }
  });

  it('are identified by stage and module', async () => {
    const stats = [{ stage: 2, modules: ['stats'] }];
    const { added } = await withSummaries(unsummed(history), stats, replaying());
    expect(added.map(({ event }) => event.id)).toEqual(['2 stats']);
  });

  it('of behaviour are computed for earlier stages too, to detect forgetting', async () => {
    const { added } = await withSummaries(unsummed(history), [{ stage: 2, modules: ['behaviour'] }], replaying());
    expect(added.map(({ stage, event }) => [stage, event.data.module])).toEqual([
      [1, 'behaviour'],
      [2, 'behaviour'],
    ]);
  });

  it('are an error if they need a model call, a seal or lost evidence', async () => {
    const bare = unsummed(history);
    const v5 = [sight('v5')];
    await expect(contextsAt(bare, 1, v5, replaying())).rejects.toThrow(
      'stage 1 of whole0000000 has no summary for self-summary, and it cannot be computed: it requires a model call',
    );
    const unsealed = inStages(bare, () => ({ sealed: null, training: null }));
    await expect(contextsAt(unsealed, 1, [sight('stats')], replaying())).rejects.toThrow(
      'the stage has no sealed evidence',
    );
    await expect(contextsAt(unsealed, 1, [sight('training')], replaying())).rejects.toThrow(SummaryMissing);
    const lost = inStages(bare, ({ sealed }) => ({
      sealed: sealed && { ...sealed, data: { attempts: sealed.data.attempts.map((one) => ({ ...one, count: 9999 })) } },
    }));
    for (const threads of [1, 2]) {
      const summing = withSummaries(
        lost,
        [1, 2].map((stage) => ({ stage, modules: ['stats'] })),
        replaying({ threads }),
      );
      await expect(summing).rejects.toThrow(EvidenceMissing);
    }
  });

  it('of the self-summary are requested once, after the summary of failures', async () => {
    const asked: (readonly string[])[] = [];
    const said: SummaryOptions['said'] = async (of, stage) => {
      asked.push(of.stages[stage - 1]?.summaries.map(({ data }) => data.module) ?? []);
      return { module: 'self-summary', facts: [], exemplars: [], text: { text: 'I walk into holes.' } };
    };
    const built = await contextsAt(unsummed(history), 1, [sight('v5'), sight('self-summary')], replaying({ said }));
    expect(asked).toEqual([['failures']]);
    for (const { shown } of built) expect(shown.text).toContain('I walk into holes.');
  });

  it('are an error if their text was erased', async () => {
    const erased = { module: 'self-summary', facts: [], exemplars: [], text: { blob: '0'.repeat(64), bytes: 7 } };
    const summary = { ...nowhere, id: 'said', data: erased };
    const redacted = inStages(history, ({ summaries }) => ({ summaries: [...summaries, summary] }));
    await expect(contextsAt(redacted, 1, [sight('v5')], replaying())).rejects.toThrow(ErasedText);
  });
});
