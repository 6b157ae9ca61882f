// A chart of the result of a query: its text, and how it draws numbers, categories and series.
import { parseHTML } from 'linkedom';
import { expect, it } from 'vitest';
import { type QueryChartData, queryChart } from './query-chart.ts';

const { document } = parseHTML('<html><body></body></html>');
const point = (x: number | string | Date, y: number, series = '') => ({ x, y, series });
const data = (changed: Partial<QueryChartData>): QueryChartData => ({
  ...{ kind: 'line', x: 'stage', y: 'valid', series: '', points: [point(1, 0.2), point(2, 0.4), point(3, 0.3)] },
  ...changed,
});
const drawn = (changed: Partial<QueryChartData>, width = 640): Element =>
  queryChart(data(changed)).draw({ document: document as unknown as Document, width });
const textsOf = (svg: Element): readonly (string | null)[] =>
  [...svg.querySelectorAll('text')].map(({ textContent }) => textContent);

it('a query chart has a title, a caption, a legend and a table of its points', () => {
  const chart = queryChart(data({ series: 'family', points: [point(1, 0.25, '8'), point(1, 0.5, '10')] }));
  expect(chart.title).toBe('valid by stage');
  expect(chart.caption).toBe('A line chart with 2 marks in 2 series, coloured by family.');
  expect(chart.legend).toMatchObject({ entries: [{ name: '8' }, { name: '10' }] });
  expect(chart.table).toEqual({
    columns: ['stage', 'family', 'valid'],
    rows: [
      ['1', '8', '0.25'],
      ['1', '10', '0.5'],
    ],
  });
});

it('a query chart has no ticks between whole numbers such as stages', () => {
  const texts = textsOf(drawn({}));
  expect(texts).toEqual(expect.arrayContaining(['1', '2', '3']));
  expect(texts).not.toContain('1.5');
});

it('a query chart draws one bar per series in each category', () => {
  const points = ['a', 'b'].flatMap((x) => [point(x, 1, 'one'), point(x, 2, 'two')]);
  const svg = drawn({ kind: 'bar', points, series: 's' });
  expect(svg.querySelectorAll('rect')).toHaveLength(4);
  expect(textsOf(svg)).toEqual(expect.arrayContaining(['a', 'b']));
});

it('a query chart draws times, categories and many points at several widths', () => {
  const moments = [point(new Date('2026-01-01'), 1), point(new Date('2026-01-02'), 2)];
  for (const width of [300, 900]) {
    expect(drawn({ points: moments }, width).querySelectorAll('path').length).toBeGreaterThan(0);
    const categories = [point('x', 1), point('a name that is long', 2)];
    expect(drawn({ kind: 'scatter', points: categories }, width).querySelectorAll('circle')).toHaveLength(2);
    const many = Array.from({ length: 2000 }, (_, index) => point(index, index % 7));
    expect(drawn({ points: many }, width).querySelectorAll('path').length).toBeGreaterThan(0);
  }
});
