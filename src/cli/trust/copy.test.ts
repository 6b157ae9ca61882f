import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { streamOf } from '../../../schemas/streams.ts';
import type { Sink } from '../../base/sink.ts';
import { rollout, spoken, started, textNowhere } from '../../ledger/copy/testing/history.ts';
import { sha256 } from '../../ledger/identity/ids.ts';
import { StepProgress } from '../../library/session.ts';
import { createContext } from '../context.ts';
import type { Io } from '../io.ts';
import { showingNotices } from '../notices.ts';
import { ndjson, sentNote } from '../testing/events.ts';
import { icecore, inFolder, json, type Ran, temporaryFolder } from '../testing/harness.ts';
import { faultsAgainst } from '../testing/published.ts';

interface Place {
  readonly cwd: string;
  readonly ic: (...argv: readonly string[]) => Promise<Ran>;
}

const original = 'sqlite:.icecore/ledger.db';

async function ledgerWith(events: readonly unknown[]): Promise<Place> {
  const cwd = temporaryFolder();
  expect((await icecore(['event', 'append'], { cwd, stdin: ndjson(events) })).code).toBe(0);
  return { cwd, ic: inFolder(cwd) };
}

const evidence = 'evidence-a-1-0-0';
const said = (index: number) => ({ ...rollout(evidence, index), stream: evidence });
const runStarted = (run: string, name: string) => ({ ...started(run, name), stream: streamOf.run(run) });

/** A ledger in which one event names a text, and that text in its blob store. */
async function ledgerWithBlob(text: string): Promise<Place & { blob: string }> {
  const completion = textNowhere(text);
  const place = await ledgerWith([said(0)]);
  const put = await icecore(['blob', 'put', '-', '--json'], { cwd: place.cwd, stdin: text });
  expect(put.code).toBe(0);
  const event = { ...spoken(evidence, 1, completion), stream: evidence };
  await icecore(['event', 'append'], { cwd: place.cwd, stdin: ndjson([event]) });
  return { ...place, blob: completion.blob };
}

const fileOf = (blob: string): string => join(blob.slice(0, 2), `${blob.slice(2)}.zst`);

describe('icecore ledger copy', () => {
  it('copies a ledger, reports that both are equal, and later copies only new events', async () => {
    const { cwd, ic } = await ledgerWith([sentNote(0), sentNote(1)]);
    const first = await ic('ledger', 'copy', original, 'sqlite:backup/ledger.db');
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.stdout).toMatch(/^copied 2 events; .*\nequal: sqlite:\S+ has the same 2 events, root [0-9a-f]{64}\n$/);
    await icecore(['event', 'append'], { cwd, stdin: ndjson([sentNote(2)]) });
    const second = await ic('ledger', 'copy', original, 'sqlite:backup/ledger.db');
    expect(second.stdout).toMatch(/^copied 1 event; 2 were there; /);
    expect(readdirSync(join(cwd, 'backup')).filter((name) => !name.startsWith('ledger.db'))).toEqual([]);
  });

  it('prints JSON that matches its schema', async () => {
    const { ic } = await ledgerWith([sentNote(0)]);
    const result = json(await ic('ledger', 'copy', original, 'sqlite:copy.db', '--json'));
    expect(faultsAgainst('ledger-copy', result)).toEqual([]);
    expect(result).toMatchObject({ run: null, parent: null, events: 1, copied: 1, lost: 0, streams: null });
    const head = json(await ic('ledger', 'head', '--ledger', 'sqlite:copy.db'));
    expect(head).toMatchObject({ root: result['root'], events: 1 });
  });

  it('copies the run named by a prefix of its name', async () => {
    const { ic } = await ledgerWith([runStarted('a', 'quiet-otter'), runStarted('b', 'loud-otter'), said(0)]);
    const result = json(await ic('ledger', 'copy', original, 'sqlite:run.db', '--run', 'quiet', '--json'));
    expect(faultsAgainst('ledger-copy', result)).toEqual([]);
    expect(result).toMatchObject({ run: 'a', events: 2, streams: 2, parent: null });
  });

  it('reports that the shared history of a fork is not copied, and suggests the command that copies it', async () => {
    const parent = { run: 'a', stage: 2, revision: 0, digest: sha256('any') };
    const fork = { ...started('b', 'fork', parent), stream: 'run-b' };
    const { ic } = await ledgerWith([runStarted('a', 'parent'), fork]);
    const ran = await ic('ledger', 'copy', original, 'sqlite:fork.db', '--run', 'fork');
    expect(ran.code).toBe(0);
    expect(ran.stdout).toContain('a fork: the history it shares, run a up to stage 2, is not in the copy\n');
    expect(ran.stderr).toMatch(/to copy it too: icecore ledger copy sqlite:\S+ledger\.db sqlite:\S+fork\.db --run a\n/);
    const result = json(await ic('ledger', 'copy', original, 'sqlite:fork.db', '--run', 'fork', '--json'));
    expect(faultsAgainst('ledger-copy', result)).toEqual([]);
    expect(result).toMatchObject({ parent: { run: 'a', stage: 2, isThere: false } });
  });

  it('prints when it is stopped that repeating the command resumes it, and resuming completes it', async () => {
    const { ic, cwd } = await ledgerWith([sentNote(0)]);
    const argv = ['ledger', 'copy', original, 'sqlite:copy.db'];
    const stopped = await icecore(argv, { cwd, signal: AbortSignal.abort('SIGINT') });
    expect(stopped.code).toBe(130);
    expect(stopped.stderr).toMatch(/^stopped; run the same again to continue: everything copied so far is kept\n/);
    expect((await ic(...argv)).code).toBe(0);
  });
});

describe('icecore ledger copy with errors', () => {
  it('refuses to copy a ledger onto itself, also through links', async () => {
    const { cwd, ic } = await ledgerWith([sentNote(0)]);
    symlinkSync(join(cwd, '.icecore'), join(cwd, 'link'));
    symlinkSync(join(cwd, '.icecore', 'ledger.db'), join(cwd, 'file.db'));
    const spellings = ['.icecore/ledger.db', '.icecore/../.icecore/ledger.db', 'link/ledger.db', 'file.db'];
    for (const spelling of spellings) {
      const refused = await ic('ledger', 'copy', original, `sqlite:${spelling}`);
      expect(refused).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('onto itself') });
    }
    expect(readdirSync(join(cwd, '.icecore')).filter((name) => name.endsWith('.blobs'))).toEqual([]);
  });

  it.each([
    ['a missing original', ['sqlite:nothing.db', 'sqlite:copy.db'], 1, 'there is no ledger at sqlite:'],
    ['a missing run', [original, 'sqlite:copy.db', '--run', 'nobody'], 1, 'there is no run "nobody"'],
    ['an ambiguous prefix of a name', [original, 'sqlite:copy.db', '--run', 'otter'], 2, 'may be 2 runs'],
    ['an invalid ledger URL', [original, 'copy.db'], 2, 'is not the URL of a ledger'],
    ['a missing blob store', [original, 'sqlite:copy.db', '--from-blobs', 'folder:none'], 1, 'no blob store at'],
  ])('rejects %s, and creates nothing', async (_, argv, code, text) => {
    const { cwd, ic } = await ledgerWith([runStarted('a', 'otter-1'), runStarted('b', 'otter-2')]);
    const ran = await ic('ledger', 'copy', ...argv);
    expect(ran).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(text) });
    expect(readdirSync(cwd)).toEqual(['.icecore']);
  });

  it('fails if the copy has diverged', async () => {
    const { cwd, ic } = await ledgerWith([sentNote(0)]);
    await ic('ledger', 'copy', original, 'sqlite:copy.db');
    await icecore(['event', 'append', '--ledger', 'sqlite:copy.db'], { cwd, stdin: ndjson([sentNote(7)]) });
    const ran = await ic('ledger', 'copy', original, 'sqlite:copy.db', '--json');
    expect(ran.code).toBe(1);
    expect(json(ran)).toMatchObject({
      error: { kind: 'conflict', message: expect.stringContaining('written to separately') },
    });
  });

  it('reports a blob missing in the original, copies the rest, and fails until the blob is restored', async () => {
    const { cwd, ic, blob } = await ledgerWithBlob('what was said');
    const [file, away] = [join(cwd, '.icecore/ledger.blobs', fileOf(blob)), join(cwd, 'away')];
    renameSync(file, away);
    const lost = await ic('ledger', 'copy', original, 'sqlite:copy.db');
    expect(lost).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(`LOST: blob ${blob} is missing or damaged`),
    });
    expect(lost.stdout).toMatch(/^copied 2 events; /);
    const result = json(await ic('ledger', 'copy', original, 'sqlite:copy.db', '--json'));
    expect(faultsAgainst('ledger-copy', result)).toEqual([]);
    expect(result).toMatchObject({ copied: 0, lost: 1, lostBlobs: [blob] });
    renameSync(away, file);
    expect(await ic('ledger', 'copy', original, 'sqlite:copy.db')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('; 1 blob; '),
    });
  });
});

describe('the blob stores of icecore ledger copy', () => {
  it('are next to each ledger by default', async () => {
    const { cwd, ic, blob } = await ledgerWithBlob('what was said');
    expect(await ic('ledger', 'copy', original, 'sqlite:backup/ledger.db')).toMatchObject({ code: 0 });
    expect(existsSync(join(cwd, 'backup/ledger.blobs', fileOf(blob)))).toBe(true);
  });

  it('are those of --from-blobs and --to-blobs', async () => {
    const { cwd, ic, blob } = await ledgerWithBlob('what was said');
    renameSync(join(cwd, '.icecore/ledger.blobs'), join(cwd, 'moved'));
    const named = ['--from-blobs', 'folder:moved', '--to-blobs', 'folder:elsewhere'];
    expect(await ic('ledger', 'copy', original, 'sqlite:copy.db', ...named)).toMatchObject({ code: 0 });
    expect(existsSync(join(cwd, 'elsewhere', fileOf(blob)))).toBe(true);
    expect(existsSync(join(cwd, 'copy.blobs'))).toBe(false);
  });

  it('include ICECORE_BLOBS for the ledger of the workspace, but not for its copy', async () => {
    const { cwd, blob } = await ledgerWithBlob('what was said');
    renameSync(join(cwd, '.icecore/ledger.blobs'), join(cwd, 'moved'));
    const ic = inFolder(cwd, { env: { ICECORE_BLOBS: 'folder:moved' } });
    expect(await ic('ledger', 'copy', original, 'sqlite:backup/ledger.db')).toMatchObject({ code: 0 });
    expect(existsSync(join(cwd, 'backup/ledger.blobs', fileOf(blob)))).toBe(true);
    rmSync(join(cwd, '.icecore'), { recursive: true });
    rmSync(join(cwd, 'moved'), { recursive: true });
    mkdirSync(join(cwd, '.icecore'));
    expect(await ic('ledger', 'copy', 'sqlite:backup/ledger.db', original)).toMatchObject({ code: 0 });
    expect(existsSync(join(cwd, 'moved', fileOf(blob)))).toBe(true);
  });
});

describe('the progress of a copy', () => {
  it('prints each step on a line that is then erased', async () => {
    let now = 0;
    const written: string[] = [];
    const sink: Sink = { isTTY: true, columns: 80, write: async (text) => void written.push(String(text)) };
    const io = { stdout: sink, stderr: sink, env: {}, cwd: '/', signal: new AbortController().signal } as unknown as Io;
    const { say, hint, session } = createContext(io, { json: false, quiet: false }, async () => 0);
    const notify = showingNotices({ io, flags: { quiet: false }, say, hint }, () => now);
    const subjects = { copying: 'events', proving: 'events proven' };
    const progress = new StepProgress({ ...session, notify }, subjects);
    const at = async (seconds: number, step: Parameters<typeof progress.update>[0]) => {
      now = seconds * 1000;
      await progress.update(step);
    };
    await at(0, { doing: 'copying', done: 0, of: 4000 });
    await at(1, { doing: 'copying', done: 1000, of: 4000 });
    await at(4, { doing: 'proving', done: 0, of: 4000 });
    await at(5, { doing: 'proving', done: 2000, of: 4000 });
    await progress.end();
    const back = '\r\u001b[K';
    expect(written).toEqual([
      '\r1,000 events, 1,000/s, 25 % of 4,000, about 3.0 s left\u001b[K',
      back,
      '\r2,000 events proven, 2,000/s, 50 % of 4,000, about 1.0 s left\u001b[K',
      back,
    ]);
  });
});
