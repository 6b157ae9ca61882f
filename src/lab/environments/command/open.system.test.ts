import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { IcecoreError } from '../../../../schemas/errors.ts';
import { ProgramNotStarted } from '../../programs/program.ts';
import { allowed } from '../../programs/testing/allowed.ts';
import { isRunning } from '../../programs/testing/running.ts';
import { BadDescription, InvalidReply, ProgramDied, ProgramSilent } from './faults.ts';
import { type CommandOptions, openCommand } from './open.ts';
import { descriptor, opened, program } from './testing/programs.ts';

/** The error of opening a program. */
async function fault(otherwise: string, options: Partial<CommandOptions> = {}): Promise<IcecoreError> {
  return openCommand({ program: allowed(program(otherwise)), ...options }).then(
    async (environment) => {
      await environment.close();
      throw new Error('it was opened');
    },
    (error: IcecoreError) => error,
  );
}

describe('opening a program', () => {
  it('that cannot be started fails with the reason', async () => {
    const missing = await openCommand({ program: allowed(['no-such-program', 'at', 'all']) }).catch((error) => error);
    expect(missing).toBeInstanceOf(ProgramNotStarted);
    expect(missing).toMatchObject({
      kind: 'not-found',
      message:
        'the environment program no-such-program at all cannot be started: the program no-such-program does not exist',
    });
    const forbidden = await openCommand({ program: allowed(['/']) }).catch((error) => error);
    expect(forbidden).toMatchObject({ kind: 'unavailable', message: expect.stringContaining('is not executable') });
    const nowhere = await fault('', { program: allowed(program(), '/no/such/folder') });
    expect(nowhere.message).toMatch(/its working folder \/no\/such\/folder does not exist$/);
    const impossible = await openCommand({ program: allowed(['a\0b']) }).catch((error) => error);
    expect(impossible).toBeInstanceOf(ProgramNotStarted);
  });

  it('that exits at once fails with its exit and last words', async () => {
    const died = await fault(`describe(r) { console.error('no GPU\\nat all'); process.exit(3); }`);
    expect(died).toBeInstanceOf(ProgramDied);
    expect(died).toMatchObject({ kind: 'unavailable', exit: { code: 3, signal: null } });
    expect(died.message).toMatch(/ended with exit code 3 while it was asked to describe; its last words: at all$/);
    expect(died.facts['lastWords']).toEqual(['no GPU', 'at all']);
    const traced = await fault(
      `describe(r) { console.error('Traceback:\\n  File "env.py", line 7, in describe\\nTypeError: no'); process.exit(1); }`,
    );
    expect(traced.message).toMatch(/its last words: TypeError: no \(File "env.py", line 7, in describe\)$/);
    const wordy = await fault(`describe(r) {
      for (let i = 0; i <= 20000; i++) writeSync(2, 'word ' + i + '\\n');
      process.exit(3);
    }`);
    expect((wordy.facts['lastWords'] as string[]).at(-1)).toBe('word 20000');
    const killed = await fault(`describe(r) { process.kill(process.pid, 'SIGKILL'); }`);
    expect(killed.message).toMatch(/was ended by SIGKILL while it was asked to describe$/);
    const done = await openCommand({ program: allowed([process.execPath, '-e', '']) }).catch((error) => error);
    expect(done.message).toMatch(/ended with exit code 0 while it was asked to describe$/);
  });

  it('that hangs fails, and the program is killed', async () => {
    const silent = await fault('describe(r) {}', { limits: { startMs: 50 } });
    expect(silent).toBeInstanceOf(ProgramSilent);
    expect(silent.message).toMatch(/said nothing for 0.05 s while it was asked to describe, and was stopped$/);
  });

  it('that leaves a process behind does not wait for it, and kills it', async () => {
    const leaves = `describe(r) {
      const child = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' });
      console.error(String(child.pid));
      child.unref();
      process.exit(1);
    }`;
    const died = await fault(leaves);
    expect(died).toBeInstanceOf(ProgramDied);
    const left = Number((died.facts['lastWords'] as string[])[0]);
    await vi.waitFor(() => expect(isRunning(left)).toBe(false));
  });

  it.each<[string, string, RegExp]>([
    ['no JSON', `print('ready\\n')`, /a line that is not JSON$/],
    ['NaN', `print('{"request": 1, "start": {"side": NaN}}\\n')`, /NaN or Infinity, which is not JSON$/],
    ['a list', 'say([r.request])', /a list of 1 instead of an object$/],
    ['no request number', 'say(description)', /a reply without the number of its request$/],
    ['an unknown request number', 'say({ request: 7 })', /a reply to request 7 \(a number\), which was never made$/],
    [
      'a request number that is a text',
      `say({ request: '1' })`,
      /a reply to request "1" \(a string\), which was never made$/,
    ],
    ['an error without a message', 'say({ request: 1, error: {} })', /an error without a message$/],
    ['the key __proto__', `print('{"request": 1, "start": {"__proto__": {}}}\\n')`, /the key "__proto__"$/],
    ['bytes that are not text', 'writeSync(1, Buffer.from([0xff, 0x0a]))', /bytes that are not UTF-8$/],
    ['a lone surrogate', `print('{"request": 1, "start": "\\\\ud800"}\\n')`, /start: a text with a lone surrogate$/],
    [
      'a rounded number',
      `print('{"request": 1, "start": {"side": 9007199254740993}}\\n')`,
      /9007199254740993, which JSON readers may round/,
    ],
    ['a line of 100 MB', `print('x'.repeat(1e8))`, /a line longer than 16777216 bytes$/],
  ])('that sends an invalid message fails with the issue: %s', async (_, says, what) => {
    const nonsense = await fault(`describe(r) { ${says}; }`);
    expect(nonsense).toBeInstanceOf(InvalidReply);
    expect(nonsense.message).toMatch(what);
    expect(nonsense.kind).toBe('bad-input');
  });

  it('that closes its output but keeps running kills it', async () => {
    const mute = await fault(`describe(r) { require('node:fs').closeSync(1); }`);
    expect(mute).toBeInstanceOf(ProgramDied);
    expect(mute.message).toMatch(/closed its standard output while it was asked to describe$/);
  });

  it('that refuses to describe itself fails with its message', async () => {
    const refused = await fault(`describe(r) { say({ request: 1, error: { message: 'not today' } }); }`);
    expect(refused.message).toMatch(/refused to describe: not today$/);
  });

  it('can be aborted', async () => {
    const stop = new AbortController();
    const opening = openCommand({ program: allowed(program('describe(r) {}')), signal: stop.signal });
    stop.abort(new Error('stopped by a person'));
    await expect(opening).rejects.toThrow('stopped by a person');
    await expect(openCommand({ program: allowed(program()), signal: stop.signal })).rejects.toThrow(
      'stopped by a person',
    );
  });
});

describe('the description', () => {
  const describes = (change: object): Promise<IcecoreError> =>
    fault(`describe(r) { say({ request: 1, ...description, ...${JSON.stringify(change)} }); }`);
  const knob = descriptor.knobs[0];

  it.each<[string, object, string]>([
    ['a value of the wrong type', { start: 'side' }, 'start: found "side" (a string), allowed: an object'],
    ['an unknown key', { suits: [] }, 'suits: found an unknown key, allowed: a known one, perhaps "suites"'],
    [
      'a contradiction',
      { descriptor: { ...descriptor, knobs: [knob, knob] } },
      'descriptor.knobs[1].name: found "side" again, allowed: each knob once',
    ],
    [
      'an invalid start configuration',
      { start: { side: 7 } },
      'start.side: found 7 (a number), allowed: a whole number from 0 to 1',
    ],
    [
      'suites but no suite request',
      { suites: [{ name: 'a', tasks: 1 }] },
      'understands: found no "suite", allowed: "suite", because it has suites',
    ],
    [
      'an unknown request',
      { understands: ['dance'] },
      'understands[0]: found "dance" (a string), allowed: one of "probe", "suite", "draw", "prompt", "rollout"',
    ],
  ])('with %s is refused', async (_, change, says) => {
    const bad = await describes(change);
    expect(bad).toBeInstanceOf(BadDescription);
    expect(bad.message).toContain(says);
  });

  it('determines what is supported: the rest is unsupported', async () => {
    const environment = await opened();
    expect(environment.draw).toBe(undefined);
    expect(environment.prompt).toBe(undefined);
    expect(environment.rollout).toBe(undefined);
    const probe = environment.probe({ configuration: { side: 0 }, split: 'probe', perCell: 1, seed: 'a' });
    await expect(probe.next()).rejects.toMatchObject({ kind: 'unsupported', name: 'NotUnderstood' });
  });
});

it('opening a program passes its arguments unchanged, its folder and its variables', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-command-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const says = `describe(r) { say({ request: 1, error: { message: [process.cwd(), process.env.COIN, process.argv[1]].join() } }); }`;
  const words = [...program(says), '$COIN; *'];
  const opened = await openCommand({ program: allowed(words, folder), variables: { COIN: 'gold' } }).catch(
    (error) => error,
  );
  expect(opened.says.replace(/^\/private/, '')).toBe(`${folder},gold,$COIN; *`);
});
