import fc from 'fast-check';
import { parseHTML } from 'linkedom';
import { describe, expect, it } from 'vitest';
import { type MatrixCell, type MatrixData, matrixChart } from './matrix.ts';
import { intervalsChart } from './matrix-intervals.ts';

const { document } = parseHTML('<!doctype html><html><body></body></html>');

const against = { baseline: 0.1, margin: 0.05 };

function cell(row: string, column: string | null, value: number | null): MatrixCell {
  return { row, column, value, figure: value === null ? 'no value' : String(value), around: '±1', says: row, against };
}

function data(values: readonly (number | null)[], more: Partial<MatrixData> = {}): MatrixData {
  return {
    ...{ title: 'a matrix', caption: 'Caption.', rows: ['a'], columns: values.map((_, i) => `c${i}`), below: ['z'] },
    cells: [...values.map((value, i) => cell('a', `c${i}`, value)), cell('z', null, values[0] ?? null)],
    ...{ better: 'higher', reference: 'r' },
    ...more,
  };
}

function opacities(of: MatrixData): readonly number[] {
  const drawn = matrixChart(of)?.draw({ document, width: 800 });
  const rects = [...(drawn?.querySelectorAll('rect') ?? [])];
  return rects.map((one) => Number(one.getAttribute('fill-opacity'))).filter((opacity) => !Number.isNaN(opacity));
}

describe('the matrix chart', () => {
  it.each([346, 800])('contains every value at a width of %d', (width) => {
    const drawn = matrixChart(data([0.1, 0.5, null]))?.draw({ document, width }).outerHTML ?? '';
    for (const text of ['0.1', '0.5', 'no value', 'c0', 'c2', '>a<', '>z<']) expect(drawn).toContain(text);
    expect(drawn).not.toMatch(/NaN|undefined|Infinity/);
  });

  it('shades differences by how far they exceed their interval', () => {
    const three = data([0.12, 0.4, 0.5]);
    const [none, middle = 0, high = 0] = opacities({ ...three, below: [], cells: three.cells.slice(0, 3) });
    expect(none).toBe(0);
    expect(middle).toBeGreaterThan(0);
    expect(high).toBeGreaterThan(middle);
  });

  it('uses another colour for worse values', () => {
    const worse = (better: MatrixData['better']) =>
      matrixChart(data([0.5], { better, below: [] }))
        ?.draw({ document, width: 800 })
        .outerHTML.includes('--heat-worse');
    expect([worse('higher'), worse('lower')]).toEqual([false, true]);
  });

  it('has no shade and no legend without a significant difference', () => {
    const cells = data([0.071, 0.108]).cells.map((one) => ({ ...one, against: null }));
    const bare = data([0.071, 0.108], { cells });
    expect(matrixChart(bare)?.legend).toBeNull();
    expect(opacities(bare).every((opacity) => opacity === 0)).toBe(true);
  });

  it('is omitted without values', () => {
    expect(matrixChart(data([null, null]))).toBeNull();
  });

  it('contains no invalid numbers for random values', () => {
    fc.assert(
      fc.property(
        fc.array(fc.option(fc.double({ noNaN: true, min: -1e6, max: 1e6 })), { minLength: 1, maxLength: 6 }),
        (values) => {
          const chart = matrixChart(data(values));
          if (chart === null) return;
          expect(chart.draw({ document, width: 500 }).outerHTML).not.toMatch(/NaN|undefined|Infinity/);
          expect(chart.table.rows[0]?.slice(1, -1)).toHaveLength(values.length);
        },
      ),
      { numRuns: 20 },
    );
  });
});

describe('differences in the interval chart', () => {
  const arm = {
    arm: 'one',
    value: 0.1,
    low: 0.05,
    high: 0.15,
    isSignificant: true,
    isWorse: false,
    figure: '+10',
    says: 'one',
  };
  const rest = { title: 't', caption: 'C.', unit: 'points', line: 0, tick: String, table: { columns: [], rows: [] } };

  it('are filled if they are significant', () => {
    const arms = [arm, { ...arm, arm: 'two', value: 0, low: -0.1, isSignificant: false }];
    const drawn = intervalsChart({ ...rest, arms })?.draw({ document, width: 800 });
    const fills = [...(drawn?.querySelectorAll('circle') ?? [])].map(
      (one) => one.parentElement?.getAttribute('fill') ?? one.getAttribute('fill'),
    );
    expect(fills.filter((fill) => fill?.includes('--page'))).toHaveLength(1);
    expect(fills).toHaveLength(2);
  });

  it('without intervals are not drawn', () => {
    expect(intervalsChart({ ...rest, arms: [{ ...arm, low: null, high: null }] })).toBeNull();
  });
});
