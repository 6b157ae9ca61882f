// Bundles as somebody would make them who knows how: members changed, and everything around them made to fit.
import type { BundleManifest } from '../../../../../schemas/bundle.ts';
import { sha256 } from '../../../../ledger/identity/ids.ts';
import { Span } from '../../../../ledger/seal/span.ts';
import { listName, manifestName, manifestText, memberLine, readManifest } from '../manifest.ts';
import { sealed, unsealed } from '../sealed-file.ts';
import { endOfTar, headerOf, paddingAfter, sizeIn } from '../tar.ts';

interface Member {
  readonly name: string;
  readonly bytes: Buffer;
}

export interface Opened {
  readonly manifest: BundleManifest;
  readonly members: readonly Member[];
}

export async function takenApart(bundle: Buffer): Promise<Opened> {
  const tar = await unpacked(bundle);
  const members: Member[] = [];
  for (let at = 0; at < tar.length - endOfTar.length; ) {
    const header = tar.subarray(at, at + 512);
    const size = sizeIn(header) ?? 0;
    const name = header.toString('latin1', 0, 100).replace(/\0.*$/s, '');
    members.push({ name, bytes: tar.subarray(at + 512, at + 512 + size) });
    at += 512 + size + paddingAfter(size);
  }
  const [manifest, , ...rest] = members;
  return { manifest: readManifest(String(manifest?.bytes)), members: rest };
}

export async function unpacked(bundle: Buffer): Promise<Buffer> {
  return await joined(unsealed(one(bundle), { bytes: 0, sha256: null }));
}

export interface Fitting {
  /** Changes the manifest before its digest is made to fit. */
  readonly manifest?: Partial<BundleManifest>;
  /** Members that are put into the file; those of the list where this is missing. */
  readonly written?: readonly Member[];
}

/** With a list and a manifest that fit, its root included. */
export async function putTogether({ manifest: result, members }: Opened, fitting: Fitting = {}): Promise<Buffer> {
  const list = Buffer.from(
    members.map(({ name, bytes }) => memberLine({ name, bytes: bytes.length, sha256: sha256(bytes) })).join(''),
  );
  const digests = digestsIn(members);
  const { digest: _, ...manifest } = {
    ...result,
    events: digests.length,
    root: rootOf(digests),
    blobs: members.filter(({ name }) => name.startsWith('blobs/')).length,
    members: {
      count: members.length,
      bytes: members.reduce((sum, { bytes }) => sum + bytes.length, 0),
      listBytes: list.length,
      sha256: sha256(list),
    },
    ...fitting.manifest,
  };
  const all = [
    { name: manifestName, bytes: Buffer.from(manifestText(manifest)) },
    { name: listName, bytes: list },
    ...(fitting.written ?? members),
  ];
  const tar = all.flatMap(({ name, bytes }) => [
    headerOf(name, bytes.length),
    bytes,
    Buffer.alloc(paddingAfter(bytes.length)),
  ]);
  return await sealedAnew(Buffer.concat([...tar, endOfTar]));
}

function digestsIn(members: readonly Member[]): readonly string[] {
  const events = members.filter(({ name }) => name.startsWith('events/'));
  return events.flatMap(({ bytes }) =>
    Array.from(String(bytes).matchAll(/"digest":"([0-9a-f]{64})"\}$/gm), ([, digest = '']) => digest),
  );
}

function rootOf(digests: readonly string[]): string {
  const tree = new Span();
  for (const digest of digests) tree.add(digest);
  return tree.root();
}

/** Any tar, or what passes for one, as a bundle. */
export async function sealedAnew(tar: Buffer): Promise<Buffer> {
  return await joined(sealed(one(tar), { bytes: 0, sha256: null }));
}

/** Some of the lines of the events changed, or left out. */
export function withLines(
  { manifest, members }: Opened,
  change: (line: string, index: number) => string | null,
): Opened {
  return {
    manifest,
    members: members.map(({ name, bytes }) => {
      if (!name.startsWith('events/')) return { name, bytes };
      const lines = bytes.toString('utf8').split('\n').slice(0, -1);
      const changed = lines.map(change).filter((line) => line !== null);
      return { name, bytes: Buffer.from(changed.map((line) => `${line}\n`).join('')) };
    }),
  };
}

async function* one(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function joined(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}
