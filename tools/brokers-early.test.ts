import { expect, it } from 'vitest';
import { brokersEarly } from './brokers-early.ts';

const inOrder = (names: string): string =>
  brokersEarly(names.split(' ').map((name) => ({ moduleId: `${name}.test.ts` })))
    .map(({ moduleId }) => moduleId.replace('.test.ts', ''))
    .join(' ');

it('spreads files with a broker over the first half of the others, and keeps the order of both', () => {
  expect(inOrder('a b c d e f g h x.system y.system')).toBe('x.system a b y.system c d e f g h');
});

it('starts first the small files that take longest', () => {
  expect(inOrder('x.system /clone/test/api.system y.system /clone/src/ledger/split/store.system')).toBe(
    '/clone/src/ledger/split/store.system /clone/test/api.system x.system y.system',
  );
});

it('loses no file', () => {
  expect(inOrder('x.system a y.system')).toBe('x.system a y.system');
  expect(inOrder('x.system y.system')).toBe('x.system y.system');
  expect(inOrder('a b c')).toBe('a b c');
});
