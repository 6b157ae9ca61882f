// Bundles whose list of members is meant to exhaust memory or disk.
import { readdirSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { sha256 } from '../../../ledger/identity/ids.ts';
import { listName, manifestName, manifestText } from './manifest.ts';
import { endOfTar, headerOf, paddingAfter } from './tar.ts';
import { type Opened, sealedAnew, takenApart } from './testing/forging.ts';
import { bundleOfRun, emptyPlace, open, refusal } from './testing/place.ts';

let parts: Opened;
beforeAll(async () => {
  parts = await takenApart(await bundleOfRun());
});

/** A bundle with this list and the count that its manifest states. */
async function withList(list: Buffer, count: number): Promise<Buffer> {
  const { digest: _, ...manifest } = parts.manifest;
  const members = { ...manifest.members, count, listBytes: list.length, sha256: sha256(list) };
  const all = [
    { name: manifestName, bytes: Buffer.from(manifestText({ ...manifest, members })) },
    { name: listName, bytes: list },
  ];
  const tar = all.flatMap(({ name, bytes }) => [
    headerOf(name, bytes.length),
    bytes,
    Buffer.alloc(paddingAfter(bytes.length)),
  ]);
  return await sealedAnew(Buffer.concat([...tar, endOfTar]));
}

describe('a list of members', () => {
  const size = 4 * 1024 * 1024;

  it.each([
    ['without line ends', Buffer.alloc(size, ' '), size, /it has a line of more than the 256 bytes/],
    ['with a long line after short ones', Buffer.from(`{}\n{}\n${'x'.repeat(300)}\n`), 9, /it has a line of more than/],
    ['far longer than its members need', Buffer.alloc(size, '\n'), 3, /too many to name 3 members/],
  ])('%s is refused, and the error names the list', async (_, list, count, why) => {
    const found = await refusal(await withList(list, count));
    expect(found).toMatch(/^BundleRefused: .*members\.ndjson/);
    expect(found).toMatch(why);
  });

  it('that is refused leaves no files', async () => {
    const place = await emptyPlace();
    const before = readdirSync(place.folder).sort();
    await expect(open(place, await withList(Buffer.alloc(size, ' '), size))).rejects.toThrow(/BundleRefused|a line of/);
    expect(readdirSync(place.folder).sort()).toEqual(before);
  });
});
