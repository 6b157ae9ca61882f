// The commands that icecore prints are there to be pasted: a run that a stranger named must not add another command to them.
import { expect, it } from 'vitest';
import { strangers } from './testing/stranger.ts';

const stranger = strangers();

/** Each is one word of a shell only where all of it is quoted. */
const names = ['x;touch pwned;#', 'FILE;touch pwned;#'] as const;

const verbs = [
  ['resume', '--jobs', '1'],
  ['resume', 'latest', '--on-error', 'keep', '--jobs', '1'],
  ['show'],
  ['show', 'latest@1'],
  ['why', 'latest@1'],
  ['diff', 'latest@1'],
  ['report', 'latest@1'],
  ['context', 'latest@9'],
  ['propose', 'latest@2'],
  ['propose', 'latest@2', '--engineer', 'rules'],
  ['propose', 'latest@9', '--engineer', 'rules'],
  ['ablate', 'latest', '--engineer', 'rules'],
  ['ablate', 'latest@9', '--engineer', 'rules'],
  ['fork', 'latest@9', '--engineer', 'rules'],
  ['adopt', 'none.json', '--run', 'latest@2'],
  ['stage', 'start', 'latest'],
  ['stage', 'finish', 'latest'],
  ['stage', 'finish', 'latest@9'],
] as const;

it.each(verbs.map((verb) => [verb] as const))(
  'the name of a run injects no command into the output of icecore %j',
  async (verb) => {
    for (const name of names) {
      for (const settings of [
        { engineer: 'rules' },
        { engineer: 'human' },
        { engineer: 'human', trainer: 'external' },
      ]) {
        const place = await stranger(() => ({ ...settings, name }));
        const words = verb.map((word) => word.replace('latest', name));
        const { stdout, stderr } = await place.icecore(...words);
        expect(commandsIn(stdout + stderr).filter((command) => unquoted(command).includes('touch'))).toEqual([]);
      }
    }
  },
);

/** From the name of the program to the end of its line. */
function commandsIn(text: string): readonly string[] {
  return text.match(/\bicecore [a-z].*/g) ?? [];
}

/** Without the words that a shell reads as they stand. */
function unquoted(command: string): string {
  return command.replaceAll(/'[^']*'/g, '');
}
