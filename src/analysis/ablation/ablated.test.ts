// The result of an ablation from a real record: byte-identical when read again, repeated, or stopped and resumed.
import { describe, expect, it } from 'vitest';
import { type Ablated, ablate as shape } from '../../../schemas/ablation-output.ts';
import { ablatedOf, type Named } from './ablated.ts';
import { completion } from './conclude.ts';
import { ablatingTinyRun, tinyRun } from './testing/tiny-history.ts';
import { valuesIn } from './values.ts';

const named: readonly Named[] = [{ run: tinyRun, name: 'tiny', seed: 1 }];
const made = ablatingTinyRun();

/** Without id, name and times. */
function lasting({ ablation: _, name: __, at: ___, ...rest }: Ablated): object {
  const trainings = rest.trainings.map(({ seconds: ____, ...training }) => training);
  return { ...rest, trainings };
}

describe('an ablation', () => {
  it('is byte-identical when read again, and the same when repeated under another name', async () => {
    const { record } = await made({ forms: ['v1', 'stats'] });
    const result = JSON.stringify(ablatedOf(record, 'ledger', named));
    expect(JSON.stringify(ablatedOf(record, 'ledger', named))).toBe(result);
    const again = await made({ forms: ['v1', 'stats'], name: 'anew', jobs: 16 });
    const of = (one: typeof record): string => JSON.stringify(lasting(ablatedOf(one, 'ledger', named)));
    expect(of(again.record)).toBe(of(record));
  });

  it('has a value for every arm, unit and measure, and compares each decision with the actual one', async () => {
    const { record, design } = await made({ forms: ['v1', 'behaviour'], seeds: [1, 2] });
    const result = ablatedOf(record, 'ledger', named);
    expect(shape.safeParse(result).error).toBe(undefined);
    expect(result.values).toHaveLength(design.arms.length * 2 * result.measures.length);
    const { decisions } = result;
    expect(decisions).toHaveLength(design.arms.length * 2 * 2);
    const places = decisions.map(({ unit, stage, arm }) => [
      unit,
      stage,
      design.arms.findIndex((one) => one.arm === arm),
    ]);
    expect(places).toEqual(
      places.toSorted(([a = '', b = 0, c = 0], [d = '', e = 0, f = 0]) =>
        a < d ? -1 : a > d ? 1 : Number(b) - Number(e) || Number(c) - Number(f),
      ),
    );
    for (const decision of decisions) {
      const recorded = decisions.find(
        ({ arm, unit, stage }) => arm === 'actual' && unit === decision.unit && stage === decision.stage,
      );
      expect(decision.differs?.length === 0).toBe(decision.configuration === recorded?.configuration);
    }
    for (const { same, knobs } of result.likeness) if (same) expect(knobs).toBe(0);
    expect(result.likeness).toHaveLength((design.arms.length * (design.arms.length - 1)) / 2);
  });

  it('lists the changes of a decision by size in knob steps, the largest first', async () => {
    const { record } = await made({ forms: ['v1'] });
    const of = (steps: ReadonlyMap<string, number>) =>
      ablatedOf(record, 'ledger', [{ run: tinyRun, name: 'tiny', seed: 1, steps }]).decisions.find(
        ({ changes }) => changes.length > 2,
      )?.changes ?? [];
    const knobs = of(new Map()).map(({ knob }) => knob);
    const [, , third = ''] = knobs;
    const steps = new Map(knobs.map((knob) => [knob, knob === third ? 0.001 : 1]));
    expect(of(steps)[0]?.knob).toBe(third);
    const sizes = of(steps).map(({ knob, from, to }) => Math.abs((to ?? 0) - (from ?? 0)) / (steps.get(knob) ?? 1));
    expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
  });

  it('reports what changes in a decision without each module and each rollout', async () => {
    const { record } = await made({ stages: [1], forms: ['combined'], choice: { kind: 'sensitivity', items: ['F1'] } });
    const { sensitivity } = ablatedOf(record, 'ledger', named);
    expect(sensitivity?.arm).toBe('rules/combined');
    expect(sensitivity?.left.map(({ without }) => without)).toEqual([
      'objective',
      'stats',
      'behaviour',
      'failures',
      'F1',
    ]);
    expect(sensitivity?.left.every(({ came }) => came === 'proposed')).toBe(true);
    expect(sensitivity?.left.find(({ without }) => without === 'objective')?.changed).toEqual([]);
  });

  it('counts the tokens of a decision once: reasoning is part of the output, cached tokens are part of the input', async () => {
    const { record } = await made({ forms: ['v1'] });
    const usage = { input: 1000, cached: 400, output: 600, reasoning: 500 };
    for (const { data } of record.proposals.values()) Object.assign(data, { usage });
    const { decisions } = ablatedOf(record, 'ledger', named);
    expect(new Set(decisions.map(({ tokens }) => tokens))).toEqual(new Set([1600]));
  });

  it('that was stopped and resumed reports the conclusions recorded at its end', async () => {
    const stopping = new AbortController();
    const stopped = made({
      name: 'stopped',
      jobs: 1,
      signal: stopping.signal,
      tell: async ({ kind }) => {
        if (kind === 'done') stopping.abort('enough');
      },
    });
    await expect(stopped).rejects.toBe('enough');
    const { record } = await made({ name: 'stopped' });
    expect(valuesIn(record, []).some(({ value }) => value !== null)).toBe(true);
    const end = completion(record, []);
    expect(record.completed?.data.contrasts).toEqual(end.contrasts);
    expect(ablatedOf(record, 'ledger', named)).toMatchObject({ state: 'completed', conclusions: end.conclusions });
  });

  it('excludes an errored arm from results and contrasts, even if it has values', async () => {
    const { record } = await made({ forms: ['v1', 'stats'], seeds: [1, 2] });
    const whole = completion(record, []);
    const end = completion(record, [{ arm: 'rules/v1', reason: 'it broke' }]);
    const isOther = ({ arm }: { readonly arm: string }): boolean => arm !== 'rules/v1';
    expect(end.results.filter(isOther)).toEqual(whole.results.filter(isOther));
    expect(whole.results.some((one) => !isOther(one) && one.units > 0)).toBe(true);
    expect(end.results.filter((one) => !isOther(one))).toEqual([]);
    expect(end.contrasts.filter(({ arm, reference }) => [arm, reference].includes('rules/v1'))).toEqual([]);
    expect(end.conclusions).toContain('rules/v1 errored and is not counted here.');
  });
});
