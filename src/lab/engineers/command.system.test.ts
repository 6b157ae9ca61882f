import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { startConfiguration } from '../../../testbed/lake/configuration.ts';
import { openLake } from '../../../testbed/lake/environment.ts';
import type { CommandWords } from '../programs/program.ts';
import { allowed } from '../programs/testing/allowed.ts';
import { isRunning } from '../programs/testing/running.ts';
import { type CommandEngineerOptions, openCommandEngineer } from './command.ts';
import { engineerContract } from './contract/engineer-contract.ts';
import {
  type Engineer,
  EngineerClosed,
  EngineerFailed,
  type NoProposal,
  type Proposal,
  type ProposalRequest,
} from './engineer.ts';
import { askedOf, coins, coinsNow, everyModule } from './testing/questions.ts';

function folderFor(): string {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-engineer-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

interface ShellOptions extends Partial<CommandEngineerOptions> {
  readonly folder?: string;
}

function open(command: CommandWords, folder?: string, options: Partial<CommandEngineerOptions> = {}): Engineer {
  return openCommandEngineer({ command, reads: everyModule, allow: () => allowed(command, folder), ...options });
}

/** A shell script; `$0` is its answer. */
function shell(script: string, answer: unknown = usual, { folder, ...options }: ShellOptions = {}): Engineer {
  const words = typeof answer === 'string' ? answer : JSON.stringify(answer);
  const engineer = open(['sh', '-c', script, words], folder, options);
  onTestFinished(() => engineer.close());
  return engineer;
}

const wanted = { ...coinsNow, kinds: 5 };
const usual = {
  configuration: wanted,
  reasons: [{ knob: 'kinds', cites: ['Bsmall.valid'], reason: 'small piles are easy' }],
  predictions: [{ family: 'small', value: 0.95 }],
};

async function proposal(engineer: Engineer, change: Partial<ProposalRequest> = {}): Promise<Proposal> {
  const answer = await engineer.propose(askedOf(change));
  return 'proposal' in answer ? answer.proposal : expect.fail(JSON.stringify(answer.rejected));
}

async function rejection(engineer: Engineer): Promise<NoProposal> {
  const answer = await engineer.propose(askedOf());
  return 'rejected' in answer ? answer.rejected : expect.fail(JSON.stringify(answer.proposal));
}

/** The reason, what was found, and the last raw answer. */
async function becomes(engineer: Engineer): Promise<unknown[]> {
  const { reason, issues, raw } = await rejection(engineer);
  return [reason, issues[0]?.found, raw];
}

engineerContract('a program', {
  open: async () => shell('cat >/dev/null; echo "$0"', { configuration: startConfiguration }),
  reads: everyModule,
  environment: async () => openLake(),
});

describe('an engineer program', () => {
  it('gets the whole request on its standard input, the same for the same question', async () => {
    const folder = folderFor();
    const engineer = shell('cat >>heard; echo "$0"', usual, { folder });
    const checkpoint = { reference: 'step-9' };
    for (const context of [askedOf().context, null]) await proposal(engineer, { checkpoint, sample: 2, context });
    await proposal(engineer, { checkpoint, sample: 2, context: null });
    const [first = '', second, third] = readFileSync(join(folder, 'heard'), 'utf8').trim().split('\n');
    const { context, ...rest } = JSON.parse(first);
    expect(rest).toEqual({
      protocol: 1,
      descriptor: coins,
      stage: 1,
      stages: 3,
      current: coinsNow,
      first: coinsNow,
      checkpoint,
      sample: 2,
      seed: 'one',
    });
    expect(context).toEqual({
      form: { modules: ['behaviour'] },
      digest: '0'.repeat(64),
      text: 'Bsmall.valid: 0.9\nBlarge.valid: 0.2',
      modules: [
        {
          module: 'behaviour',
          facts: [
            { evidenceId: 'Bsmall.valid', family: 'small', measure: 'valid', value: 0.9 },
            { evidenceId: 'Blarge.valid', family: 'large', measure: 'valid', value: 0.2 },
          ],
          exemplars: [],
        },
      ],
      evidenceIds: ['Bsmall.valid', 'Blarge.valid'],
    });
    expect(JSON.parse(second ?? '')).toEqual({ ...rest, context: null });
    expect(third).toBe(second);
  });

  it('may answer with every field of a proposal', async () => {
    expect(await proposal(shell('echo "$0"'))).toEqual({
      configuration: wanted,
      reasons: usual.reasons,
      kept: null,
      predictions: [{ family: 'small', measure: 'valid', value: 0.95 }],
      rationale: null,
    });
    const pretty = JSON.stringify(usual, null, 2);
    expect(await proposal(shell('echo loading; printf %s "$0"; echo done >&2', pretty))).toMatchObject({
      configuration: wanted,
    });
  });

  it('need not read its input', async () => {
    const context = { ...(askedOf().context ?? expect.fail()), text: 'x'.repeat(2e6) };
    expect(await proposal(shell('exec 0<&-; echo "$0"'), { context })).toMatchObject({ configuration: wanted });
  });

  it('can use every module, and is recorded with its program and its command', () => {
    const engineer = shell('');
    expect(engineer.reads).toEqual(everyModule);
    expect(engineer.identity).toMatchObject({
      name: 'sh',
      parameters: { command: ['sh', '-c', '', expect.any(String)] },
    });
    const nameOf = (...command: [string, ...string[]]) => open(command).identity.name;
    expect(nameOf('python3', '-S', 'tools/easier.py')).toBe('easier.py');
    expect(nameOf('python3', '-S', 'tools/easier.py', '--fast', '--only', 'a,b')).toBe('easier.py-fast-only-a-b');
    expect(nameOf('/usr/bin/decide', '--level=3')).toBe('decide-level-3');
  });

  it('may cite shown evidence; unknown ids are reported and do not count as evidence', async () => {
    const reasons = [{ knob: 'kinds', cites: ['F7', 'Bsmall.valid'], reason: 'easy' }];
    const answer = await proposal(shell('echo "$0"', { ...usual, reasons }));
    expect(answer.reasons).toEqual([
      { knob: 'kinds', cites: ['Bsmall.valid'], reason: 'easy [names "F7", of which nothing was shown]' },
    ]);
    const blind = await proposal(shell('echo "$0"', { ...usual, reasons }), { context: null });
    expect(blind.reasons[0]?.cites).toEqual([]);
  });
});

describe("a program's answer is rejected if it", () => {
  it('prints nothing, or something that is not JSON', async () => {
    expect(await becomes(shell('echo; cat >/dev/null; echo oops >&2'))).toEqual([
      'empty',
      'a program that ended without printing anything; its last words: oops',
      null,
    ]);
    expect(await becomes(shell('echo I would not'))).toEqual([
      'unreadable',
      'a text without a JSON object',
      { text: 'I would not' },
    ]);
  });

  it('is invalid, naming the field', async () => {
    const { reason, issues } = await rejection(shell('echo "$0"', { configuration: { ...wanted, kinds: '5' } }));
    expect([reason, issues]).toEqual([
      'invalid',
      [{ field: 'configuration.kinds', found: '"5" (a string)', allowed: 'a whole number from 1 to 9' }],
    ]);
  });

  it('prints without end', async () => {
    expect((await becomes(shell('yes'))).slice(0, 2)).toEqual([
      'unreadable',
      'a program that printed more than 1048576 bytes',
    ]);
    expect((await becomes(shell('yes | tr -d "\\n" | head -c 3000000')))[0]).toBe('unreadable');
  });
});

describe('a program errors if it', () => {
  /** The kind, the message, and the last output. */
  async function failing(engineer: Engineer): Promise<unknown[]> {
    const fault: unknown = await engineer.propose(askedOf()).then(JSON.stringify, (error: unknown) => error);
    if (!(fault instanceof EngineerFailed)) expect.fail(String(fault));
    return [fault.failure, fault.message, fault.raw];
  }

  it('dies, even after an answer', async () => {
    const dies = 'echo "$0"; echo "Traceback" >&2; echo "KeyError: 8" >&2';
    const raw = { text: JSON.stringify(usual) };
    expect(await failing(shell(`${dies}; exit 3`))).toEqual([
      'crashed',
      expect.stringMatching(
        /^the engineer program sh -c .* ended with exit code 3; its last words: Traceback \/ KeyError: 8$/,
      ),
      raw,
    ]);
    expect(await failing(shell('echo "$0"; kill -9 $$'))).toEqual([
      'crashed',
      expect.stringContaining('was ended by SIGKILL'),
      raw,
    ]);
  });

  it('does not exist', async () => {
    expect(await failing(open(['/nowhere/engineer']))).toEqual([
      'unavailable',
      'the engineer program /nowhere/engineer cannot be started: the program /nowhere/engineer does not exist',
      null,
    ]);
    const folder = join(folderFor(), 'gone');
    expect((await failing(shell('true', '', { folder })))[1]).toContain(`its working folder ${folder} does not exist`);
    expect((await failing(open(['no\0program'])))[0]).toBe('unavailable');
  });

  it('does not exit, with or without an answer, and no process remains', async () => {
    const folder = folderFor();
    const stays = 'trap "" TERM; echo $$ >pid; sleep 60 & echo $! >>pid; wait; wait';
    const engineer = shell(`echo "$0"; ${stays}`, usual, { folder, timeoutMs: 1000, graceMs: 50 });
    expect(await failing(engineer)).toEqual([
      'timeout',
      expect.stringContaining('had not ended after 1 s and was stopped'),
      { text: JSON.stringify(usual) },
    ]);
    const pids = readFileSync(join(folder, 'pid'), 'utf8').trim().split('\n').map(Number);
    expect(pids.map(isRunning)).toEqual([false, false]);
  });
});

describe('a program whose answer is no longer needed', () => {
  const stuck = (folder: string): Engineer => shell('echo $$ >pid; exec sleep 60', usual, { folder });
  const begun = (folder: string): Promise<number> =>
    vi.waitFor(() => {
      const pid = Number(readFileSync(join(folder, 'pid'), 'utf8'));
      expect(pid).toBeGreaterThan(0);
      return pid;
    });

  it('is stopped, and the reason is thrown', async () => {
    const folder = folderFor();
    const stop = new AbortController();
    const answer = stuck(folder).propose(askedOf({ signal: stop.signal }));
    answer.catch(() => {});
    const pid = await begun(folder);
    stop.abort(new Error('enough'));
    await expect(answer).rejects.toThrow('enough');
    expect(isRunning(pid)).toBe(false);
    await expect(stuck(folder).propose(askedOf({ signal: stop.signal }))).rejects.toThrow('enough');
  });

  it('is stopped when the engineer is closed', async () => {
    const folder = folderFor();
    const engineer = stuck(folder);
    const answer = engineer.propose(askedOf());
    answer.catch(() => {});
    const pid = await begun(folder);
    await engineer.close();
    expect(isRunning(pid)).toBe(false);
    await expect(answer).rejects.toThrow(EngineerClosed);
    await expect(engineer.propose(askedOf())).rejects.toThrow(EngineerClosed);
  });
});
