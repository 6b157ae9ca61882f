import { readFileSync } from 'node:fs';
import { environmentContract } from 'icecore/testing';
import { expect, it } from 'vitest';
import { parity } from './parity.ts';

environmentContract(parity, {
  right: ({ instance }) => (Number(instance['number']) % 2 === 0 ? 'even' : 'odd'),
  wrong: ({ instance }) => [null, 'neither', Number(instance['number']) % 2 === 0 ? 'odd' : 'even'],
});

it('docs/plugins.md contains this environment and this test of it', () => {
  const guide = readFileSync(new URL('../docs/plugins.md', import.meta.url), 'utf8');
  const source = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');
  expect(guide).toContain(source('./parity.ts'));
  const [, contract = 'no contract'] = /(environmentContract\([\s\S]*?\n\}\);)/.exec(source('./parity.test.ts')) ?? [];
  expect(guide).toContain(contract);
});
