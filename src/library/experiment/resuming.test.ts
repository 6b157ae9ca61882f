// What broke a run off and can be put right tells how the run goes on.
import { describe, expect, it } from 'vitest';
import { IcecoreError } from '../../../schemas/errors.ts';
import { EngineerErrored } from '../../producers/proposals/asking.ts';
import { withCommand } from './advance.ts';

const again = 'icecore resume mine';

describe('a fault during a run', () => {
  it.each([
    ['storage', 'Free some space and run the same command again: events are not stored twice.', 'Free some space. '],
    ['unavailable', 'Start the server.', 'Start the server. '],
    ['interrupted', '', ''],
  ] as const)(
    'of kind %s names the command that goes on with it, and never the same command',
    (kind, remedy, first) => {
      const fault = new IcecoreError(kind, 'broken', { facts: { path: 'a' }, remedy });
      const told = withCommand(fault, again);
      expect(told).toMatchObject({
        kind,
        message: 'broken',
        facts: { path: 'a' },
        remedy: `${first}Go on with: ${again}`,
      });
    },
  );

  it('that would come again stays as it is', () => {
    const faults = [new IcecoreError('bad-input', 'no', { remedy: 'Correct it.' }), new TypeError('bug')];
    for (const fault of faults) expect(withCommand(fault, again)).toBe(fault);
  });
});

it('an engineer that could not answer can be done without, where a command says so', () => {
  const errored = new EngineerErrored(
    {
      engineer: { name: 'engineer.py' },
      context: null,
      error: { kind: 'crashed', message: 'the engineer program engineer.py ended with exit code 3' },
      raw: null,
    },
    '',
  );
  expect(withCommand(errored, 'icecore resume mine')).toMatchObject({
    kind: 'unavailable',
    remedy: 'Go on with: icecore resume mine, or with the configuration it has: icecore resume mine --on-error keep',
  });
  expect(withCommand(errored, 'the same command')).toMatchObject({ remedy: 'Go on with: the same command' });
});
