import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { unprivileged } from '../ledger/sqlite/testing/unprivileged.ts';
import { sqliteCheck } from './doctor.ts';
import { ndjson, rollouts } from './testing/events.ts';
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

describe('icecore doctor', () => {
  it('works where nothing is set up yet, and makes nothing', async () => {
    const cwd = temporaryFolder();
    const ran = await inFolder(cwd)('doctor');
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toMatch(/^ok +icecore +\d/m);
    expect(ran.stdout).toMatch(/^ok +node +\d/m);
    expect(ran.stdout).toMatch(/^ok +sqlite +\d/m);
    expect(ran.stdout).toMatch(/^warning +ledger +none .*Make one with `icecore init`\.$/m);
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('says where the ledger is, who named it, and how it is', async () => {
    const cwd = temporaryFolder();
    await icecore(['append'], { cwd, stdin: ndjson(rollouts(3)) });
    const ran = await icecore(['doctor'], { cwd, env: { ICECORE_LEDGER: 'sqlite:.icecore/ledger.db' } });
    expect(ran.code).toBe(0);
    expect(ran.stdout).toMatch(/^ok +ledger URL +sqlite:\/.*ledger\.db \(named by ICECORE_LEDGER\)$/m);
    expect(ran.stdout).toMatch(/^ok +ledger +\/.*, 3 events$/m);
  });

  it('tells programs in an envelope', async () => {
    const ran = await inFolder(temporaryFolder())('doctor', '--json');
    expect(faultsAgainst('doctor', json(ran))).toEqual([]);
    expect(json(ran)).toMatchObject({
      status: 'warning',
      truncated: false,
      total: (json(ran)['rows'] as Row[]).length,
    });
  });

  it('fails on a file that is no ledger, and still looks at the rest', async () => {
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
  ])('says of SQLite %s: %s', (version, status) => {
    expect(sqliteCheck(version)).toMatchObject({ name: 'sqlite', status });
  });

  it('fails on a URL that is none', async () => {
    const ran = await inFolder(temporaryFolder())('doctor', '--ledger', 'ledger.db', '--json');
    expect(ran.code).toBe(1);
    expect(check(ran, 'ledger URL')).toMatchObject({
      status: 'failed',
      remedy: expect.stringContaining('sqlite:PATH'),
    });
  });

  it('fails on a home that cannot be written', () => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, '.icecore'));
    chmodSync(join(cwd, '.icecore'), 0o500);
    const [command, ...args] = unprivileged([process.execPath, bin, 'doctor', '--json']);
    const { stdout, stderr, status } = spawnSync(command, args, { cwd, encoding: 'utf8' });
    expect(check({ code: status ?? -1, stdout, stderr }, 'home')).toMatchObject({ status: 'failed' });
  });
});
