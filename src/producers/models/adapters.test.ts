import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../base/testing/temporary-folder.ts';
import { openBlobs } from '../../ledger/blobs/open.ts';
import { Adapters } from './adapters.ts';
import { archiveOf, packedAdapter } from './testing/archives.ts';

async function adaptersWith(archive: Uint8Array) {
  const folder = temporaryFolder();
  const blobs = await openBlobs(`folder:${join(folder, 'blobs')}`, { create: true });
  const { digest } = await blobs.put(archive);
  const place = join(folder, 'adapters');
  return { adapters: new Adapters(place, async () => blobs), digest, folder, place };
}

describe('the adapter in a packed checkpoint', () => {
  it('is unpacked into a folder named after the checkpoint', async () => {
    const { adapters, digest, place } = await adaptersWith(packedAdapter('learned'));
    const path = await adapters.unpacked(digest);
    expect(path).toBe(join(place, digest));
    expect(readFileSync(join(path, 'adapter_model.safetensors'), 'utf8')).toBe('learned');
    expect(readdirSync(place)).toEqual([digest]);
  });

  it('is unpacked once, however many ask for it at once', async () => {
    const { adapters, digest, place } = await adaptersWith(packedAdapter());
    const paths = await Promise.all(Array.from({ length: 20 }, () => adapters.unpacked(digest)));
    expect(new Set(paths)).toEqual(new Set([join(place, digest)]));
  });

  it.each<[string, Uint8Array, string]>([
    ['nothing', Buffer.alloc(0), '0 bytes'],
    ['weights without a folder', Buffer.alloc(2048, 'w'), 'other bytes'],
    ['a compressed archive', gzipSync(packedAdapter()), 'bytes'],
    ['an archive without files', archiveOf([{ path: 'folder/', type: 'Directory' }]), 'no files'],
    [
      'a link',
      archiveOf([{ path: 'adapter_config.json', type: 'SymbolicLink', linkpath: '/etc/passwd' }]),
      'type SymbolicLink',
    ],
    ['a device', archiveOf([{ path: 'device', type: 'CharacterDevice' }]), 'type CharacterDevice'],
    ['a file outside of the folder', archiveOf([{ path: '../../outside', content: 'x' }]), "contains '..'"],
    ['an archive that ends early', packedAdapter('x'.repeat(5000)).subarray(0, 3000), 'Truncated'],
  ])('is refused if it is %s', async (_, archive, found) => {
    const { adapters, digest, folder, place } = await adaptersWith(archive);
    await expect(adapters.unpacked(digest)).rejects.toThrow(found);
    await expect(adapters.unpacked(digest)).rejects.toMatchObject({ name: 'NotAnAdapter' });
    expect(existsSync(join(folder, 'outside'))).toBe(false);
    expect(readdirSync(place)).toEqual([]);
  });

  it('is not written through a link', async () => {
    const { adapters, digest, folder, place } = await adaptersWith(packedAdapter());
    symlinkSync(folder, place);
    await expect(adapters.unpacked(digest)).rejects.toThrow('symbolic link');
  });
});
