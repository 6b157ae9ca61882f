import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type EventStore, startEventStore } from '../ledger/eventstore/testing/ledgers.ts';
import { parseLedgerUrl } from '../ledger/stores.ts';
import { variablesFor } from '../library/place/init.ts';
import { inFolder, json, type Ran, temporaryFolder } from './testing/harness.ts';
import { faultsAgainst } from './testing/published.ts';

let server: EventStore;
let ledgers = 0;
beforeAll(async () => {
  server = await startEventStore();
});
afterAll(() => server.stop());

/** A folder, with a place for decisions that nobody has used. */
function fresh(): { cwd: string; ic: (...argv: readonly string[]) => Promise<Ran>; decisions: string } {
  const cwd = temporaryFolder();
  ledgers += 1;
  return { cwd, ic: inFolder(cwd), decisions: server.url(`init_${process.pid}_${ledgers}`) };
}

const settingsIn = (cwd: string): unknown => JSON.parse(readFileSync(join(cwd, 'icecore.config.json'), 'utf8'));
const evidence = 'sqlite:evidence.db';

describe('icecore init --split', () => {
  it('creates the ledger in both stores, and records their URLs in the settings', async () => {
    const { cwd, ic, decisions } = fresh();
    const ran = await ic('init', '--split', decisions, evidence, '--json');
    const ledger = `split:${decisions}+sqlite:${join(cwd, 'evidence.db')}`;
    expect(json(ran)).toMatchObject({ ledger, createdLedger: true, blobs: null, environment: [] });
    expect(faultsAgainst('init', json(ran))).toEqual([]);
    expect(settingsIn(cwd)).toEqual({ ledger: { decisions, evidence } });
    expect(await ic('event', 'tail')).toMatchObject({ code: 0, stderr: 'no events yet\n' });
  });

  it('changes nothing the second time', async () => {
    const { ic, decisions } = fresh();
    const first = json(await ic('init', '--split', decisions, evidence, '--json'));
    const again = json(await ic('init', '--split', decisions, evidence, '--json'));
    expect(again).toEqual({ ...first, createdWorkspace: false, createdLedger: false, config: null });
  });

  it('preserves other settings, and refuses to change the ledger or the blobs', async () => {
    const { cwd, ic, decisions } = fresh();
    const models = { qwen: { url: 'http://localhost:8000/v1', model: 'Qwen/Qwen3-4B' } };
    writeFileSync(join(cwd, 'icecore.config.json'), JSON.stringify({ models }));
    await ic('init', '--split', decisions, evidence);
    const settled = { models, ledger: { decisions, evidence } };
    expect(settingsIn(cwd)).toEqual(settled);
    const elsewhere = await ic('init', '--split', decisions, 'sqlite:other.db');
    expect(elsewhere).toMatchObject({ code: 1, stderr: expect.stringContaining('already names the ledger split:') });
    expect(elsewhere.stderr).toContain(`{"ledger":{"decisions":"${decisions}","evidence":"sqlite:other.db"}}`);
    expect(await ic('init', '--blobs', 'folder:blobs')).toMatchObject({ code: 0 });
    expect(settingsIn(cwd)).toEqual({ ...settled, blobs: 'folder:blobs' });
    expect((await ic('init', '--blobs', 'folder:./blobs')).stdout).toContain(
      `blobs go to folder:${join(cwd, 'blobs')}`,
    );
    const others = await ic('init', '--blobs', 'folder:others');
    expect(others).toMatchObject({ code: 1, stderr: expect.stringContaining('already names the blobs folder:blobs') });
    expect(existsSync(join(cwd, 'other.db'))).toBe(false);
  });

  it('names the store that does not answer, writes no settings, and can be repeated', async () => {
    const { cwd, ic, decisions } = fresh();
    const nobody = 'kafka://127.0.0.1:1/lab?patience=1';
    const ran = await ic('init', '--split', decisions, nobody);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(
      /^icecore: the evidence of the ledger: kafka:\/\/127.0.0.1:1\/lab\S* cannot be reached/m,
    );
    expect(readdirSync(cwd)).toEqual(['.icecore']);
    expect(await ic('init', '--split', decisions, evidence)).toMatchObject({ code: 0 });
  });

  it('reports missing credentials of the blob store before anything is created', async () => {
    const { cwd, ic, decisions } = fresh();
    for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, undefined);
    onTestFinished(() => void vi.unstubAllEnvs());
    const ran = await ic('init', '--split', decisions, evidence, '--blobs', 's3://icecore/lab');
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining('AWS_ACCESS_KEY_ID') });
    expect(readdirSync(cwd)).toEqual([]);
  });

  it.each([
    [['--split', 'sqlite:a.db'], 'found one URL, allowed: two', 'icecore init --split'],
    [['--split', 'sqlite:a.db', 'sqlite:b.db', 'sqlite:c.db'], 'found 3 URLs, allowed: two', 'For example'],
    [['--split', '--ledger', 'sqlite:a.db'], 'found --ledger and --split, allowed: one', 'where the ledger is'],
    [
      ['--split', 'sqlite:a.db', 'sqlite:b.db', '--name', 'x'],
      '--name goes with --split alone',
      'already contains the name',
    ],
    [['--name', 'x'], '--name goes with --split alone', 'already contains the name'],
    [['--split', '--name', 'two words'], 'the prefix "two words"', 'letters, digits and underscores'],
    [['--split', 'esdb://ada:lovelace@h/lab', 'sqlite:b.db'], 'a password in the URL', 'ICECORE_EVENTSTORE_PASSWORD'],
    [['--ledger', 'esdb://ada:lovelace@h/lab'], 'a password in the URL of esdb://ada@h/lab', 'Leave it out'],
  ])('%j is a usage error', async (words, what, remedy) => {
    const { cwd, ic } = fresh();
    const ran = await ic('init', ...words);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain(what);
    expect(ran.stderr).toContain(remedy);
    expect(ran.stderr).not.toContain('lovelace');
    expect(readdirSync(cwd)).toEqual([]);
  });
});

describe('the environment variables of a ledger', () => {
  it.each([
    ['sqlite:a.db', null, []],
    ['esdb://h/lab?tls=false', 'folder:blobs', []],
    ['esdb://h/lab', null, ['ICECORE_EVENTSTORE_USER', 'ICECORE_EVENTSTORE_PASSWORD']],
    ['esdb://ada@h/lab', null, ['ICECORE_EVENTSTORE_PASSWORD']],
    ['split:sqlite:a.db+kafka://h/lab?login=plain&tls=true', null, ['ICECORE_KAFKA_USER', 'ICECORE_KAFKA_PASSWORD']],
    ['sqlite:a.db', 's3://bucket/lab', ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']],
  ])('for %s, with blobs %s, are %j', (url, blobs, names) => {
    expect(variablesFor(parseLedgerUrl(url), blobs)).toEqual(names);
  });
});
