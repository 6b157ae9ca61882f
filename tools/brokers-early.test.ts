import { expect, it } from 'vitest';
import { brokersEarly } from './brokers-early.ts';

const inOrder = (names: string): string =>
  brokersEarly(names.split(' ').map((name) => ({ moduleId: `${name}.test.ts` })))
    .map(({ moduleId }) => moduleId.replace('.test.ts', ''))
    .join(' ');

it('spreads files with a broker over the first half of the others, and keeps the order of both', () => {
  expect(inOrder('a b c d e f g h x.int y.int')).toBe('x.int a b y.int c d e f g h');
});

it('loses none, of whatever there are', () => {
  expect(inOrder('x.int a y.int')).toBe('x.int a y.int');
  expect(inOrder('x.int y.int')).toBe('x.int y.int');
  expect(inOrder('a b c')).toBe('a b c');
});
