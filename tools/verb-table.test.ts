import { expect, it } from 'vitest';
import { commands } from '../src/cli/testing/commands.ts';
import { verbs } from '../test/strangers/verbs.ts';
import { securityPage, withTable } from './verb-table.ts';

it('docs/security.md has the table of commands that is tried', () => {
  expect(securityPage()).toBe(withTable(securityPage()));
});

it('the table has every command, with what shells ask for completion, and no other', () => {
  const names = commands.all.map(({ name }) => name);
  expect(verbs.map(({ name }) => name).sort()).toEqual([...names, '__complete'].sort());
});
