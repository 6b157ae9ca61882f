import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { unprivileged } from '../sqlite/testing/unprivileged.ts';
import { type Blobs, keyOf } from './blobs.ts';
import { digestsIn } from './contract/samples.ts';
import { openBlobs } from './open.ts';

let folder = '';
let store = '';
let url = '';
let blobs: Blobs;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'icecore-faults-'));
  store = join(folder, 'store');
  url = `folder:${store}`;
  blobs = await openBlobs(url, { create: true });
});

afterEach(() => {
  for (const place of [store, join(store, 'incoming')]) if (existsSync(place)) chmodSync(place, 0o755);
  rmSync(folder, { recursive: true, force: true });
});

const saying = (what: RegExp) => ({ name: 'StorageFailed', kind: 'storage', message: expect.stringMatching(what) });

describe('opening a folder', () => {
  it.each(['', '/deep/er'])('creates it on request, and finds it again (%s)', async (below) => {
    const made = `folder:${join(folder, `new${below}`)}`;
    await expect(openBlobs(made)).rejects.toMatchObject({ name: 'BlobStoreMissing', kind: 'not-found' });
    await openBlobs(made, { create: true });
    await openBlobs(made, { create: true });
    expect((await openBlobs(made)).url).toBe(made);
  });

  it('does not create it for reading', async () => {
    const place = join(folder, 'none');
    const opening = openBlobs(`folder:${place}`, { create: true, readOnly: true });
    await expect(opening).rejects.toMatchObject({ name: 'BlobStoreMissing' });
    expect(existsSync(place)).toBe(false);
  });

  it('does not take a folder without a marker for an empty store, since its disk may not be mounted', async () => {
    const mountPoint = join(folder, 'mnt');
    mkdirSync(mountPoint);
    await expect(openBlobs(`folder:${mountPoint}`)).rejects.toMatchObject({
      name: 'BlobStoreMissing',
      message: expect.stringMatching(/has no icecore-blobs\.json/),
      remedy: expect.stringMatching(/mounted/),
    });
  });

  it('reports a file in its place', async () => {
    const file = join(folder, 'file');
    writeFileSync(file, 'not a folder');
    await expect(openBlobs(`folder:${file}`)).rejects.toMatchObject({ message: expect.stringMatching(/not a folder/) });
    await expect(openBlobs(`folder:${file}`, { create: true })).rejects.toMatchObject(saying(/a file is where/));
  });

  it('refuses a newer format', async () => {
    writeFileSync(join(store, 'icecore-blobs.json'), '{"format":2}');
    await expect(openBlobs(url)).rejects.toMatchObject({ name: 'NewerBlobStore', kind: 'newer-format' });
  });

  it.each(['', 'folder', 'folder:', 'folder:a\0b', 'ftp:x', '/tmp/x', ':'])('refuses the URL %j', async (bad) => {
    await expect(openBlobs(bad, { create: true })).rejects.toMatchObject({ name: 'BadBlobUrl', kind: 'usage' });
  });
});

describe('a folder that was emptied while the store is open', () => {
  it('is distinguished from one with a missing blob, and nothing is put into it', async () => {
    const { digest } = await blobs.put('here');
    renameSync(store, join(folder, 'elsewhere'));
    mkdirSync(join(store, 'incoming'), { recursive: true });
    const gone = saying(/was emptied or its disk is gone/);
    await expect(blobs.get(digest)).rejects.toMatchObject(gone);
    await expect(blobs.has(digest)).rejects.toMatchObject(gone);
    await expect(blobs.erase(digest)).rejects.toMatchObject(gone);
    await expect(digestsIn(blobs)).rejects.toMatchObject(gone);
    await expect(blobs.put('somewhere else')).rejects.toMatchObject(gone);
    await expect(blobs.put('here')).rejects.toMatchObject(saying(/it has disappeared/));
    expect(readdirSync(store)).toEqual(['incoming']);
    expect(readdirSync(join(store, 'incoming'))).toEqual([]);
  });

  it('is reported when the folder is gone', async () => {
    rmSync(store, { recursive: true });
    await expect(blobs.put('x')).rejects.toMatchObject(saying(/it has disappeared/));
    await expect(digestsIn(blobs)).rejects.toMatchObject(saying(/it has disappeared/));
  });
});

describe('another object in the place of a blob', () => {
  it('counts as damage if it is a folder, and is not overwritten', async () => {
    const { digest } = await blobs.put('here');
    const path = join(store, keyOf(digest));
    rmSync(path);
    mkdirSync(path);
    const damaged = { name: 'BlobDamaged', message: expect.stringMatching(/is a folder, not a regular file/) };
    await expect(blobs.get(digest)).rejects.toMatchObject(damaged);
    expect(await digestsIn(blobs)).toEqual([]);
    await expect(blobs.put('here')).rejects.toMatchObject(saying(/a folder is where a file must be/));
    await expect(blobs.erase(digest)).rejects.toMatchObject({ name: 'StorageFailed' });
  });

  it('is reported in the place of its folder too', async () => {
    const { digest } = await blobs.put('here');
    const shard = dirname(join(store, keyOf(digest)));
    rmSync(shard, { recursive: true });
    writeFileSync(shard, '');
    await expect(blobs.get(digest)).rejects.toMatchObject(saying(/a file is where a folder must be/));
    await expect(blobs.put('here')).rejects.toMatchObject(saying(/a file is where a folder must be/));
  });

  it('is left alone and not listed if its name is not that of a blob', async () => {
    const { digest } = await blobs.put('here');
    for (const name of ['README', `${keyOf(digest)}.bak`, `${keyOf(digest).slice(0, 2)}/notes.zst`])
      writeFileSync(join(store, name), 'of somebody else');
    mkdirSync(join(store, '.git'));
    expect(await digestsIn(blobs)).toEqual([digest]);
    expect((await blobs.check()).filter(({ status }) => status === 'failed')).toEqual([]);
  });
});

describe('the remains of a killed writer', () => {
  it('are never listed, and are removed when older than a day', async () => {
    const [old, young, foreign] = ['icecore-1-a.part', 'icecore-2-b.part', 'mine.txt'].map((name) => {
      const path = join(store, 'incoming', name);
      writeFileSync(path, 'half a blob');
      return path;
    }) as [string, string, string];
    const dayBefore = Date.now() / 1000 - 25 * 60 * 60;
    for (const path of [old, foreign]) utimesSync(path, dayBefore, dayBefore);
    expect(await digestsIn(await openBlobs(url, { readOnly: true }))).toEqual([]);
    expect(existsSync(old)).toBe(true);
    expect(await digestsIn(await openBlobs(url))).toEqual([]);
    expect([old, young, foreign].map((path) => existsSync(path))).toEqual([false, true, true]);
  });
});

describe('permissions that forbid', () => {
  it('writing still lets blobs be read, and refuses to put and erase', async () => {
    const { digest } = await blobs.put('here');
    const shard = dirname(join(store, keyOf(digest)));
    for (const place of [join(store, 'incoming'), shard, store]) chmodSync(place, 0o555);
    const found = tryAsUser(`
      const text = Buffer.from(await blobs.get('${digest}')).toString();
      const put = await blobs.put('new').catch(facts);
      const erased = await blobs.erase('${digest}').catch(facts);
      const checks = (await blobs.check()).filter(({ status }) => status === 'failed').map(({ name }) => name);
      return { text, put, erased, checks };`);
    chmodSync(shard, 0o755);
    const denied = saying(/permission denied/);
    expect(found).toMatchObject({ text: 'here', put: denied, erased: denied, checks: ['writing'] });
  });

  it('reading a folder are not reported as missing blobs', async () => {
    chmodSync(store, 0o000);
    expect(tryAsUser('return null')).toMatchObject(saying(/permission denied/));
  });

  it('reading a blob are not reported as a missing or damaged blob', async () => {
    const { digest } = await blobs.put('here');
    chmodSync(join(store, keyOf(digest)), 0o000);
    expect(tryAsUser(`return blobs.get('${digest}')`)).toMatchObject(saying(/permission denied/));
  });
});

function tryAsUser(code: string): unknown {
  const program = `
    const facts = ({ name, kind, message }) => ({ name, kind, message });
    const { openBlobs } = await import(${JSON.stringify(new URL('./open.ts', import.meta.url).href)});
    const tried = openBlobs(${JSON.stringify(url)}).then(async (blobs) => { ${code} });
    console.log(JSON.stringify(await tried.catch(facts)));`;
  const [command, ...args] = unprivileged([process.execPath, '--input-type=module', '-e', program]);
  const child = spawnSync(command, args, { encoding: 'utf8' });
  if (child.stdout === '') throw new Error(child.stderr);
  return JSON.parse(child.stdout);
}

/** A small private disk needs a mount namespace, which not every machine allows. */
const mountSmallDisk = 'mount -t tmpfs -o "$1" tmpfs "$2" && shift 2 && exec "$@"';

function onDisk(options: string, command: readonly string[]) {
  return spawnSync('unshare', ['-rm', 'sh', '-c', mountSmallDisk, 'sh', options, folder, ...command], {
    encoding: 'utf8',
  });
}

const canMount = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', tmpdir()]).status === 0;
const fullDisk = fileURLToPath(new URL('./testing/full-disk.ts', import.meta.url));

describe('a full disk', () => {
  it.skipIf(!canMount).each([5_000, 400_000])(
    'refuses a blob of %i bytes completely, and accepts it later',
    (bytes) => {
      const { stdout, stderr } = onDisk('size=6m', [process.execPath, fullDisk, folder, String(bytes)]);
      expect(stderr).toBe('');
      const found = JSON.parse(stdout) as { stored: number };
      expect(found).toMatchObject({ ...saying(/the disk is full; this blob was not stored/), left: 0 });
      expect(found).toMatchObject({ whenFull: found.stored });
      expect(found.stored).toBeGreaterThan(3);
    },
  );
});
