import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sha256 } from '../../ledger/identity/ids.ts';
import { ndjson, sentRollout } from '../testing/events.ts';
import { icecore, inFolder, json, shell, steering, temporaryFolder } from '../testing/harness.ts';
import { faultsAgainst } from '../testing/published.ts';

describe('icecore blob put', () => {
  it('stores a file or standard input, and prints the JSON that names it in an event', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'file'), 'hello');
    const ran = await inFolder(cwd)('blob', 'put', 'file');
    expect(ran).toMatchObject({ code: 0, stderr: `created ${join(cwd, '.icecore')}\n` });
    const [first, second = ''] = ran.stdout.split('\n');
    expect(first).toBe(`${sha256('hello')}  5 bytes`);
    expect(second).toBe(`in an event: {"blob":"${sha256('hello')}","bytes":5}`);
    const again = json(await icecore(['blob', 'put', '-', '--json'], { cwd, stdin: 'hello' }));
    expect(again).toMatchObject({ blob: sha256('hello'), bytes: 5, erased: null });
    expect(faultsAgainst('blob-put', again)).toEqual([]);
  });

  it('does not store a redacted blob again, except with --restore', async () => {
    const cwd = temporaryFolder();
    const event = sentRollout(0, { completion: { text: 'secret' } });
    await icecore(['event', 'append', '--texts', 'blobs'], { cwd, stdin: ndjson([event]) });
    await inFolder(cwd)('event', 'redact', String(event.id), '--reason', 'a name');
    const put = { cwd, stdin: 'secret' };
    expect(await icecore(['blob', 'put', '-'], put)).toMatchObject({
      code: 1,
      stderr: 'it was redacted and not stored: see notes-c0ntractc0nt@0; --restore stores it anyway\n',
    });
    const stored = await icecore(['blob', 'put', '-', '--json'], put);
    expect(JSON.parse(stored.stdout)).toMatchObject({ erased: 'notes-c0ntractc0nt@0' });
    expect((await inFolder(cwd)('blob', 'get', sha256('secret'))).code).toBe(1);
    expect(readdirSync(join(cwd, '.icecore')).filter((name) => name.includes('unfinished'))).toEqual([]);
    expect(await icecore(['blob', 'put', '-', '--restore'], put)).toMatchObject({ code: 0, stderr: '' });
    expect((await inFolder(cwd)('blob', 'get', sha256('secret'))).stdout).toBe('secret');
  });

  it('creates nothing if the file is missing or a folder', async () => {
    const cwd = temporaryFolder();
    expect(await inFolder(cwd)('blob', 'put', 'nothing')).toMatchObject({ code: 1, stdout: '' });
    expect(await inFolder(cwd)('blob', 'put', '.')).toMatchObject({ code: 1, stdout: '' });
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('refuses FIFOs and devices at once', async () => {
    const cwd = temporaryFolder();
    spawnSync('mkfifo', [join(cwd, 'fifo')]);
    symlinkSync('/dev/zero', join(cwd, 'endless'));
    for (const [name, kind] of [
      ['fifo', 'a FIFO'],
      ['endless', 'a device'],
      ['/dev/zero', 'a device'],
    ] as const) {
      const ran = await inFolder(cwd)('blob', 'put', name);
      expect(ran).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(`found ${kind}, allowed:`) });
    }
    expect(existsSync(join(cwd, '.icecore'))).toBe(false);
  });

  it('refuses the ledger itself', async () => {
    const cwd = temporaryFolder();
    await inFolder(cwd)('init');
    const ran = await inFolder(cwd)('blob', 'put', join('.icecore', 'ledger.db'));
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining('is the ledger itself') });
  });
});

describe('icecore blob get', () => {
  it('writes the stored bytes unchanged', async () => {
    const cwd = temporaryFolder();
    const script = 'head -c 3000000 /dev/urandom > file; icecore blob put file > /dev/null && sha256sum < file';
    const digest = (await shell(script, cwd)).stdout.slice(0, 64);
    expect(await shell(`icecore blob get ${digest} | cmp - file`, cwd)).toMatchObject({ code: 0, stderr: '' });
  });

  it('reports a missing store, a missing blob and an invalid digest', async () => {
    const cwd = temporaryFolder();
    expect(await inFolder(cwd)('blob', 'get', sha256('x'))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('there is no blob store at folder:'),
    });
    await icecore(['blob', 'put', '-'], { cwd, stdin: 'hello' });
    expect((await inFolder(cwd)('blob', 'get', sha256('x'))).stderr).toContain(`has no blob ${sha256('x')}`);
    expect((await inFolder(cwd)('blob', 'get', '../../ledger.db')).stderr).toContain('is not the digest of a blob');
    expect(await inFolder(cwd)('blob', 'get', sha256('hello'), '--json')).toMatchObject({ code: 2 });
  });

  it('creates no workspace', async () => {
    const cwd = temporaryFolder();
    await inFolder(cwd)('blob', 'get', sha256('x'));
    expect(existsSync(join(cwd, '.icecore'))).toBe(false);
  });

  it('prints nothing of a damaged small blob', async () => {
    const cwd = temporaryFolder();
    await icecore(['blob', 'put', '-'], { cwd, stdin: 'hello' });
    const digest = sha256('hello');
    writeFileSync(join(cwd, '.icecore', 'ledger.blobs', digest.slice(0, 2), `${digest.slice(2)}.zst`), 'rubbish');
    expect(await inFolder(cwd)('blob', 'get', digest)).toMatchObject({ code: 1, stdout: '' });
  });

  it('escapes control characters on a terminal', async () => {
    const cwd = temporaryFolder();
    const text = 'a\u001b[2J冰\u009b31m\nb';
    await icecore(['blob', 'put', '-'], { cwd, stdin: text });
    const shown = await icecore(['blob', 'get', createHash('sha256').update(text).digest('hex')], {
      cwd,
      terminal: 80,
    });
    expect(steering(shown.stdout)).toEqual([]);
    expect(shown.stdout).toBe('a\\x1b[2J冰\\x9b31m\nb');
  });
});

describe('icecore blob', () => {
  it.each([[['blob', 'put']], [['blob', 'erase', 'x']], [['blob', 'get', 'x', 'y']]])(
    '%j is a usage error',
    async (argv) => {
      expect(await inFolder(temporaryFolder())(...argv)).toMatchObject({ code: 2, stdout: '' });
    },
  );
});
