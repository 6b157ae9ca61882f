// Values of a result as text and CSV, and results as charts.
import { describe, expect, it } from 'vitest';
import { completeChoice, pointsOf } from './points.ts';
import { csvText, kindOf, numberOf, valueText } from './values.ts';

describe('a value of a result', () => {
  it.each([
    ['BIGINT', 'number'],
    ['DECIMAL(18,3)', 'number'],
    ['DOUBLE', 'number'],
    ['BIGINT[]', 'nested'],
    ['STRUCT(a INTEGER)', 'nested'],
    ['MAP(VARCHAR, DOUBLE)', 'nested'],
    ['TIMESTAMP WITH TIME ZONE', 'moment'],
    ['BOOLEAN', 'boolean'],
    ['VARCHAR', 'text'],
    ['INTERVAL', 'text'],
  ])('of type %s is a %s', (type, kind) => expect(kindOf(type)).toBe(kind));

  it('is printed with six significant digits, whole numbers in full', () => {
    expect([0.1 + 0.2, 123456789, 1e21, 1 / 3].map(valueText)).toEqual(['0.3', '123456789', '1e+21', '0.333333']);
    expect(valueText('170141183460469231731687303715884105727')).toBe('170141183460469231731687303715884105727');
  });

  it('is sorted as a number even if it is a text', () => {
    expect(['12', '', 'NaN', null, 3].map(numberOf)).toEqual([12, null, null, null, 3]);
  });

  it('is quoted in CSV if needed, and NULL differs from an empty text', () => {
    const columns = [
      { name: 'a,b', type: 'VARCHAR' },
      { name: 'n', type: 'VARCHAR' },
    ];
    const rows = [
      { 'a,b': 'say "hi"\n', n: null },
      { 'a,b': '', n: [1, { x: 2 }] },
    ];
    expect(csvText(columns, rows)).toBe('"a,b",n\n"say ""hi""\n",\n"","[1,{""x"":2}]"\n');
  });
});

describe('a chart of a result', () => {
  const columns = [
    { name: 'stage', type: 'BIGINT' },
    { name: 'family', type: 'VARCHAR' },
    { name: 'valid', type: 'DOUBLE' },
  ];
  const answer = (rows: readonly Record<string, number | string | null>[]) => ({
    ...{ as_of: '2026-01-01T00:00:00Z', behind: 0, unknown: 0, total: rows.length, truncated: false },
    columns,
    rows: rows.map((row) => ({ ...row })),
  });

  it('uses the chosen columns, or the first that fit', () => {
    expect(completeChoice(answer([]), 'line', { x: 'family', y: 'valid' })).toMatchObject({ x: 'family', y: 'valid' });
    expect(completeChoice(answer([]), 'line', { x: 'gone', y: 'family' })).toMatchObject({ x: 'stage', y: 'valid' });
  });

  it('omits rows without a value', () => {
    const choice = { kind: 'line', x: 'stage', y: 'valid', series: '' } as const;
    const rows = [
      { stage: 1, family: '8', valid: 0.5 },
      { stage: null, family: '8', valid: 0.5 },
      { stage: 2, family: '8', valid: null },
    ];
    expect(pointsOf(answer(rows), choice, '')).toEqual([{ x: 1, y: 0.5, series: '' }]);
  });

  it('is refused for too many marks or repeated bar categories, with an aggregating query', () => {
    const rows = Array.from({ length: 2001 }, (_, index) => ({ stage: index % 3, family: 'x', valid: 1 }));
    const dots = pointsOf(answer(rows), { kind: 'scatter', x: 'stage', y: 'valid', series: '' }, 'FROM t;');
    expect(dots).toMatchObject({
      reason: expect.stringContaining('2,001 marks'),
      sql: expect.stringContaining('avg(valid)'),
    });
    const bars = pointsOf(answer(rows.slice(0, 9)), { kind: 'bar', x: 'stage', y: 'valid', series: '' }, 'FROM t;');
    expect(bars).toMatchObject({ sql: expect.stringMatching(/FROM \(\nFROM t\n\)/) });
  });
});
