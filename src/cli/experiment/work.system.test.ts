// icecore worker as a user runs it: in a process of its own that knows only what the ledger and its blobs have of the run.
import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tinySettings } from '../../producers/run/testing/tiny.ts';
import { bare, bin, collected, inFolder, json, lines, type Ran, temporaryFolder } from '../testing/harness.ts';
import { faultsAgainst } from '../testing/published.ts';

const run = ['run', '--file', 'run.json', '--programs', '--name', 'wide', '--jobs', '1'];

/** A folder with a ledger and a run file in it. */
async function place(change: object = {}): Promise<string> {
  const cwd = temporaryFolder();
  const { name: _, ...settings } = tinySettings({ engineer: 'rules', shards: 3 });
  writeFileSync(join(cwd, 'run.json'), JSON.stringify({ ...settings, ...change }));
  await inFolder(cwd)('init');
  return cwd;
}

interface Worker {
  readonly ended: Promise<Ran>;
  /** Resolves when standard error has this text. */
  says(what: string): Promise<void>;
  stop(): void;
}

function worker(cwd: string, ...argv: readonly string[]): Worker {
  const child = spawn(process.execPath, [bin, 'worker', ...argv], { cwd, env: bare() });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  let more = Promise.withResolvers<void>();
  child.stderr.on('data', (chunk) => {
    said += String(chunk);
    more.resolve();
    more = Promise.withResolvers();
  });
  child.once('close', () => more.resolve());
  return {
    ended: collected(child),
    says: async (what) => {
      while (!said.includes(what) && child.exitCode === null && child.signalCode === null) await more.promise;
      expect(said).toContain(what);
    },
    stop: () => void child.kill('SIGINT'),
  };
}

describe('icecore worker', () => {
  it('waits for a run, does all its shards, and ends with it', async () => {
    const cwd = await place();
    const ic = inFolder(cwd);
    const only = worker(cwd, 'wide', '--wait', '--json', '--jobs', '1');
    await only.says('there is no run wide yet: waiting until it starts');
    const ran = await ic(...run, '--workers-only');
    expect(ran.stderr).toContain('its rollouts are left to workers: icecore worker wide');
    expect(ran.code).toBe(0);
    const done = await only.ended;
    expect(done.code).toBe(0);
    expect(faultsAgainst('worker', JSON.parse(done.stdout))).toEqual([]);
    expect(json(done)).toMatchObject({ name: 'wide', shards: 6, lost: 0 });
    expect(lines(done.stderr).filter((line) => line.includes(' is done, '))).toHaveLength(6);

    const verified = await ic('verify', 'wide', '--recompute');
    expect(verified.stdout).toContain(
      'sound: every event is as it was recorded, and recomputing gives the same results',
    );
    const attempts = await ic(
      'sql',
      'SELECT stage, shard, counts, sealed FROM attempts WHERE shard IS NOT NULL ORDER BY ALL',
      '--json',
    );
    expect(json(attempts)['rows']).toEqual(
      [1, 2].flatMap((stage) => [0, 1, 2].map((shard) => ({ stage, shard, counts: true, sealed: true }))),
    );
    const stages = await ic('sql', 'SELECT stage, shards FROM stages ORDER BY ALL', '--json');
    expect(json(stages)['rows']).toEqual([1, 2].map((stage) => ({ stage, shards: 3 })));
    expect((await ic('show', 'wide@1')).code).toBe(0);
    expect(existsSync(join(cwd, '.icecore', 'runs'))).toBe(true);
  }, 60_000);

  it('stopped by Ctrl-C, reports that completed shards are kept', async () => {
    const cwd = await place();
    const stopped = worker(cwd, 'wide', '--wait');
    await stopped.says('waiting until it starts');
    stopped.stop();
    const { code, stderr } = await stopped.ended;
    expect(code).toBe(130);
    expect(stderr).toContain('completed shards are kept');
  }, 30_000);
});
