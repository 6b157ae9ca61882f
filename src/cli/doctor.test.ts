import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openBlobs } from '../ledger/blobs/open.ts';
import { openLedger } from '../ledger/open.ts';
import { unprivileged } from '../ledger/sqlite/testing/unprivileged.ts';
import { sqliteCheck } from '../library/doctor.ts';
import { ndjson, rollouts, sentRollout } from './testing/events.ts';
import { bin, icecore, inFolder, json, type Ran, temporaryFolder } from './testing/harness.ts';
import { faultsAgainst } from './testing/published.ts';

interface Row {
  readonly name: string;
  readonly status: string;
  readonly found: string;
  readonly remedy: string;
}

function check(ran: Ran, name: string): Row | undefined {
  return (json(ran)['rows'] as Row[]).find((row) => row.name === name);
}

/** Runs doctor as a user whom file permissions restrict. */
function asUser(cwd: string): Ran {
  const [command, ...args] = unprivileged([process.execPath, bin, 'doctor', '--json']);
  const { stdout, stderr, status } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  return { code: status ?? -1, stdout, stderr };
}

async function folderWith(events: number): Promise<string> {
  const cwd = temporaryFolder();
  await icecore(['event', 'append'], { cwd, stdin: ndjson(rollouts(events)) });
  return cwd;
}

/** Takes the right to write from the workspace there and all that is in it, until the test ends. */
function makeWorkspaceReadOnly(cwd: string): void {
  const workspace = join(cwd, '.icecore');
  for (const name of readdirSync(workspace)) chmodSync(join(workspace, name), 0o444);
  chmodSync(workspace, 0o555);
  onTestFinished(() => chmodSync(workspace, 0o755));
}

describe('icecore doctor', () => {
  it('prints the command that creates the ledger, as it must be typed', async () => {
    const cwd = temporaryFolder();
    const elsewhere = await inFolder(cwd)('doctor', '--json', '--ledger', 'sqlite:other.db');
    expect(check(elsewhere, 'ledger')?.remedy).toContain('icecore init --ledger sqlite:other.db');
    const typed = await icecore(['doctor'], { cwd, env: { PATH: '' } });
    // The file that is running is the test runner's here.
    expect(typed.stdout).toMatch(/`node \S+ init` creates one here; `node \S+ run` creates one and starts a run/);
  });

  it('warns that there is no ledger yet, and creates nothing', async () => {
    const cwd = temporaryFolder();
    const ran = await inFolder(cwd)('doctor');
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toMatch(/^ok +icecore +\d/m);
    expect(ran.stdout).toMatch(/^ok +node +\d/m);
    expect(ran.stdout).toMatch(/^ok +sqlite +\d/m);
    expect(ran.stdout).toMatch(
      /^warning +ledger +none .*`icecore init` creates one here; `icecore run` creates one and starts a run\. For runs in another folder/m,
    );
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('reports the URL of the ledger, what named it, and the number of events', async () => {
    const cwd = temporaryFolder();
    await icecore(['event', 'append'], { cwd, stdin: ndjson(rollouts(3)) });
    const ran = await icecore(['doctor'], { cwd, env: { ICECORE_LEDGER: 'sqlite:.icecore/ledger.db' } });
    expect(ran.code).toBe(0);
    expect(ran.stdout).toMatch(/^ok +ledger URL +sqlite:\/.*ledger\.db \(named by ICECORE_LEDGER\)$/m);
    expect(ran.stdout).toMatch(/^ok +ledger +\/.*, 3 events$/m);
  });

  it('prints its checks as JSON with --json', async () => {
    const ran = await inFolder(temporaryFolder())('doctor', '--json');
    expect(faultsAgainst('doctor', json(ran))).toEqual([]);
    expect(json(ran)).toMatchObject({
      status: 'warning',
      truncated: false,
      total: (json(ran)['rows'] as Row[]).length,
    });
  });

  it('fails on a file that is not a ledger, and runs the other checks', async () => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, '.icecore'));
    writeFileSync(
      join(cwd, '.icecore', 'ledger.db'),
      'no database, but a text as long as the header of one. '.repeat(50),
    );
    const ran = await inFolder(cwd)('doctor', '--json');
    expect(ran.code).toBe(1);
    expect(json(ran)['status']).toBe('failed');
    expect(check(ran, 'ledger')).toMatchObject({ status: 'failed', remedy: expect.stringMatching(/./) });
    expect(check(ran, 'node')).toMatchObject({ status: 'ok' });
  });

  it.each([
    ['3.49.1', 'warning'],
    ['3.51.2', 'warning'],
    ['3.51.3', 'ok'],
    ['3.53.4', 'ok'],
    ['4.0.0', 'ok'],
  ])('reports SQLite %s as %s', (version, status) => {
    expect(sqliteCheck(version)).toMatchObject({ name: 'sqlite', status });
  });

  it('fails on an invalid URL', async () => {
    const ran = await inFolder(temporaryFolder())('doctor', '--ledger', 'ledger.db', '--json');
    expect(ran.code).toBe(1);
    expect(check(ran, 'ledger URL')).toMatchObject({
      status: 'failed',
      remedy: expect.stringContaining('sqlite:PATH'),
    });
  });

  it('fails on a server that cannot be reached, and checks the other store', async () => {
    const away = 'split:esdb://127.0.0.1:1/lab?tls=false&patience=1+sqlite:evidence.db';
    const ran = await inFolder(temporaryFolder())('doctor', '--ledger', away, '--json');
    expect(ran.code).toBe(1);
    expect(check(ran, 'decisions ledger')?.found).toMatch(/^esdb:.*127\.0\.0\.1:1.* cannot be reached/);
    expect(check(ran, 'evidence ledger')).toMatchObject({ status: 'warning' });
    for (const name of ['clock', 'tables']) expect(check(ran, name)).toBeUndefined();
  });

  it('reports the time, and that no event is later', async () => {
    const ran = await inFolder(await folderWith(1))('doctor', '--json');
    expect(check(ran, 'clock')).toMatchObject({ status: 'ok', found: expect.stringMatching(/^20.*Z, and no event/) });
  });

  it('fails on a workspace without write permission', () => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, '.icecore'));
    chmodSync(join(cwd, '.icecore'), 0o500);
    expect(check(asUser(cwd), 'workspace')).toMatchObject({ status: 'failed' });
  });

  it('fails on a ledger without write permission, even if its -shm file exists', async () => {
    const cwd = await folderWith(1);
    const elsewhere = await openLedger(`sqlite:${join(cwd, '.icecore', 'ledger.db')}`);
    onTestFinished(() => elsewhere.close());
    expect(readdirSync(join(cwd, '.icecore'))).toContain('ledger.db-shm');
    makeWorkspaceReadOnly(cwd);
    const ran = asUser(cwd);
    expect(ran.code).toBe(1);
    expect(check(ran, 'ledger')).toMatchObject({ status: 'ok' });
    expect(check(ran, 'writing')).toMatchObject({
      status: 'failed',
      found: expect.stringMatching(/^not possible: .*ledger\.db: the file or its folder cannot be written$/),
      remedy: expect.stringMatching(/^Check the owner and permissions of the file and its folder/),
    });
  });

  it('reports the log of a closed ledger as checkpointed', async () => {
    const cwd = await folderWith(1);
    makeWorkspaceReadOnly(cwd);
    const ran = asUser(cwd);
    expect(check(ran, 'journal')).toMatchObject({
      status: 'ok',
      found: expect.stringMatching(/^write-ahead log, checkpointed/),
    });
    expect(check(ran, 'writing')).toMatchObject({ status: 'failed', found: expect.stringMatching(/^not possible: /) });
  });

  it.each([
    [0, 'format 3, 0 events', 'there is no event yet'],
    [1, 'format 3, 1 event', 'the last event matches its digest'],
    [2, 'format 3, 2 events', 'the last 2 events match their digests'],
  ])('counts %i events in singular or plural', async (events, counted, hashed) => {
    const cwd = events === 0 ? temporaryFolder() : await folderWith(events);
    if (events === 0) await inFolder(cwd)('init');
    const ran = await inFolder(cwd)('doctor', '--json');
    expect(check(ran, 'ledger')?.found.endsWith(counted)).toBe(true);
    expect(check(ran, 'digests')?.found).toBe(hashed);
  });

  it('wraps the advice below its row on a narrow terminal', async () => {
    const cwd = temporaryFolder();
    const { stdout } = await icecore(['doctor'], { cwd, terminal: 60, env: { NO_COLOR: '1' } });
    expect(stdout).not.toContain('…');
    expect(stdout).toMatch(/^warning {2}ledger {6}none at\n( {21}\S.*\n)+ {21}.*ICECORE_LEDGER\.$/m);
  });

  it('reports missing blobs that the last events name', async () => {
    const cwd = temporaryFolder();
    const run = inFolder(cwd);
    const blobs = await openBlobs(`folder:${join(cwd, '.icecore', 'ledger.blobs')}`, { create: true });
    const [here, gone] = [await blobs.put('here'), await blobs.put('gone')];
    const events = [here, gone].map(({ digest, bytes }, i) => sentRollout(i, { completion: { blob: digest, bytes } }));
    await icecore(['event', 'append'], { cwd, stdin: ndjson(events) });
    expect(check(await run('doctor', '--json'), 'blobs named')).toMatchObject({ status: 'ok' });
    await blobs.erase(gone.digest);
    await blobs.close();
    const ran = await run('doctor', '--json');
    expect(check(ran, 'blobs named')).toMatchObject({
      status: 'failed',
      found: expect.stringMatching(/^1 of the 2 blobs that the last events name are not in .* data\.completion$/),
    });
    expect(faultsAgainst('doctor', json(ran))).toEqual([]);
    expect(ran.code).toBe(1);
  });
});
