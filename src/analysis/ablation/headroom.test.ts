import { describe, expect, it } from 'vitest';
import { noColours } from '../../base/terminal.ts';
import { terminalText } from '../../document/terminal.ts';
import { headroomDocument, headroomOf } from './headroom.ts';

type Rates = Readonly<Record<string, readonly number[]>>;

function headroomIn(rates: Rates, upperBounds: readonly string[] = [], better: 'higher' | 'lower' = 'higher') {
  const values = Object.entries(rates).flatMap(([arm, all]) =>
    all.map((value, i) => ({ arm, unit: String(i), measure: 'validation', value, worst: null })),
  );
  const measures = [{ measure: 'validation', better, is: 'share', split: 'validation', says: '' } as const];
  const arms = Object.keys(rates).map((arm) => ({ arm }));
  const ablated = { ledger: 'sqlite:any', ablation: 'abc', name: 'headroom-maze', level: 0.95, measures, values, arms };
  return headroomOf(ablated as unknown as Parameters<typeof headroomOf>[0], 'maze', upperBounds);
}

const uniform = [0.3, 0.32, 0.28, 0.31, 0.29, 0.3];

describe('the headroom of an environment', () => {
  it('is the gain of the oracle over uniform, in standard deviations of a seed', () => {
    const { oracle, noise, needed, says, arms } = headroomIn({ uniform, oracle: uniform.map((rate) => rate + 0.4) }, [
      'oracle',
    ]);
    expect(oracle).toEqual({ arm: 'oracle', gain: expect.closeTo(0.4, 10) });
    expect(noise).toBeCloseTo(0.01414, 4);
    expect(needed).toBe(6);
    expect(says[0]).toBe('oracle, which cheats, gains 40.0 points over uniform, 28.3 standard deviations of a seed.');
    expect(arms.map(({ arm, upperBound }) => [arm, upperBound])).toEqual([
      ['oracle', true],
      ['uniform', false],
    ]);
  });

  it('corrects the gain of the best of several arms for selection', () => {
    const lucky = Array.from({ length: 12 }, (_, arm) =>
      uniform.map((rate, seed) => rate + (seed === arm % 6 ? 0.06 : -0.012)),
    );
    const { best } = headroomIn({ uniform, ...Object.fromEntries(lucky.map((rates, i) => [`arm-${i}`, rates])) });
    expect(best?.gain).toBeLessThan(0.001);
  });

  it('says that there is nothing to find if no arm gains anything', () => {
    const { needed, oracle, says } = headroomIn({ uniform, schedule: uniform.map((rate) => rate - 0.1) });
    expect({ needed, oracle }).toEqual({ needed: null, oracle: null });
    expect(says.at(-1)).toBe('There is nothing to find here: choose another budget, start or environment.');
  });

  it('says that hardly anything can be found if it takes more than fifty seeds', () => {
    const jumpy = uniform.map((rate, i) => rate + (i % 4 < 2 ? 0.1 : -0.096));
    const { needed, says } = headroomIn({ uniform, jumpy });
    expect(needed).toBeGreaterThan(50);
    expect(says.at(-1)).toMatch(/^Hardly anything can be found here: /);
  });

  it('counts a decrease as a gain if lower is better', () => {
    const { arms } = headroomIn({ uniform, less: uniform.map((rate) => rate - 0.1) }, [], 'lower');
    expect(arms[0]).toMatchObject({ arm: 'less', gain: expect.closeTo(0.1, 10) });
  });

  it('is printed with the arms, best first', () => {
    const headroom = headroomIn({ uniform, oracle: uniform.map((rate) => rate + 0.4) }, ['oracle']);
    const text = terminalText(headroomDocument(headroom), { isTTY: true, columns: 80, paint: noColours });
    expect(text).toContain('oracle (upper bound)');
    expect(text.indexOf('oracle (upper')).toBeLessThan(text.indexOf('uniform  '));
  });
});
