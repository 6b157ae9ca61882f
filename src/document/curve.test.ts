import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { displayWidth } from '../base/terminal.ts';
import { curveLines, Dots, type Frame, type Place, roundSpan, shareSpan, sparkline } from './curve.ts';

const frame: Frame = {
  columns: 24,
  rows: 3,
  x: { from: 0, to: 100 },
  y: { from: 0, to: 1 },
  yLabel: (value) => `${100 * value} %`,
  xLabel: (value) => `${value}`,
};

function drawn(places: readonly Place[], changed: Partial<Frame> = {}): string {
  return curveLines(places, { ...frame, ...changed }).join('\n');
}

describe('dots', () => {
  it('are packed eight per character, from the top left', () => {
    const dots = new Dots(2, 1);
    dots.set(0, 0);
    dots.set(1, 3);
    dots.set(2, 1);
    expect(dots.lines()).toEqual(['⢁⠂']);
  });
});

describe('a curve', () => {
  it('is drawn without gaps between labelled axes', () => {
    const places = [
      { x: 0, y: 0 },
      { x: 50, y: 1 },
      { x: 100, y: 1 },
    ];
    expect(drawn(places).split('\n')).toEqual([
      '100 % ┤      ⣀⡴⠚⠉⠉⠉⠉⠉⠉⠉⠉',
      ' 50 % ┤   ⣠⠴⠚⠁',
      '  0 % ┤⣠⠴⠋⠁',
      '      └─────────────────',
      '       0             100',
    ]);
  });

  it('of one place is a dot, and of none is empty', () => {
    expect(drawn([{ x: 0, y: 0.5 }])).toMatch(/^ 50 % ┤[⠁-⣿]$/m);
    expect(drawn([])).not.toMatch(/[⠁-⣿]/);
  });

  it('is clamped to its frame, and never wider', () => {
    const place = fc.record({ x: fc.double({ noNaN: true }), y: fc.double({ noNaN: true }) });
    fc.assert(
      fc.property(fc.array(place), fc.integer({ min: 12, max: 90 }), (places, columns) => {
        const lines = curveLines(places, { ...frame, columns });
        expect(lines).toHaveLength(frame.rows + 2);
        for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
      }),
    );
  });

  it('shows the mean of the values in one column', () => {
    const many = Array.from({ length: 1000 }, (_, i) => ({ x: 50, y: i % 2 }));
    expect(drawn(many)).toBe(drawn([{ x: 50, y: 0.5 }]));
  });
});

describe('the span of an axis', () => {
  it.each([
    [[0.1, 0.5], { from: 0.1, to: 0.5 }],
    [[0.12, 3.9], { from: 0, to: 4 }],
    [[-3, 17], { from: -5, to: 20 }],
    [[1200, 1201], { from: 1200, to: 1201 }],
    [[5, 5], { from: 0, to: 5 }],
    [[-5], { from: -5, to: 0 }],
    [[0, 0], { from: 0, to: 1 }],
    [[], { from: 0, to: 1 }],
  ])('of %j has round ends', (values, span) => {
    expect(roundSpan(values)).toEqual(span);
  });

  it('contains all its values', () => {
    const finite = fc.double({ noNaN: true, min: -1e9, max: 1e9 });
    fc.assert(
      fc.property(fc.array(finite, { minLength: 1 }), (values) => {
        const { from, to } = roundSpan(values);
        const slack = 1e-9 * Math.max(Math.abs(from), Math.abs(to));
        expect(from - slack).toBeLessThanOrEqual(Math.min(...values));
        expect(to + slack).toBeGreaterThanOrEqual(Math.max(...values));
        expect(to).toBeGreaterThan(from);
      }),
    );
  });

  it('of shares starts at 0', () => {
    expect(shareSpan([0.3, 0.47])).toEqual({ from: 0, to: 0.6 });
    expect(shareSpan([0.97])).toEqual({ from: 0, to: 1 });
    expect(shareSpan([])).toEqual({ from: 0, to: 0.04 });
  });
});

describe('a sparkline', () => {
  it('scales from the lowest to the highest value', () => {
    expect(sparkline([0, 1, 2, 3, 4, 5, 6, 7], 20)).toBe('▁▂▃▄▅▆▇█');
    expect(sparkline([3, 3, 3], 20)).toBe('▁▁▁');
    expect(sparkline([], 20)).toBe('');
  });

  it('is at most as wide as requested, with the mean of merged values', () => {
    expect(sparkline([0, 0, 7, 7], 2)).toBe('▁█');
    expect(sparkline([0, 7, 7, 7, 0, 7], 3)).toBe('▅█▅');
  });
});
