import { expect, it } from 'vitest';
import { checkEvent } from './catalogue.ts';

it('refuses an event with very many faults, describing a hundred and counting the others', () => {
  const envelope = {
    id: '0199f0d1-1c7b-7000-8000-000000000001',
    type: 'RunStarted',
    version: 1,
    at: '2026-01-01T00:00:00Z',
  };
  const data = { name: 'a', descriptor: { environment: 'e', knobs: Array(200_000).fill(0) } };
  const issues = checkEvent('run-a', { ...envelope, actor: 'a/b', run: 'a', stage: null, causes: [], data });
  expect(new Set(issues.map(({ field }) => field)).size).toBe(issues.length);
  expect(issues).toHaveLength(101);
  expect(Number(/^(\d+) more faults$/.exec(issues.at(-1)?.found ?? '')?.[1])).toBeGreaterThan(100_000);
});
