// Contexts with parts left out on purpose look as if the parts had never existed.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openLake } from '../../../testbed/lake/environment.ts';
import type { Environment } from '../../lab/environments/environment.ts';
import type { RunHistory, StageHistory } from '../history/run-history.ts';
import { type BuiltContext, buildContext, ContextTooSmall } from './build.ts';
import { formNamed, modules } from './forms.ts';
import { NothingToLeaveOut } from './module.ts';
import { inStage, laterLakes, recorded, setting, stagedRun, textOf, withLedger } from './testing/staged.ts';

let lake: Environment;
let history: RunHistory;
const said = 'I arrive on small lakes.\n\nOn large ones I fall into holes.\n\nF1 shows it.';

beforeAll(async () => {
  lake = openLake();
  const configurations = laterLakes(lake.start).slice(0, 2);
  const staged = await withLedger((ledger) => stagedRun(ledger, { ...setting, configurations }, lake));
  const data = { module: 'self-summary', facts: [], exemplars: [], text: { text: said } };
  const own = recorded(setting, 'SummaryRecorded', 2, 9, data);
  history = inStage(staged, 2, ({ summaries }) => ({ summaries: [...summaries, own] }));
});
afterAll(() => lake.close());

interface Asking {
  readonly of?: RunHistory;
  readonly form?: string;
  readonly budget?: number;
  readonly without?: readonly string[];
}

const everything = modules.join(',');

async function context({ of = history, form = everything, budget = 0, ...others }: Asking = {}): Promise<BuiltContext> {
  const common = { descriptor: lake.descriptor, history: of, stage: 2, form: formNamed(form), budget, textOf };
  return await buildContext({ ...common, ...others });
}

function exemplars({ shown }: BuiltContext) {
  return shown.modules.flatMap((one) => one.exemplars);
}

it('an empty list of omitted items changes nothing and is not recorded', async () => {
  const [plain, empty] = [await context(), await context({ without: [] })];
  expect(empty).toEqual(plain);
  expect(empty.recorded).not.toHaveProperty('without');
});

it('leaving out a module gives the context of the form without that module', async () => {
  for (const module of modules) {
    const rest = modules.filter((one) => one !== module).join(',');
    const { recorded: data, shown } = await context({ without: [module] });
    const other = await context({ form: rest });
    expect(shown).toEqual(other.shown);
    expect(data).toEqual({ ...other.recorded, contextForm: formNamed(everything), without: [module] });
  }
});

it('leaving out a rollout removes its evidence id, its events and its lines', async () => {
  const whole = exemplars(await context());
  expect(whole.length).toBeGreaterThan(2);
  for (const [i, { evidenceId, rollout, drawing }] of whole.entries()) {
    const { recorded: data, shown } = await context({ without: [evidenceId] });
    const rest = whole.filter((_, other) => other !== i).map((one, at) => ({ ...one, evidenceId: `F${at + 1}` }));
    const never = await context({ of: withFailures(({ data }) => ({ ...data, exemplars: rest })) });
    expect(shown).toEqual(never.shown);
    expect(data).toEqual({ ...never.recorded, without: [evidenceId] });
    expect(JSON.stringify([data.evidenceIds, shown.modules])).not.toContain(rollout);
    for (const line of (drawing ?? '').split('\n').filter((line) => !occursIn(rest, line))) {
      expect(shown.text).not.toContain(line);
    }
    expect(shown.evidenceIds.has(`F${whole.length}`)).toBe(false);
  }
});

type Summary = StageHistory['summaries'][number];

function withFailures(change: (summary: Summary) => Summary['data']): RunHistory {
  return inStage(history, 2, ({ summaries }) => ({
    summaries: summaries.map((one) => (one.data.module === 'failures' ? { ...one, data: change(one) } : one)),
  }));
}

function occursIn(rest: readonly { readonly drawing?: string | undefined }[], line: string): boolean {
  return rest.some(({ drawing = '' }) => drawing.includes(line.trim()));
}

it('leaving out figures makes them uncitable and keeps all other facts unchanged', async () => {
  const whole = await context();
  const figures = whole.shown.modules.flatMap(({ facts }) => facts.map(({ evidenceId }) => evidenceId));
  const titles = (text: string) => text.split('\n').filter((line) => /^(#|Stage |From |\d+ tasks)/.test(line));
  await fc.assert(
    fc.asyncProperty(fc.subarray(figures, { minLength: 1 }), async (without) => {
      const { recorded: data, shown } = await context({ without: without.toReversed() });
      expect(data.without).toEqual(
        Object.keys(whole.recorded.evidenceIds).filter((evidenceId) => without.includes(evidenceId)),
      );
      const kept = Object.entries(whole.recorded.evidenceIds).filter(([evidenceId]) => !without.includes(evidenceId));
      expect(Object.entries(data.evidenceIds)).toEqual(kept);
      const facts = shown.modules.flatMap((one) => one.facts);
      expect(facts).toEqual(
        whole.shown.modules.flatMap((one) => one.facts).filter(({ evidenceId }) => !without.includes(evidenceId)),
      );
      // Statements about all data stay true.
      expect(titles(shown.text)).toEqual(titles(whole.shown.text));
      expect(exemplars({ shown, recorded: data })).toEqual(exemplars(whole));
    }),
    { numRuns: 25, seed: 1 },
  );
});

it('leaving out a paragraph leaves no gap, and leaving out all of them leaves a note', async () => {
  const { shown } = await context({ form: 'self-summary', without: ['N2'] });
  const never = inStage(history, 2, ({ summaries }) => ({
    summaries: summaries.map((one) =>
      one.data.module === 'self-summary'
        ? { ...one, data: { ...one.data, text: { text: 'I arrive on small lakes.\n\nF1 shows it.' } } }
        : one,
    ),
  }));
  expect(shown).toEqual((await context({ of: never, form: 'self-summary' })).shown);
  const { text } = (await context({ form: 'self-summary', without: ['N1', 'N2', 'N3'] })).shown;
  expect(text).toContain('It said nothing.');
});

it('leaving out an item frees its tokens for the rest', async () => {
  const form = 'combined';
  const { tokens } = (await context({ form, without: ['F1'] })).recorded;
  const short = (await context({ form, budget: tokens })).recorded;
  expect(short.truncated).not.toEqual([]);
  const { recorded: data } = await context({ form, budget: tokens, without: ['F1'] });
  expect(data).toMatchObject({ tokens, truncated: [], without: ['F1'] });
  await expect(context({ form, budget: 10, without: ['F1'] })).rejects.toThrow(ContextTooSmall);
});

it('leaving out an item that the context lacks is an error with similar names', async () => {
  await expect(context({ form: 'v1', without: ['F1', 'F33'] })).rejects.toThrow(NothingToLeaveOut);
  const fault = await context({ form: 'v2', without: ['guidelines'] }).catch((error: unknown) => error);
  expect(fault).toMatchObject({
    kind: 'not-found',
    message: 'a context v2 has no module and no item "guidelines" that could be left out',
    remedy: 'Did you mean guideline?',
  });
  await expect(context({ form: 'v1', without: ['behaviour'] })).rejects.toThrow(/no module and no item "behaviour"/);
});
