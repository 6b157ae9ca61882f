import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { sha256 } from '../../ledger/identity/ids.ts';
import { evidenceStream, ndjson, notesStream, type Sent, sentNote, sentRollout } from '../testing/events.ts';
import { icecore, inFolder, json, lines, type Ran, temporaryFolder } from '../testing/harness.ts';
import { faultsAgainst } from '../testing/published.ts';

const first = `${evidenceStream}@0`;

function secret(index: number, text = `the name ${index} of somebody`): Sent {
  return sentRollout(index, { completion: { text } });
}

/** A folder with these events in it, and what runs there. */
async function ledgerWith(events: readonly Sent[], texts = 'blobs') {
  const cwd = temporaryFolder();
  expect(await icecore(['event', 'append', '--texts', texts], { cwd, stdin: ndjson(events) })).toMatchObject({
    code: 0,
  });
  return { cwd, run: inFolder(cwd) };
}

/** The files below a folder that hold a text, as it is or compressed. */
function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    if (!entry.isFile()) return [];
    const path = join(entry.parentPath, entry.name);
    const bytes = readFileSync(path);
    return [bytes, ...decompressed(bytes)].some((some) => some.includes(text)) ? [path] : [];
  });
}

function decompressed(bytes: Buffer): Buffer[] {
  try {
    return [zstdDecompressSync(bytes)];
  } catch {
    return [];
  }
}

async function verified(run: (...argv: string[]) => Promise<Ran>): Promise<{ code: number; kinds: string[] }> {
  const ran = await run('verify', '--json');
  const kinds = (json(ran)['rows'] as { kind: string }[]).map(({ kind }) => kind);
  return { code: ran.code, kinds: kinds.filter((kind) => kind !== 'unsealed') };
}

describe('icecore event redact', () => {
  it('erases the texts of an event, and prints where the redaction is recorded', async () => {
    const { run } = await ledgerWith([secret(0), secret(1)]);
    const ran = await run('event', 'redact', String(secret(0).id), '--reason', 'a name was in it');
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toBe(`erased  ${first} data.completion  recorded in ${notesStream}@0\n`);
    expect((await run('event', 'show', first)).stdout).toContain(`erased: see ${notesStream}@0`);
    expect(await verified(run)).toEqual({ code: 0, kinds: ['redacted'] });
  });

  it('removes the text from every file, and later appends do not store it again', async () => {
    const text = 'Ada Lovelace, 12 St James Square';
    const { cwd, run } = await ledgerWith([secret(0, text), secret(1)]);
    expect(filesWith(cwd, text)).toHaveLength(1);
    await run('event', 'redact', first, '--reason', 'a name was in it');
    expect(filesWith(cwd, text)).toEqual([]);
    await icecore(['event', 'append', '--texts', 'blobs'], { cwd, stdin: ndjson([secret(0, text), secret(2, text)]) });
    expect(filesWith(cwd, text)).toEqual([]);
  });

  it('keeps seals and proofs valid', async () => {
    const { cwd, run } = await ledgerWith([secret(0), secret(1)]);
    expect((await run('ledger', 'seal', 'c0ntractc0nt@2')).code).toBe(0);
    writeFileSync(join(cwd, 'head.json'), (await run('ledger', 'head')).stdout);
    const proof = await run('ledger', 'prove', first, '--head', 'head.json');
    await run('event', 'redact', first, '--reason', 'a name was in it');
    expect(await run('ledger', 'prove', first, '--head', 'head.json')).toEqual(proof);
    expect(await run('verify', '--head', 'head.json')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('sound: every event is as it was recorded'),
    });
  });

  it('reports a second redaction as already erased', async () => {
    const { run } = await ledgerWith([secret(0)]);
    await run('event', 'redact', first, '--reason', 'a name');
    const again = await run('event', 'redact', first, '--reason', 'a name');
    expect(again).toMatchObject({ code: 0, stdout: expect.stringMatching(/^was erased before {2}/) });
  });

  it('accepts several events, by id or by stream@revision', async () => {
    const { run } = await ledgerWith([secret(0), secret(1), secret(2)]);
    const id = String(secret(1).id).toUpperCase();
    const ran = await run('event', 'redact', first, id, `${evidenceStream}@2`, first, '--reason', 'names', '--json');
    expect(json(ran)).toMatchObject({ total: 3, remains: [], rows: [{ isNew: true }, { wasThere: true }, {}] });
    expect(faultsAgainst('event-redact', json(ran))).toEqual([]);
    const records = lines((await run('event', 'tail', '--type', 'Redacted', '--json')).stdout);
    expect(records).toHaveLength(1);
  });

  it('reports a text that is not in the blob store, and erases it later from the right one', async () => {
    const { cwd } = await ledgerWith([secret(0)]);
    const surroundings = { cwd, env: { ICECORE_BLOBS: 'folder:other' } };
    await icecore(['blob', 'put', '-'], { ...surroundings, stdin: 'x' });
    const ran = await icecore(['event', 'redact', first, '--reason', 'a name'], surroundings);
    expect(ran.stdout).toMatch(/^was not there /);
    expect(ran.stderr).toContain(`1 text was not in folder:${join(cwd, 'other')}`);
    expect(await verified(inFolder(cwd))).toMatchObject({
      code: 1,
      kinds: expect.arrayContaining(['blob-not-erased']),
    });
    expect((await inFolder(cwd)('event', 'redact', first, '--reason', 'a name')).stdout).toMatch(/^erased at last /);
    expect(await verified(inFolder(cwd))).toEqual({ code: 0, kinds: ['redacted'] });
  });

  it('erases an event with an inline text only with --partly, and prints what stays', async () => {
    const event = sentRollout(0, { prompt: { text: 'Go.' }, completion: { text: 'long '.repeat(10_000) } });
    const cwd = temporaryFolder();
    await icecore(['event', 'append'], { cwd, stdin: ndjson([event]) });
    const refused = await inFolder(cwd)('event', 'redact', first, '--reason', 'a name');
    expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('would stay (data.prompt)') });
    const ran = await inFolder(cwd)('event', 'redact', first, '--reason', 'a name', '--partly');
    expect(ran.code).toBe(0);
    expect(ran.stdout).toMatch(/^erased .*\nSTAYS {2}evidence-\S+@0 data\.prompt\n$/);
  });
});

describe('icecore event redact fails and erases nothing', () => {
  const note = sentNote(0);
  const decision = {
    id: '0d2f1c1e-8f0e-4a53-9a57-4c2f6f3f5a10',
    stream: 'run-c0ntractc0nt',
    type: 'ContextRecorded',
    actor: 'engineer/x',
    stage: 1,
    data: {
      contextForm: { modules: [] },
      digest: sha256('what it was shown'),
      text: { text: 'what it was shown' },
      history: [],
      evidenceIds: {},
      tokenizer: 'o200k',
      tokens: 4,
      budget: 100,
      truncated: [],
    },
  } as unknown as Sent;

  it.each<[string, string[], number, string]>([
    ['a decision', ['run-c0ntractc0nt@0'], 1, 'a ContextRecorded, cannot be redacted: decisions are permanent'],
    ['a note', [`${notesStream}@0`], 1, 'a RunAnnotated, cannot be redacted: it has no text in a blob'],
    ['an unknown id', ['ffff0000'], 1, 'there is no event whose id begins with ffff0000'],
    ['an ambiguous prefix of an id', [String(secret(0).id).slice(0, 8)], 1, 'matches 2 events'],
    ['an invalid id', ['xyz'], 2, '"xyz" names no event'],
    ['several events, one of which cannot be redacted', [first, `${notesStream}@0`], 1, 'cannot be redacted'],
  ])('for %s', async (_, references, code, said) => {
    const { cwd, run } = await ledgerWith([secret(0), secret(1), note, decision]);
    const blobs = join(cwd, '.icecore', 'ledger.blobs');
    const before = readdirSync(blobs, { recursive: true });
    const ran = await run('event', 'redact', ...references, '--reason', 'a name');
    expect(ran).toMatchObject({ code, stdout: '' });
    expect(ran.stderr).toContain(said);
    expect(ran.stderr).toContain('Nothing was erased. ');
    expect(readdirSync(blobs, { recursive: true })).toEqual(before);
    expect((await run('event', 'tail', '--type', 'Redacted')).stdout).toBe('');
  });

  it('for a text that is inline in the event', async () => {
    const { run } = await ledgerWith([secret(0)], 'inline');
    const ran = await run('event', 'redact', first, '--reason', 'a name');
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('its text is inline in the event (data.completion)');
    expect(ran.stderr).toContain('icecore event append --texts blobs');
  });

  it.each([[['--reason', '']], [['--reason', '  ']], [[]], [['--reason', 'x', '--actor', 'me']]])(
    'for the options %j',
    async (options) => {
      const { run } = await ledgerWith([secret(0)]);
      expect(await run('event', 'redact', first, ...options)).toMatchObject({ code: 2, stdout: '' });
      expect(await verified(run)).toEqual({ code: 0, kinds: [] });
    },
  );

  it('and records nothing without a blob store', async () => {
    const { cwd, run } = await ledgerWith([secret(0)]);
    mkdirSync(join(cwd, 'empty'));
    const ran = await icecore(['event', 'redact', first, '--reason', 'x'], {
      cwd,
      env: { ICECORE_BLOBS: 'folder:empty' },
    });
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('there is no blob store at') });
    expect((await run('event', 'tail', '--type', 'Redacted')).stdout).toBe('');
  });
});
