// Errors that stop a run and can be fixed say how to resume it.
import { describe, expect, it } from 'vitest';
import { IcecoreError } from '../../../schemas/errors.ts';
import { Unauthorised } from '../../lab/models/faults.ts';
import { EngineerErrored } from '../../producers/proposals/asking.ts';
import { withCommand } from './advance.ts';

const again = 'icecore resume mine';

describe('a fault during a run', () => {
  it.each([
    ['storage', 'Free some space and run the same command again: events are not stored twice.', 'Free some space. '],
    ['unavailable', 'Start the server.', 'Start the server. '],
    ['interrupted', '', ''],
  ] as const)(
    'of kind %s names the command that resumes the run instead of the same command',
    (kind, remedy, first) => {
      const fault = new IcecoreError(kind, 'broken', { facts: { path: 'a' }, remedy });
      const named = withCommand(fault, again);
      expect(named).toMatchObject({
        kind,
        message: 'broken',
        facts: { path: 'a' },
        remedy: `${first}Continue with: ${again}`,
      });
    },
  );

  it('of a model, such as a refused key, can be fixed and resumed', () => {
    const fault = new Unauthorised({ entry: 'gpt', url: 'https://api.example/v1', key: 'GPT_KEY' }, 401);
    expect(withCommand(fault, again)).toMatchObject({
      kind: 'bad-input',
      remedy: `Check the value of GPT_KEY. Continue with: ${again}`,
    });
  });

  it('that resuming cannot fix is unchanged', () => {
    const faults = [new IcecoreError('bad-input', 'no', { remedy: 'Correct it.' }), new TypeError('bug')];
    for (const fault of faults) expect(withCommand(fault, again)).toBe(fault);
  });
});

it('after an engineer error, the remedy offers to continue without it', () => {
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
    remedy:
      'Continue with: icecore resume mine, or with the current configuration: icecore resume mine --on-error keep',
  });
  expect(withCommand(errored, 'the same command')).toMatchObject({ remedy: 'Continue with: the same command' });
});
