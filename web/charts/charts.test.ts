import fc from 'fast-check';
import { parseHTML } from 'linkedom';
import { describe, expect, it } from 'vitest';
import type { ChartData } from '../../schemas/chart-data.ts';
import { ticksAmong } from './chart.ts';
import { type ChartName, chartsOf } from './charts.ts';
import { invented } from './testing/invented.ts';

const { document } = parseHTML('<!doctype html><html><body></body></html>');

function charted(data: ChartData) {
  return chartsOf(data).map((chart) => ({ ...chart, svg: chart.draw({ document, width: 600 }).outerHTML }));
}

function named(data: ChartData, name: ChartName) {
  const found = charted(data).find((one) => one.name === name);
  if (found === undefined) throw new Error(`no chart ${name}`);
  return found;
}

const everyChart = ['course', 'mix', 'mastery', 'families', 'failures', 'signal', 'knobs'];

describe('charts', () => {
  it.each([
    { stages: 5, families: ['3', '4', '5'] },
    { stages: 40, families: Array.from({ length: 30 }, (_, i) => `family number ${i}`) },
    { stages: 300, families: ['3', '4'], gapEvery: 7 },
    { stages: 5, families: ['only'], gapEvery: 2 },
  ])('are drawn for $stages stages without invalid numbers', (what) => {
    const drawn = charted(invented(what));
    expect(drawn.map(({ name }) => name)).toEqual(everyChart);
    for (const { svg } of drawn) expect(svg).not.toMatch(/NaN|undefined|Infinity/);
  });

  it('of changes over stages are omitted for a run of one stage', () => {
    const names = charted(invented({ stages: 1, families: ['3', '4'] })).map(({ name }) => name);
    expect(names).toEqual(['course', 'mix', 'mastery', 'failures', 'signal']);
  });

  it('without data are omitted', () => {
    const nothing = {
      stages: [],
      families: [],
      shares: [],
      rates: [],
      failures: [],
      failuresOf: null,
      signal: [],
      knobs: [],
    };
    expect(charted(nothing)).toEqual([]);
    expect(charted({ ...nothing, stages: [1, 2], families: ['3'] })).toEqual([]);
  });

  it('have a caption and a text description', () => {
    for (const { svg, title, description, caption } of charted(invented({ stages: 3, families: ['3', '4'] }))) {
      expect(svg).toContain(`role="img"`);
      expect(svg).toContain(`aria-label="${title}"`);
      expect(svg).toContain('aria-description="');
      expect(caption).toMatch(/^[A-Z0-9].*\.$/);
      expect(description).toMatch(/^[A-Z0-9].*\.$/);
    }
  });

  it('have all values in their tables', () => {
    const data = invented({ stages: 3, families: ['3', '4'], gapEvery: 3 });
    const { table } = named(data, 'mastery');
    expect(table.columns).toEqual(['stage', '3', '4']);
    const expected = data.rates.filter(({ family, split }) => family !== null && split === 'validation').length;
    expect(table.rows.flatMap(([, ...cells]) => cells).filter((cell) => cell !== '')).toHaveLength(expected);
    expect(table.rows[2]?.[1]).toMatch(/^90\.0.%\u0020\[72,.100\]$/);
    expect(named(data, 'mix').table.rows).toEqual(
      ['1', '2', '3'].map((stage) => [stage, '50.0\u00a0%', '50.0\u00a0%']),
    );
  });

  it('describe the change of the task mixture and its peak', () => {
    const mix = (rows: readonly (readonly [number, number])[]): string => {
      const stages = rows.map((_, i) => i + 1);
      const shares = rows.flatMap(([a, b], i) =>
        [a, b].map((share, j) => ({ stage: i + 1, family: j === 0 ? 'a' : 'b', share })),
      );
      return named({ ...invented({ stages: 1, families: ['a'] }), stages, shares }, 'mix').caption.replaceAll(
        '\u00a0',
        ' ',
      );
    };
    const rise =
      'From stage 1 to 2, the share of family b rose from 50.0 % to 80.0 % and that of family a fell from 50.0 % to 20.0 %.';
    expect(
      mix([
        [0.5, 0.5],
        [0.2, 0.8],
      ]),
    ).toBe(rise);
    expect(
      mix([
        [0.5, 0.5],
        [0.5, 0.5],
      ]),
    ).toBe('From stage 1 to 2, training data stayed divided as they were.');
    expect(
      mix([
        [0.5, 0.5],
        [0.9, 0.1],
        [0.5, 0.5],
      ]),
    ).toMatch(/came back to .*; the most was 90.0 % of family a in stage 2\.$/);
    expect(mix([[0.5, 0.5]])).toBe('In its only stage, every family has 50.0 % of the training data.');
  });

  it('draw as many stages as fit, and state how many', () => {
    const { caption, svg } = named(invented({ stages: 300, families: ['3', '4'] }), 'mix');
    expect(caption).toMatch(/\. 101 of 300 stages are shown\.$/);
    expect(svg.match(/<text[^>]*>\d+<\/text>/g)?.length).toBeLessThan(25);
  });

  it.each([
    [3, 200, [1, 2, 3]],
    [10, 200, [1, 3, 5, 7, 10]],
    [9, 200, [1, 3, 5, 7, 9]],
    [40, 600, [1, 4, 7, 10, 13, 16, 19, 22, 25, 28, 31, 34, 37, 40]],
    [2, 10, [1, 2]],
    [1, 10, [1]],
  ])('label the first and the last of %i stages on an axis of %i pixels', (count, width, ticks) => {
    const stages = Array.from({ length: count }, (_, i) => i + 1);
    expect(ticksAmong(stages, width)).toEqual(ticks);
  });

  it('name no single knob or family if several are equal', () => {
    const knobsOf = (...changeCounts: readonly number[]): string => {
      const stages = [1, 2, 3, 4];
      const knobs = changeCounts.map((count, i) => ({
        knob: `k${i}`,
        family: null,
        values: stages.map((stage) => ({ stage, value: stage, isChanged: stage > 1 && stage <= count + 1 })),
      }));
      return named({ ...invented({ stages: 1, families: [] }), stages, knobs }, 'knobs').caption;
    };
    expect(knobsOf(2, 2, 0)).toBe('2 knobs of 3 were changed, each of them twice.');
    expect(knobsOf(3, 3, 1)).toBe('3 knobs of 3 were changed, 2 of them 3 times.');
    expect(knobsOf(1, 2, 0)).toBe('2 knobs of 3 were changed, k1 most often, twice.');
    expect(knobsOf(1)).toBe('One knob of 1 was changed, k0, once.');
    const families = (count: number) =>
      named(invented({ stages: 3, families: Array.from({ length: count }, (_, i) => String(i)) }), 'families').caption;
    expect(families(8)).toMatch(/^From the first stage to the last, all 8 families rose by/);
    expect(families(2)).toMatch(/all 2 families rose by/);
  });

  it('put "family" before the name of a family if there is room', () => {
    const drawn = (name: string) => named(invented({ stages: 3, families: [name, 'other'] }), 'families').svg;
    expect(drawn('3')).toContain('>family 3</text>');
    expect(drawn('x'.repeat(39))).toMatch(/>x{10,}…?<\/text>/);
  });

  it.each([
    [40, 30],
    [500, 12],
  ])('of %i stages and %i families are small enough to send', (stages, families) => {
    const data = invented({ stages, families: Array.from({ length: families }, (_, i) => String(i)) });
    const bytes = charted(data).reduce((sum, { svg }) => sum + svg.length, 0);
    expect(bytes).toBeLessThan(700_000);
  });

  it('escape all their input', () => {
    const hostile = `"><img src=x onerror=alert(1)><script>alert(1)</script>`;
    const data = invented({ stages: 3, families: [hostile, 'x'] });
    for (const { svg } of charted({ ...data, failures: data.failures.map((one) => ({ ...one, class: hostile })) })) {
      expect(parseHTML(`<body>${svg}</body>`).document.querySelectorAll('img, script')).toHaveLength(0);
    }
  });

  it('mark collapses of the learning signal', () => {
    const data = invented({ stages: 3, families: ['3', '4'] });
    const calm = { ...data, signal: data.signal.map((one) => ({ ...one, hasCollapsed: false })) };
    expect(named(data, 'signal').caption).toContain('2 collapses are framed');
    expect(named(calm, 'signal').caption).toContain('no collapse was flagged');
    expect(named(data, 'signal').svg).toContain('--alarm');
    expect(named(calm, 'signal').svg).not.toContain('--alarm');
  });

  it('report a change only if intervals do not overlap', () => {
    const data = invented({ stages: 2, families: ['3'] });
    const rates = (second: number) =>
      [0.5, second].map((value, i) => {
        return {
          suite: 'v',
          split: 'validation',
          measure: 'valid',
          family: null,
          stage: i + 1,
          value,
          low: value - 0.1,
          high: value + 0.1,
          of: 100,
        };
      });
    expect(named({ ...data, rates: rates(0.6) }, 'course').caption).toMatch(/their 95.% intervals overlap\.$/);
    expect(named({ ...data, rates: rates(0.8) }, 'course').caption).toMatch(/their 95.% intervals do not overlap\.$/);
  });

  it('do not mention intervals if there are none', () => {
    const data = invented({ stages: 3, families: ['3', '4'] });
    const bare = { ...data, rates: data.rates.map((one) => ({ ...one, low: null, high: null })) };
    for (const name of ['course', 'mastery', 'families'] as const) {
      expect(named(data, name).caption).toMatch(/95.% intervals/);
      expect(named(bare, name).caption).not.toMatch(/overlap|by more than/);
    }
  });

  it('have named links only if the canvas provides addresses', () => {
    for (const { draw, name } of chartsOf(invented({ stages: 3, families: ['3', '4'] }))) {
      expect(draw({ document, width: 600 }).querySelectorAll('a')).toHaveLength(0);
      const drawn = draw({ document, width: 360, link: (place) => `#${JSON.stringify(place)}` });
      const links = [...drawn.querySelectorAll('a')];
      expect(links.length, name).toBeGreaterThan(0);
      expect(links.map((link) => link.getAttribute('aria-label'))).not.toContain('');
      // Links of an image would be hidden from screen readers.
      expect(drawn.getAttribute('role')).toBe('group');
    }
  });

  it('contain no invalid numbers for random data', () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    const figures = fc.record({
      stages: fc.integer({ min: 1, max: 5 }),
      families: fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 4 }),
      gapEvery: fc.integer({ min: 0, max: 3 }),
      share,
    });
    fc.assert(
      fc.property(figures, ({ share: value, ...what }) => {
        const data = invented(what);
        const rates = data.rates.map((one) => ({ ...one, value, low: value, high: value }));
        for (const { svg } of charted({ ...data, rates })) expect(svg).not.toMatch(/NaN|Infinity/);
      }),
      { numRuns: 8 },
    );
  });
});
