import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sha256 } from '../../ledger/identity/ids.ts';
import { ndjson, rollouts, type Sent, sentRollout } from '../testing/events.ts';
import { icecore, inFolder, json, lines, type Ran, temporaryFolder } from '../testing/harness.ts';
import { faultsAgainst } from '../testing/published.ts';

const long = 'long '.repeat(10_000);

function answered(index: number, completion: string, prompt = 'Go.'): Sent {
  return sentRollout(index, { prompt: { text: prompt }, completion: { text: completion } });
}

function append(cwd: string, events: readonly Sent[], ...argv: string[]): Promise<Ran> {
  return icecore(['event', 'append', ...argv], { cwd, stdin: ndjson(events) });
}

async function dataOf(cwd: string): Promise<unknown[]> {
  const { stdout } = await inFolder(cwd)('event', 'tail', '-n', '1000', '--json');
  return lines(stdout).map((line) => (JSON.parse(line) as { data: unknown }).data);
}

function store(cwd: string): string {
  return join(cwd, '.icecore', 'ledger.blobs');
}

const named = { blob: sha256(long), bytes: long.length };

describe('icecore event append with long texts', () => {
  it('stores texts over 32 KiB as blobs and shorter ones in their events by default', async () => {
    const cwd = temporaryFolder();
    expect((await append(cwd, [answered(0, long)])).stdout).toMatch(/^appended 1 event to 1 stream; 1 blob written; /);
    expect(await dataOf(cwd)).toMatchObject([{ prompt: { text: 'Go.' }, completion: named }]);
  });

  it('stores every text as a blob with --texts blobs, and none with --texts inline', async () => {
    const [blobs, inline] = [temporaryFolder(), temporaryFolder()];
    const events = [answered(0, long), answered(1, long)];
    expect(json(await append(blobs, events, '--texts', 'blobs', '--json'))).toMatchObject({ appended: 2, blobs: 2 });
    expect(await dataOf(blobs)).toMatchObject([{ prompt: { blob: sha256('Go.'), bytes: 3 }, completion: named }, {}]);
    expect(json(await append(inline, events, '--texts', 'inline', '--json'))).toMatchObject({ appended: 2, blobs: 0 });
    expect(await dataOf(inline)).toMatchObject([{ prompt: { text: 'Go.' }, completion: { text: long } }, {}]);
  });

  it('appends nothing when the same input comes again with the same --texts', async () => {
    for (const options of [[], ['--texts', 'blobs'], ['--texts', 'inline']]) {
      const cwd = temporaryFolder();
      const events = [answered(0, long), answered(1, 'short')];
      await append(cwd, events, ...options);
      const again = json(await append(cwd, events, ...options, '--json'));
      expect(again).toMatchObject({ appended: 0, existed: 2, blobs: 0, erased: 0 });
      expect(faultsAgainst('event-append', again)).toEqual([]);
    }
  });

  it('reports a conflict if another --texts changes an event, with advice', async () => {
    const cwd = temporaryFolder();
    await append(cwd, [answered(0, long)], '--texts', 'inline');
    const ran = await append(cwd, [answered(0, long)]);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('which differs in data.completion');
    expect(ran.stderr).toContain('keep texts where they were kept before');
  });

  it('accepts a text longer than the limit of an event as a blob; with --texts inline it is an error', async () => {
    const cwd = temporaryFolder();
    const events = [answered(0, '冰'.repeat(1_500_000))];
    expect(await append(cwd, events)).toMatchObject({ code: 0 });
    const inline = await append(cwd, events, '--texts', 'inline');
    expect(inline.stderr).toContain('allowed: at most');
    const near = await append(cwd, [answered(1, 'x'.repeat(1_100_000))], '--texts', 'inline');
    expect(near.stderr).toMatch(/found 11\d+ bytes, allowed: at most 1000000 bytes;.*\n {2}Keep its texts as blobs/);
  });

  it('creates no blob store if there is nothing to store or the append is refused', async () => {
    const cwd = temporaryFolder();
    await append(cwd, rollouts(3), '--texts', 'blobs');
    expect(existsSync(store(cwd))).toBe(false);
    const refused = temporaryFolder();
    const bad = { ...answered(0, long), actor: 'nobody' } as Sent;
    const stream = String(answered(0, '').stream);
    expect((await append(refused, [bad])).code).toBe(1);
    expect((await append(refused, [answered(0, long)], '--stream', stream, '--expect', '5')).code).toBe(1);
    expect(readdirSync(refused)).toEqual([]);
  });

  it('stores blobs in the folder that ICECORE_BLOBS names', async () => {
    const cwd = temporaryFolder();
    const surroundings = { cwd, stdin: ndjson([answered(0, long)]), env: { ICECORE_BLOBS: 'folder:texts' } };
    expect(await icecore(['event', 'append'], surroundings)).toMatchObject({ code: 0 });
    expect(existsSync(join(cwd, 'texts', named.blob.slice(0, 2)))).toBe(true);
    expect(existsSync(store(cwd))).toBe(false);
  });

  it('writes no blobs in a dry run, and measures events without their blobs', async () => {
    const cwd = temporaryFolder();
    const events = [answered(0, 'x'.repeat(1_100_000))];
    const ran = await append(cwd, events, '--dry-run', '--json');
    expect(json(ran)).toMatchObject({ valid: 1, appended: 0, blobs: 0 });
    expect((await append(cwd, events, '--dry-run', '--texts', 'inline')).code).toBe(1);
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('refuses another value of --texts', async () => {
    const ran = await append(temporaryFolder(), [], '--texts', 'blob');
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain('--texts: found "blob", allowed: blobs, inline');
  });
});

describe('an event that names a blob', () => {
  it('is refused until icecore blob put has stored the blob, in a dry run too', async () => {
    const cwd = temporaryFolder();
    const event = sentRollout(0, { completion: { blob: sha256('hello'), bytes: 5 } });
    for (const options of [[], ['--dry-run']]) {
      const ran = await append(cwd, [event], ...options);
      expect(ran.code).toBe(1);
      expect(ran.stderr).toContain(`line 1: data.completion: found ${sha256('hello')}, which is not in folder:`);
      expect(ran.stderr).toContain('icecore blob put FILE');
    }
    expect(readdirSync(cwd)).toEqual([]);
    expect(await icecore(['blob', 'put', '-'], { cwd, stdin: 'hello' })).toMatchObject({ code: 0 });
    for (const options of [['--dry-run'], []]) expect((await append(cwd, [event], ...options)).code).toBe(0);
  });

  it('can be sent again after the blob was erased', async () => {
    const cwd = temporaryFolder();
    await append(cwd, [answered(0, 'secret')], '--texts', 'blobs');
    const sentAgain = (await inFolder(cwd)('event', 'tail', '--json')).stdout;
    await inFolder(cwd)('event', 'redact', String(answered(0, '').id), '--reason', 'a name');
    const again = async (...argv: string[]): Promise<Ran> =>
      icecore(['event', 'append', ...argv], { cwd, stdin: sentAgain });
    expect(json(await again('--json'))).toMatchObject({ appended: 0, existed: 1 });
    expect((await again('--dry-run')).code).toBe(0);
  });
});
