// Redactions by an author without authority, and texts that several events name: no command hides or destroys anything
// because of them, or suggests that a user does.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { redacted, rollout, spoken, started, textNowhere } from '../../ledger/copy/testing/history.ts';
import { sha256 } from '../../ledger/identity/ids.ts';
import { ndjson } from '../testing/events.ts';
import { icecore, inFolder, json, type Ran, temporaryFolder } from '../testing/harness.ts';
import { faultsAgainst } from '../testing/published.ts';

const mine = 'evidence-mine-1-0-0';
const theirs = 'evidence-theirs-1-0-0';
const text = 'a text of my run';
const blob = sha256(text);
const named = spoken(mine, 0, textNowhere(text));

interface Place {
  readonly cwd: string;
  readonly ic: (...argv: readonly string[]) => Promise<Ran>;
  readonly append: (stream: string, ...events: readonly object[]) => Promise<void>;
  readonly put: (said: string, ...flags: readonly string[]) => Promise<Ran>;
  readonly hasBlob: (digest?: string) => Promise<boolean>;
}

/** A ledger with my run, whose rollout names a text, and that text. */
async function place(): Promise<Place> {
  const cwd = temporaryFolder();
  const ic = inFolder(cwd);
  const put = (said: string, ...flags: readonly string[]) =>
    icecore(['blob', 'put', '-', ...flags], { cwd, stdin: said });
  const append = async (stream: string, ...events: readonly object[]): Promise<void> => {
    const stdin = ndjson(events.map((event) => ({ ...event, stream })));
    expect(await icecore(['event', 'append'], { cwd, stdin })).toMatchObject({ code: 0 });
  };
  await ic('init');
  expect((await put(text)).code).toBe(0);
  await append('run-mine', started('mine', 'my run'));
  await append(mine, named, rollout(mine, 1));
  return { cwd, ic, append, put, hasBlob: async (digest = blob) => (await ic('blob', 'get', digest)).code === 0 };
}

interface Row {
  readonly kind: string;
  readonly where: string;
  readonly says: string;
}

async function verified({ ic }: Place): Promise<{ readonly code: number; readonly rows: readonly Row[] }> {
  const ran = await ic('verify', '--json');
  const report = JSON.parse(ran.stdout) as { readonly rows: readonly Row[] };
  expect(faultsAgainst('verify', report)).toEqual([]);
  return { code: ran.code, rows: report.rows.filter(({ kind }) => kind !== 'unsealed') };
}

const forgeries: readonly (readonly [string, string, object])[] = [
  ['in the notes of another run', 'notes-theirs', redacted('notes-theirs', 0, { event: named.id, stream: mine, blob })],
  ['of a missing event', 'notes-mine', redacted('notes-mine', 0, { event: rollout(mine, 7).id, stream: mine, blob })],
  [
    'of an event that does not name the text',
    'notes-mine',
    redacted('notes-mine', 0, { event: rollout(mine, 1).id, stream: mine, blob }),
  ],
  [
    'of a field that does not name the text',
    'notes-mine',
    redacted('notes-mine', 0, { event: named.id, stream: mine, blob, field: 'data.prompt' }),
  ],
  [
    'of an event in another stream',
    'notes-theirs',
    redacted('notes-theirs', 0, { event: named.id, stream: theirs, blob }),
  ],
];

describe.each(forgeries)('a forged redaction %s', (_, stream, forged) => {
  it('is reported by verify as ignored, without a suggestion to redact', async () => {
    const here = await place();
    await here.append(stream, forged);
    const { code, rows } = await verified(here);
    expect(code).toBe(0);
    expect(rows).toMatchObject([{ kind: 'redaction-ignored', where: `${stream}@0` }]);
    expect(rows[0]?.says).toMatch(/^a redaction without authority, which is ignored: /);
    expect(rows[0]?.says).not.toContain('icecore event redact');
  });

  it('does not hide the text, and neither put nor copy --erase applies it', async () => {
    const here = await place();
    await here.append(stream, forged);
    expect((await here.ic('event', 'show', `${mine}@0`)).stdout).toContain(`text: "${text}"`);
    expect(await here.put(text)).toMatchObject({ code: 0 });
    const copy = await here.ic('ledger', 'copy', 'sqlite:.icecore/ledger.db', 'sqlite:copy.db', '--erase', '--json');
    expect(json(copy)).toMatchObject({ blobs: 1, lost: 0, redacted: { erased: [], erasable: [], left: [] } });
    expect(faultsAgainst('ledger-copy', json(copy))).toEqual([]);
    expect(await here.hasBlob()).toBe(true);
  });

  it('does not excuse a missing text, which can be stored again', async () => {
    const here = await place();
    await here.append(stream, forged);
    rmSync(join(here.cwd, '.icecore/ledger.blobs', blob.slice(0, 2), `${blob.slice(2)}.zst`));
    expect((await verified(here)).rows).toMatchObject([{ kind: 'blob-missing', where: `${mine}@0` }, {}]);
    expect(await here.put(text)).toMatchObject({ code: 0, stderr: '' });
    expect((await verified(here)).code).toBe(0);
  });
});

describe('a text that two runs name', () => {
  const shared = spoken(theirs, 0, textNowhere(text));

  it('is not erased by a redaction in one run, which names the other event', async () => {
    const here = await place();
    await here.append(theirs, shared);
    const refused = await here.ic('event', 'redact', `${theirs}@0`, '--reason', 'a name');
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain(`is also named by ${mine}@0 (data.completion)`);
    expect(refused.stderr).toContain('Nothing was erased. With --everywhere');
    expect(await here.hasBlob()).toBe(true);
    expect((await here.ic('event', 'tail', '--type', 'Redacted')).stdout).toBe('');
  });

  it('is erased with --everywhere, which records a redaction in both runs', async () => {
    const here = await place();
    await here.append(theirs, shared);
    const ran = await here.ic('event', 'redact', `${theirs}@0`, '--reason', 'a name', '--everywhere', '--json');
    expect(json(ran)).toMatchObject({
      rows: [
        { place: `${theirs}@0`, by: 'notes-theirs@0', wasThere: true },
        { place: `${mine}@0`, by: 'notes-mine@0', wasThere: true },
      ],
    });
    expect(await here.hasBlob()).toBe(false);
    expect((await verified(here)).rows.map(({ kind }) => kind)).toEqual(['redacted', 'redacted']);
  });

  it('stays readable if only one of the runs redacts it', async () => {
    const here = await place();
    await here.append(theirs, shared);
    await here.append('notes-theirs', redacted('notes-theirs', 0, { event: shared.id, stream: theirs, blob }));
    expect((await verified(here)).rows).toMatchObject([{ kind: 'redacted', where: `${theirs}@0` }]);
    expect((await here.ic('event', 'show', `${mine}@0`)).stdout).toContain(`text: "${text}"`);
    expect(await here.put(text)).toMatchObject({ code: 0 });
    expect(await here.hasBlob()).toBe(true);
  });

  it('is not erased if the other run names it as a task', async () => {
    const here = await place();
    const event = rollout(theirs, 0);
    await here.append(theirs, { ...event, data: { ...event.data, task: { blob: textNowhere(text) } } });
    const refused = await here.ic('event', 'redact', `${mine}@0`, '--reason', 'a name', '--everywhere');
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('and not as a text that can be redacted');
    expect(await here.hasBlob()).toBe(true);
  });
});

describe('a valid redaction whose text is still stored', () => {
  it('is reported by verify, and icecore event redact completes it', async () => {
    const here = await place();
    await here.append('notes-mine', redacted('notes-mine', 0, { event: named.id, stream: mine, blob }));
    const { code, rows } = await verified(here);
    expect(code).toBe(1);
    const [finding] = rows.filter(({ kind }) => kind === 'blob-not-erased');
    expect(finding?.says).toMatch(
      /^notes-mine@0 says that \S+ in \S+ was redacted, and its blob \S+ is still in the store$/,
    );
    expect(await here.ic('event', 'redact', `${mine}@0`, '--reason', 'see notes-mine@0')).toMatchObject({ code: 0 });
    expect(await here.hasBlob()).toBe(false);
    expect((await verified(here)).code).toBe(0);
  });

  it('is listed by ledger copy, which erases the text only with --erase', async () => {
    const here = await place();
    const copy = (...flags: string[]) =>
      here.ic('ledger', 'copy', 'sqlite:.icecore/ledger.db', 'sqlite:copy/ledger.db', ...flags);
    await copy();
    const files = () =>
      readdirSync(join(here.cwd, 'copy/ledger.blobs'), { recursive: true }).filter((name) => /zst$/.test(String(name)));
    await here.ic('event', 'redact', `${mine}@0`, '--reason', 'a name');
    const listed = await copy();
    expect(listed.stdout).toContain(`REDACTED  data.completion of ${named.id} in ${mine}, see notes-mine@0`);
    expect(listed.stderr).toContain('repeat the command with --erase');
    expect(files()).toHaveLength(1);
    expect((await copy('--erase')).stdout).toContain(`ERASED  data.completion of ${named.id} in ${mine}`);
    expect(files()).toHaveLength(0);
  });
});

describe('icecore import bundle', () => {
  it('lists ignored redactions and texts that it left, and claims no proof', async () => {
    const [here, stranger] = [await place(), temporaryFolder()];
    const there = inFolder(stranger);
    const send = async (stream: string, ...events: readonly object[]): Promise<void> => {
      const stdin = ndjson(events.map((event) => ({ ...event, stream })));
      expect(await icecore(['event', 'append'], { cwd: stranger, stdin })).toMatchObject({ code: 0 });
    };
    await icecore(['blob', 'put', '-'], { cwd: stranger, stdin: text });
    await send('run-theirs', started('theirs', 'a gift'));
    await send(theirs, spoken(theirs, 0, textNowhere(text)));
    const own = { event: spoken(theirs, 0, {}).id, stream: theirs, blob };
    await send('notes-theirs', redacted('notes-theirs', 0, own), redacted('notes-theirs', 1, { ...own, stream: mine }));
    expect(await there('export', 'bundle', 'theirs')).toMatchObject({ code: 0 });
    const file = join(stranger, readdirSync(stranger).find((name) => name.endsWith('.tar.zst')) ?? '');
    const ran = await here.ic('import', 'bundle', file, '--erase');
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.stdout).toContain('IGNORED: 1 redaction without authority');
    expect(ran.stdout).toContain(
      `LEFT  data.completion of ${own.event} in ${theirs}, see notes-theirs@0: ${mine}@0 names`,
    );
    expect(ran.stdout).not.toMatch(/proven/);
    expect(ran.stdout).toContain('some of the evidence has no seal');
    expect(await here.hasBlob()).toBe(true);
    const again = await here.ic('import', 'bundle', file, '--json');
    expect(faultsAgainst('import-bundle', json(again))).toEqual([]);
    expect(json(again)).toMatchObject({ ignored: 1, extended: [], redacted: { erased: [], left: [{ blob }] } });
  });

  it('rejects a folder, a device and a missing file, and creates nothing', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'icecore-no-bundle-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const cwd = temporaryFolder();
    for (const file of [folder, '/dev/null', join(folder, 'nothing')]) {
      expect(await inFolder(cwd)('import', 'bundle', file)).toMatchObject({
        stdout: '',
        code: expect.toSatisfy((code) => code !== 0),
      });
    }
    expect(readdirSync(cwd)).toEqual([]);
  });
});
