// A ledger from an untrusted source, with control characters in every text that an event may hold: the commands that read it
// print them escaped, on a terminal and in JSON.
import { describe, expect, it } from 'vitest';
import type { ContextResult } from '../../../schemas/by-hand-output.ts';
import { checkEventFields, type EventData } from '../../../schemas/catalogue.ts';
import { type Recording, wholeRun } from '../../analysis/history/testing/recording.ts';
import { json, steering } from '../testing/harness.ts';
import { placeWith } from './testing/looking.ts';

/** A title, a cleared screen, a C1 control, a right-to-left text, a carriage return. */
const hostile = '\u001b]0;owned\u0007\u001b[2J\u009b31m\u202eright\u2066\rover';

type Node = Record<string, unknown>;

/** Appends it to every text, except where the catalogue then rejects the event. */
function poison(recording: Recording): number {
  let poisoned = 0;
  for (const { stream, event } of recording.sent) {
    const visit = (node: Node): void => {
      for (const [key, value] of Object.entries(node)) {
        if (typeof value === 'object' && value !== null) visit(value as Node);
        if (typeof value !== 'string') continue;
        node[key] = value + hostile;
        if (checkEventFields(stream, event).length === 0) poisoned++;
        else node[key] = value;
      }
    };
    visit(event.data as Node);
  }
  return poisoned;
}

/** As its run would have recorded it: `icecore context` prints a recorded context without building it again. */
async function contextOf(recording: Recording): Promise<EventData['ContextRecorded']> {
  const { look } = await placeWith(recording);
  const shown = json(await look('context', 'latest@2', '--json')) as unknown as ContextResult;
  const { ledger: _, run: __, name: ___, stage: ____, recorded: _____, ...data } = shown;
  return data;
}

const verbs: readonly (readonly string[])[] = [
  ['runs'],
  ['show', 'latest', '--all'],
  ['show', 'latest'],
  ['show', 'latest@2'],
  ['why', 'latest@2'],
  ['diff', 'latest@1', 'latest@2'],
  ['context', 'latest@2'],
  ['context', 'latest@2', '--context', 'objective+failures+history'],
  ['context', 'latest@3', '--context', 'v4'],
  ['event', 'tail'],
  ['verify'],
];

const eraseLine = `${String.fromCharCode(27)}[K`;

describe('control characters in every text of a ledger', () => {
  it('are escaped by every command that reads it', { timeout: 120_000 }, async () => {
    const recording = wholeRun();
    recording.add('ContextRecorded', 1, await contextOf(wholeRun()));
    expect(poison(recording)).toBeGreaterThan(5);
    const { within } = await placeWith(recording);
    for (const argv of verbs) {
      const { stdout, stderr } = await within({ terminal: 80 })(...argv);
      expect({ argv, isEmpty: stdout === '' }).toEqual({ argv, isEmpty: false });
      // The progress of a long command is one line that it overwrites and then erases.
      const prose = stderr.replaceAll('\r', '').replaceAll(eraseLine, '');
      expect({ argv, steering: [...steering(stdout), ...steering(prose)] }).toEqual({ argv, steering: [] });
      const asJson = await within({})(...argv, '--json');
      expect({ argv, steering: steering(asJson.stdout) }).toEqual({
        argv,
        steering: [],
      });
    }
  });
});
