import { expect, it } from 'vitest';
import { totalOf } from './quantity.ts';

it('amounts are summed by unit, whatever a unit is called', () => {
  const total = totalOf([{ USD: 1, constructor: 2 }, { USD: 3, valueOf: 4 }, JSON.parse('{"__proto__": 5}')]);
  expect(Object.entries(total)).toEqual([
    ['USD', 4],
    ['constructor', 2],
    ['valueOf', 4],
    ['__proto__', 5],
  ]);
});
