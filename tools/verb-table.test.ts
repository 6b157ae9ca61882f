import { expect, it } from 'vitest';
import { commands } from '../src/cli/testing/commands.ts';
import { verbs } from '../test/strangers/verbs.ts';
import { securityPage, withTable } from './verb-table.ts';

it('docs/security.md has the tested table of commands', () => {
  expect(securityPage()).toBe(withTable(securityPage()));
});

it('the table has every command, including the hidden one for completion, and no other', () => {
  const names = commands.all.map(({ name }) => name);
  expect(verbs.map(({ name }) => name).sort()).toEqual([...names, '__complete'].sort());
});
