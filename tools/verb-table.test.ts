import { expect, it } from 'vitest';
import { isFamily } from '../src/cli/command.ts';
import { commands } from '../src/cli/manifest.ts';
import { verbs } from '../test/strangers/verbs.ts';
import { securityPage, withTable } from './verb-table.ts';

it('docs/security.md has the table of commands that is tried', () => {
  expect(securityPage()).toBe(withTable(securityPage()));
});

it('the table has every command, with what shells ask for completion, and no other', async () => {
  const names = await Promise.all(
    commands.map(async ({ name, load }) => {
      const { command } = await load();
      return isFamily(command) ? command.members.map((member) => `${name} ${member.name}`) : [name];
    }),
  );
  expect(verbs.map(({ name }) => name).sort()).toEqual([...names.flat(), '__complete'].sort());
});
