import { describe, expect, it } from 'vitest';
import { isFamily } from '../src/cli/command.ts';
import { commands, type Entry } from '../src/cli/manifest.ts';
import { outputSchemas, staleOutputSchemas } from './output-schemas.ts';

describe('the published schemas of --json', () => {
  it('are fresh', () => {
    expect(staleOutputSchemas()).toEqual([]);
  });

  it('cover every command', async () => {
    const published = [...outputSchemas().keys()];
    const names = await Promise.all(commands.map(namesOf));
    expect(names.flat().filter((name) => !published.includes(`${name}.json`))).toEqual([]);
  });
});

/** A family's commands are told apart by both names: lake-solve. */
async function namesOf({ name, load }: Entry): Promise<string[]> {
  const { command } = await load();
  return isFamily(command) ? command.members.map((member) => `${name}-${member.name}`) : [name];
}
