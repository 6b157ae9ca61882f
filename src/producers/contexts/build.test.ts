// Contexts of a lake run with real rollouts: what an engineer sees, and what must stay hidden.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkEvent, type TypeName, versionOf } from '../../../schemas/catalogue.ts';
import { evidenceId as evidenceIdSchema } from '../../../schemas/primitives.ts';
import { openLake } from '../../../testbed/lake/environment.ts';
import type { Environment } from '../../lab/environments/environment.ts';
import { sha256 } from '../../ledger/identity/ids.ts';
import type { RunHistory } from '../history/run-history.ts';
import { type BuiltContext, buildContext } from './build.ts';
import { type Form, formNamed, modules, presetNames } from './forms.ts';
import { evaluation, inStage, laterLakes, recorded, setting, stagedRun, textOf, withLedger } from './testing/staged.ts';
import { tokensIn } from './tokens.ts';

let lake: Environment;
let history: RunHistory;
let twin: RunHistory;
const twinSetting = { run: '9x8y7z6w5v4t', at: '2041-07-08T09:10:11Z', isReversed: true };

beforeAll(async () => {
  lake = openLake();
  const configurations = laterLakes(lake.start);
  history = withSelfSummary(await withLedger((ledger) => stagedRun(ledger, { ...setting, configurations }, lake)));
  twin = withSelfSummary(
    await withLedger((ledger) => stagedRun(ledger, { ...setting, ...twinSetting, configurations }, lake)),
  );
});
afterAll(() => lake.close());

const said = 'I arrive on small lakes.\n\nOn large ones I fall into holes.\nF1 shows it.';

function withSelfSummary(of: RunHistory): RunHistory {
  const data = { module: 'self-summary', facts: [], exemplars: [], text: { text: said } };
  return [1, 2, 3].reduce(
    (run, stage) =>
      inStage(run, stage, ({ summaries }) => ({
        summaries: [
          ...summaries,
          recorded(of.run === setting.run ? setting : twinSetting, 'SummaryRecorded', stage, 9, data),
        ],
      })),
    of,
  );
}

interface Asking {
  readonly of?: RunHistory;
  readonly stage?: number;
  readonly form?: Form;
  readonly budget?: number;
}

const everything = formNamed(modules.join(','));
const forms: readonly Form[] = [...presetNames.map(formNamed), everything];

async function context({ of = history, stage = 3, form = everything, budget = 0 }: Asking = {}): Promise<BuiltContext> {
  return await buildContext({ descriptor: lake.descriptor, history: of, stage, form, budget, textOf });
}

const textIn = ({ recorded: { text } }: BuiltContext): string => ('text' in text ? text.text : '');

describe('a context', () => {
  it('has the text of the golden file', async () => {
    await expect(textIn(await context())).toMatchFileSnapshot('golden/lake.txt');
  });

  it('can be recorded, and its digest is that of its bytes', async () => {
    const { recorded: data, shown } = await context();
    expect(wrong('ContextRecorded', data)).toEqual([]);
    expect(data.digest).toBe(sha256(shown.text));
    expect(data.tokens).toBe(tokensIn(shown.text));
    expect(shown.digest).toBe(data.digest);
    expect(textIn({ recorded: data, shown })).toBe(shown.text);
    for (const { summaries } of history.stages) {
      for (const summary of summaries) expect(wrong('SummaryRecorded', summary.data)).toEqual([]);
    }
  });

  it('has the same bytes for another run of the same seed, independent of name, time and the order of rollouts', async () => {
    for (const form of forms) {
      for (const stage of [1, 2, 3]) {
        const [one, other] = [await context({ form, stage }), await context({ of: twin, form, stage })];
        expect(other.shown.text).toBe(one.shown.text);
        expect(Object.keys(other.recorded.evidenceIds)).toEqual(Object.keys(one.recorded.evidenceIds));
      }
    }
    expect(twin.stages[0]?.summaries[0]?.id).not.toBe(history.stages[0]?.summaries[0]?.id);
  });

  it('contains nothing from after its stage', async () => {
    for (const stage of [1, 2]) {
      const upTo = { ...history, stages: history.stages.slice(0, stage) };
      const bare = inStage(upTo, stage, () => ({ adopted: null }));
      expect(await context({ stage })).toEqual(await context({ of: bare, stage }));
    }
    const [first] = (await context({ stage: 1 })).recorded.history;
    expect(first).toEqual({ stream: 'run-a-run', revision: 19 });
  });

  it("of a fork includes the shared history, even that of its parent's parent", async () => {
    const parent = { run: 'a-parent', stage: 2, revision: 27, digest: '0'.repeat(64) };
    const grandparent = { run: 'the-first', stage: 1, revision: 12, digest: '1'.repeat(64) };
    const fork = { ...history, shares: [parent, grandparent] };
    const shared = [
      { stream: 'run-a-parent', revision: 27 },
      { stream: 'run-the-first', revision: 12 },
    ];
    expect((await context({ of: fork, stage: 2 })).recorded.history).toEqual([
      { stream: 'run-a-run', revision: 0 },
      ...shared,
    ]);
    expect((await context({ of: fork })).recorded.history).toEqual([{ stream: 'run-a-run', revision: 39 }, ...shared]);
  });
});

describe('contexts', () => {
  const marker = 0.31415926;

  it('contain no benchmark or probe-holdout results, whatever their form', async () => {
    const results = evaluation('validation', 1, lake).results.map((one) => ({
      ...one,
      value: marker,
      count: 31415926,
      of: 100_000_000,
    }));
    const marked = history.stages.reduce((run, { stage }) => {
      const hidden = ['wait-25', 'wait-50', 'probe-holdout'].map((suite, i) =>
        recorded(setting, 'EvaluationRecorded', stage, 5 + i, { ...evaluation(suite, stage, lake), results }),
      );
      return inStage(run, stage, ({ evaluations }) => ({ evaluations: [...hidden, ...evaluations, ...hidden] }));
    }, history);
    for (const form of forms) {
      for (const stage of [1, 2, 3]) {
        const [plain, beside] = [await context({ form, stage }), await context({ of: marked, form, stage })];
        expect(beside.shown).toEqual(plain.shown);
        expect(beside.recorded.text).toEqual(plain.recorded.text);
        expect(JSON.stringify(beside.recorded)).not.toMatch(/3141592|31\.4/);
        expect(plain.shown.text).not.toMatch(/wait-\d/);
      }
    }
  });

  it('contain validation results only if their form has a history', async () => {
    const changed = inStage(history, 3, ({ evaluations }) => ({
      evaluations: evaluations.map((one) => ({ ...one, data: { ...evaluation('validation', 9, lake) } })),
    }));
    const text = async (name: string, of: RunHistory) => (await context({ of, form: formNamed(name) })).shown.text;
    expect(await text('v4', changed)).not.toBe(await text('v4', history));
    expect(await text('v2', changed)).toBe(await text('v2', history));
  });

  it('contain no reasons of earlier decisions', async () => {
    const shown = history.stages.reduce((run, { stage }) => {
      const { adopted } = history.stages[stage - 1] ?? {};
      if (adopted === null || adopted === undefined) return run;
      const changes = [{ knob: '8.hole', family: '8', from: 0.15, to: 0.1, cites: ['F1'], reason: 'MARKER' }];
      return inStage(run, stage, () => ({
        adopted: { ...adopted, data: { ...adopted.data, changes, rationale: 'MARKER' } },
      }));
    }, history);
    expect((await context({ of: shown })).shown).toEqual((await context()).shown);
  });
});

describe('forms with failures', () => {
  it.each([4500, 6000, 8000])('show the same rollouts within %d tokens', async (budget) => {
    const showing = forms.filter(({ modules: of }) => of.includes('failures'));
    const built = await Promise.all(showing.map((form) => context({ form, budget })));
    const evidenceIds = built.map(({ shown }) =>
      [...shown.evidenceIds].filter((evidenceId) => /^F\d+$/.test(evidenceId)),
    );
    expect(new Set(evidenceIds.map(String)).size).toBe(1);
    expect(evidenceIds[0]?.length).toBeGreaterThan(1);
    for (const { recorded: data } of built) {
      expect(data.exemplars).toEqual({ shown: evidenceIds[0]?.length, of: evidenceIds[0]?.length });
      expect(wrong('ContextRecorded', data)).toEqual([]);
    }
  });
});

describe('a form with room for fewer rollouts than others', () => {
  it('records the number that it shows and the number that others show', async () => {
    const [short, whole] = [await context({ budget: 3000 }), await context({ budget: 3000, form: formNamed('v1') })];
    expect(whole.recorded.exemplars).toEqual({ shown: 2, of: 2 });
    expect(short.recorded.exemplars).toEqual({ shown: expect.any(Number), of: 2 });
    expect(short.recorded.exemplars?.shown).toBeLessThan(2);
  });
});

describe('a history', () => {
  it('has the initial configuration and its results only if the form says so', async () => {
    const evidenceIds = async (name: string, stage: number) =>
      [...(await context({ form: formNamed(name), stage })).shown.evidenceIds].filter((evidenceId) =>
        evidenceId.startsWith('H'),
      );
    const withFirst = await evidenceIds('v3', 3);
    expect(withFirst).toEqual(
      expect.arrayContaining(['H1.8.hole', 'H1.8.valid', 'H1.valid', 'H2.8.hole', 'H3.8.data']),
    );
    expect(await evidenceIds('v4', 3)).toEqual(withFirst.filter((evidenceId) => !evidenceId.startsWith('H1.')));
    expect(await evidenceIds('v4', 1)).toEqual([]);
    expect((await evidenceIds('v3', 1)).length).toBeGreaterThan(0);
  });

  it('shows the knobs that were changed for a stage, and no others', async () => {
    const { shown } = await context({ form: formNamed('v4') });
    const facts = shown.modules.find(({ module }) => module === 'history')?.facts ?? [];
    const knobs = facts.filter(({ measure }) => measure === 'knob');
    expect(knobs.map(({ evidenceId, family, about, value }) => [evidenceId, family, about, value])).toEqual([
      ['H2.8.hole', '8', '8.hole', 0.1],
      ['H2.9.wait', '9', '9.wait', 0.5],
      ['H3.3.data', '3', '3.data', 0.025],
      ['H3.8.data', '8', '8.data', 0.225],
    ]);
  });
});

describe('evidence ids', () => {
  it('refer to events of the run and to their family', async () => {
    const { recorded: data, shown } = await context();
    const { evidenceIds } = data;
    expect([...shown.evidenceIds]).toEqual(Object.keys(evidenceIds));
    for (const evidenceId of Object.keys(evidenceIds))
      expect(evidenceIdSchema.safeParse(evidenceId).success).toBe(true);
    const stage = history.stages[2];
    const failures = stage?.summaries.find((one) => one.data.module === 'failures');
    const [first] = failures?.data.exemplars ?? [];
    expect(evidenceIds['F1']).toEqual({
      module: 'failures',
      events: [first?.rollout, first?.failure],
      family: first?.family,
    });
    expect(evidenceIds['H2.8.hole']).toEqual({
      module: 'history',
      events: [history.stages[0]?.adopted?.id],
      family: '8',
    });
    expect(evidenceIds['H3.8.valid']).toEqual({ module: 'history', events: [stage?.evaluations[0]?.id], family: '8' });
    expect(evidenceIds['T8.signal']?.events).toContain(stage?.training?.id);
    expect(evidenceIds['N2']).toEqual({ module: 'self-summary', events: [expect.any(String)], family: null });
    for (const { events } of Object.values(evidenceIds)) expect(events.length).toBeGreaterThan(0);
  });

  it('occur in the text, whole or as row and column', async () => {
    const { shown } = await context();
    const lines = shown.text.split('\n').map((line) => line.trim());
    const begins = new Set(lines.map((line) => line.split(/\s/)[0]));
    for (const evidenceId of shown.evidenceIds) {
      expect(begins.has(evidenceId) || begins.has(evidenceId.slice(0, evidenceId.lastIndexOf('.')))).toBe(true);
    }
  });
});

/** The catalogue's issues with an event of a stage. */
function wrong(type: TypeName, data: object): readonly object[] {
  const event = {
    id: '98f69b8a-88e8-875f-8002-140000001003',
    type,
    version: versionOf(type),
    at: '2030-01-01T00:00:00Z',
    actor: 'producer/test',
    run: 'a-run',
    stage: 3,
    causes: [],
    data: data as never,
  };
  return checkEvent('run-a-run', event);
}
