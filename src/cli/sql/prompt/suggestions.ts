// What the text before the cursor could go on with: the prompt knows its own commands, the desk knows SQL and the tables.

import type { Completion } from '../../../projections/query/questions.ts';
import { dotCommands } from './commands.ts';
import type { Desk } from './desk.ts';

export async function suggestions(before: string, desk: Desk): Promise<readonly Completion[]> {
  const [, command, argument] = /^\s*(\.\S*)(?:\s+(\S*))?$/.exec(before) ?? [];
  if (command === undefined) return await desk.complete(before);
  if (argument === undefined) return endingWith(before, command, commandNames);
  if (command === '.schema') return await tables(before, argument, desk);
  return endingWith(before, argument, argumentsOf(command, desk));
}

const commandNames = dotCommands.map(({ name, takes }) => (takes === '' ? name : `${name} `));

function argumentsOf(command: string, desk: Desk): readonly string[] {
  if (command === '.format') return desk.formats;
  return command === '.timing' ? ['on', 'off'] : [];
}

/** A table is what comes behind DESCRIBE, where no keyword does. */
async function tables(before: string, word: string, desk: Desk): Promise<readonly Completion[]> {
  const sql = `describe ${word}`;
  const shift = before.length - sql.length;
  const names = (await desk.complete(sql)).filter(({ suggestion }) => !suggestion.endsWith(' '));
  return names.map(({ suggestion, start }) => ({ suggestion, start: start + shift }));
}

function endingWith(before: string, word: string, names: readonly string[]): readonly Completion[] {
  return names.map((suggestion) => ({ suggestion, start: before.length - word.length }));
}
