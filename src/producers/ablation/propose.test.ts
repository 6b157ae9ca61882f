// Arms that replay decisions on the history of tiny runs: their contexts and their records.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { streamOf } from '../../../schemas/streams.ts';
import { collect } from '../../ledger/contract/fixture.ts';
import { parentAt } from '../by-hand/forking.ts';
import { readHistory } from '../history/reading.ts';
import type { RunHistory } from '../history/run-history.ts';
import { runTiny, type TinyPlace, tinySettings } from '../run/testing/tiny.ts';
import { erroredIn } from './errored.ts';
import type { AblationRecord } from './record.ts';
import { ablateTiny, designTiny, keptRuns, type RecordedRuns } from './testing/tiny-ablation.ts';

const run = 'whole0000000';
const form = 'training,stats,behaviour,failures,history';
const settings = tinySettings({ stages: 3, budget: { 'agent-steps': 60 }, context: form, validation: 4, trained: 8 });
let kept: RecordedRuns;

beforeAll(async () => {
  kept = await keptRuns({ run, settings });
}, 60_000);

async function place(): Promise<TinyPlace> {
  const made = await kept.copy();
  onTestFinished(() => made.close());
  return made;
}

/** The proposals of an arm, by stage. */
function proposedBy({ proposals }: AblationRecord, arm: string) {
  return [...proposals.values()]
    .filter(({ data }) => data.arm === arm)
    .toSorted((one, other) => one.place.stage - other.place.stage)
    .map(({ place: { stage }, data }) => ({ stage, data }));
}

function unfinishedIn({ completed }: AblationRecord): Readonly<Record<string, string>> {
  return Object.fromEntries(completed?.data.unfinished.map(({ arm, reason }) => [arm, reason]) ?? []);
}

/** The history with a different stage. */
function withStage(stage: number, change: Partial<RunHistory['stages'][number]>): (history: RunHistory) => RunHistory {
  return (history) => ({
    ...history,
    stages: history.stages.map((one) => (one.stage === stage ? { ...one, ...change } : one)),
  });
}

describe('an arm', () => {
  it('with the recorded form gets the recorded context, and decides the same', async () => {
    const at = await place();
    const { design, record } = await ablateTiny(at, { runs: [run], forms: [form, 'v1'] });
    const { stages } = await readHistory(at.ledger, run);
    const decided = proposedBy(record, `rules/${form.replaceAll(',', '+')}`);
    expect(decided.map(({ stage }) => stage)).toEqual([1, 2]);
    for (const { stage, data } of decided) {
      const over = stages[stage - 1];
      const [shown] = over?.contexts ?? [];
      expect(data.context).toMatchObject({ digest: shown?.data.digest, event: shown?.id });
      expect(data.configuration).toEqual(over?.adopted?.data.configuration);
      expect(data.scores).toEqual(over?.proposals[0]?.data.scores);
    }
    expect(record.contexts.map((one) => [one.data.contextForm.name, one.stage]).toSorted()).toEqual([
      ['v1', 1],
      ['v1', 2],
    ]);
    const ids = (await collect(at.ledger.read(streamOf.ablation(design.ablation)))).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('of a leave-one-out design gets the whole form, or the form without one module', async () => {
    const { record } = await ablateTiny(await place(), {
      ...{ runs: [run], stages: [1], forms: ['combined', 'stats'], choice: { kind: 'leave-one-out' } },
    });
    expect(unfinishedIn(record)).toEqual({});
    const shown = record.contexts.map(({ data }) => data.modules?.map(({ module }) => module).join());
    expect(shown.toSorted()).toEqual([
      'objective,behaviour,failures',
      'objective,stats,behaviour',
      'objective,stats,behaviour,failures',
      'objective,stats,failures',
      'stats',
      'stats,behaviour,failures',
    ]);
  });

  it('has a preservation score even if behaviour is neither shown nor recorded', async () => {
    const histories = (history: RunHistory): RunHistory => ({
      ...history,
      stages: history.stages.map((one) => ({
        ...one,
        summaries: one.summaries.filter(({ data }) => data.module !== 'behaviour'),
      })),
    });
    const asked = { runs: [run], stages: [1], forms: ['failures'] };
    const [whole, without] = [
      await ablateTiny(await place(), asked),
      await ablateTiny(await place(), { ...asked, histories }),
    ];
    for (const arm of ['rules/failures', 'uniform']) {
      const [found, expected] = [proposedBy(without.record, arm), proposedBy(whole.record, arm)];
      expect(found[0]?.data.scores?.preservation).toBeDefined();
      expect(found[0]?.data.scores?.preservation).toEqual(expected[0]?.data.scores?.preservation);
    }
  });

  it('of a sensitivity design gets the context without the named rollout', async () => {
    const { record } = await ablateTiny(await place(), {
      ...{ runs: [run], stages: [1], forms: ['combined'], choice: { kind: 'sensitivity', items: ['F1'] } },
    });
    expect(unfinishedIn(record)).toEqual({});
    const less = record.contexts.find(({ data }) => data.without?.includes('F1'));
    expect(less?.data.modules?.map(({ module }) => module)).toContain('failures');
    expect(proposedBy(record, 'rules/combined-F1')).toHaveLength(1);
  });

  it('stays unfinished, with a reason, if a module of its form is missing', async () => {
    const { record } = await ablateTiny(await place(), { runs: [run], forms: ['v5', 'v1'] });
    expect(Object.keys(unfinishedIn(record))).toEqual(['rules/v5']);
    expect(unfinishedIn(record)['rules/v5']).toMatch(/no summary for self-summary/);
    expect(record.contexts.map(({ data }) => data.contextForm.name)).not.toContain('v5');
    expect(proposedBy(record, 'rules/v1')).toHaveLength(2);
  });

  it('is errored if its engineer asks a missing checkpoint; rules need none', async () => {
    const at = await place();
    rmSync(join(at.folder, 'blobs'), { recursive: true });
    const { record } = await ablateTiny(at, { runs: [run], engineers: ['rules', 'checkpoint'] });
    expect(erroredIn(record)).toEqual([{ arm: 'checkpoint/failures', reason: expect.stringMatching(/blob/) }]);
    expect(record.completed).toBeNull();
    expect(proposedBy(record, 'rules/failures')).toHaveLength(2);
  });
});

describe('the arm actual', () => {
  it('repeats the recorded decisions, even those of a person', async () => {
    const at = await place();
    const { stages } = await readHistory(at.ledger, run);
    const adopted = stages[1]?.adopted;
    if (adopted === null || adopted === undefined) return expect.fail('nothing was adopted');
    const byHand = { ...adopted, data: { ...adopted.data, by: 'human', proposal: null, context: null } } as const;
    const histories = withStage(2, { adopted: byHand, proposals: [], contexts: [] });
    const { record, design } = await ablateTiny(at, { runs: [run], stages: [2], histories });
    expect(design.arms.find(({ arm }) => arm === 'actual')).toMatchObject({
      identity: { name: 'human' },
      form: null,
    });
    const [recorded] = proposedBy(record, 'actual');
    expect(recorded?.data).toMatchObject({ engineer: { name: 'human' }, configuration: adopted.data.configuration });
    expect(recorded?.data).toMatchObject({ scores: { usable: 1, preservation: { value: null } } });
  });

  it('records a rejection if the run kept its configuration for lack of a usable proposal', async () => {
    const at = await place();
    const { stages } = await readHistory(at.ledger, run);
    const { adopted, proposals, started } = stages[0] ?? expect.fail('there is no stage');
    const [proposal] = proposals;
    const configuration = started.data.configuration;
    if (adopted === null || proposal === undefined || configuration === undefined)
      return expect.fail('nothing decided');
    const { engineer, context } = proposal.data;
    const rejected = {
      engineer: { ...engineer, name: 'gpt' },
      context,
      reason: 'invalid',
      issues: [],
      raw: null,
    };
    const histories = withStage(1, {
      proposals: [],
      rejections: [{ ...proposal, data: rejected as never }],
      adopted: {
        ...adopted,
        data: { ...adopted.data, by: 'kept', proposal: null, configuration, changes: [] },
      },
    });
    const { record, design } = await ablateTiny(at, { runs: [run], stages: [1], histories });
    expect(design.arms.find(({ arm }) => arm === 'actual')?.identity.name).toBe('gpt');
    expect(proposedBy(record, 'actual')).toEqual([]);
    const [recorded] = [...record.rejections.values()];
    expect(recorded?.data).toMatchObject({ arm: 'actual', reason: 'invalid', engineer: { name: 'gpt' } });
  });

  it('covers a fork from its first stage, including the shared history', async () => {
    const at = await place();
    const history = await readHistory(at.ledger, run);
    await runTiny(at, {
      run: 'forked000000',
      settings: { ...settings, name: 'forked' },
      about: { parent: await parentAt(at.ledger, history, 2) },
      until: ({ do: next }) => next === 'train',
    });
    const { record, design } = await ablateTiny(at, { runs: ['forked000000'], forms: [form] });
    expect(design.histories[0]?.stages).toEqual([1, 2]);
    const recorded = proposedBy(record, 'actual').map(({ data }) => data.configuration.digest);
    const proposed = proposedBy(record, `rules/${form.replaceAll(',', '+')}`).map(
      ({ data }) => data.configuration.digest,
    );
    expect(recorded).toHaveLength(2);
    expect(proposed).toEqual(recorded);
    expect(record.contexts).toEqual([]);
    const undecided = (of: RunHistory): RunHistory => withStage(2, { adopted: null })(of);
    const before = await designTiny(at, { runs: ['forked000000'], stages: [1, 2], histories: undecided });
    expect(before.ablation).not.toBe(design.ablation);
  });
});

describe('a history', () => {
  it('without decisions is refused before anything is written', async () => {
    const at = await place();
    const one = (of: RunHistory): RunHistory => ({
      ...of,
      stages: of.stages.slice(0, 1).map((stage) => ({ ...stage, adopted: null })),
    });
    const asked = ablateTiny(at, { runs: [run], histories: one });
    await expect(asked).rejects.toMatchObject({
      name: 'NothingToDecide',
      message: expect.stringContaining('has no decision yet'),
    });
    const none = ablateTiny(at, { runs: [run], histories: (of) => ({ ...of, stages: [] }) });
    await expect(none).rejects.toMatchObject({ remedy: expect.stringContaining('icecore resume') });
    for await (const _ of at.ledger.streams('ablation-')) expect.fail('something was written');
  });

  it('that was interrupted is replayed up to its last decision', async () => {
    const stopped = (of: RunHistory): RunHistory => {
      const { stages } = withStage(2, { adopted: null, completed: null })(of);
      return { ...of, completed: null, stages: stages.slice(0, 2) };
    };
    const { record } = await ablateTiny(await place(), { runs: [run], histories: stopped });
    expect(proposedBy(record, 'rules/failures').map(({ stage }) => stage)).toEqual([1]);
    expect(proposedBy(record, 'actual').map(({ stage }) => stage)).toEqual([1]);
  });
});
