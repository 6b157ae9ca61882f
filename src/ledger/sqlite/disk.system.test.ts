import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { note, notesStream } from '../contract/samples.ts';
import { openLedger } from '../open.ts';
import { unprivileged } from './testing/unprivileged.ts';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'icecore-disk-'));
});

afterEach(() => {
  chmodSync(folder, 0o755);
  rmSync(folder, { recursive: true, force: true });
});

/** A small private disk needs a mount namespace, which not every machine allows. */
const mountSmallDisk = 'mount -t tmpfs -o size=6m tmpfs "$1" && shift && exec "$@"';
const canMount =
  spawnSync('unshare', ['-rm', 'sh', '-c', mountSmallDisk, 'sh', tmpdir(), 'true'], { stdio: 'ignore' }).status === 0;

describe('a full disk', () => {
  it.skipIf(!canMount)('refuses an append completely, and accepts it once there is space', () => {
    const program = fileURLToPath(new URL('./testing/full-disk.ts', import.meta.url));
    const command = [process.execPath, program, folder];
    const said = execFileSync('unshare', ['-rm', 'sh', '-c', mountSmallDisk, 'sh', folder, ...command], {
      encoding: 'utf8',
    });
    const found = JSON.parse(said) as { stored: number };
    expect(found).toMatchObject({
      name: 'StorageFailed',
      kind: 'storage',
      message: expect.stringMatching(/the disk is full; nothing of this append was stored/),
      whenFull: found.stored,
      afterwards: found.stored + 100,
    });
    expect(found.stored).toBeGreaterThan(1000);
  });
});

function tryAsUser(code: string): unknown {
  const opener = JSON.stringify(new URL('../open.ts', import.meta.url).href);
  const program = `import(${opener}).then(async ({ openLedger }) => { ${code} })
    .then((found) => console.log(JSON.stringify(found)), ({ name, kind, message, remedy }) => console.log(JSON.stringify({ name, kind, message, remedy })))`;
  const [command, ...args] = unprivileged([process.execPath, '--input-type=module', '-e', program]);
  const child = spawnSync(command, args, { encoding: 'utf8' });
  if (child.stdout === '') throw new Error(child.stderr);
  return JSON.parse(child.stdout);
}

describe('a folder that cannot be written', () => {
  it('refuses a new ledger with a message', () => {
    chmodSync(folder, 0o555);
    const url = JSON.stringify(`sqlite:${join(folder, 'ledger.db')}`);
    const below = JSON.stringify(`sqlite:${join(folder, 'deeper', 'ledger.db')}`);
    for (const one of [url, below]) {
      expect(tryAsUser(`return (await openLedger(${one}, { create: true })).id`)).toMatchObject({
        name: 'StorageFailed',
        kind: 'storage',
        remedy: expect.stringMatching(/--ledger/),
      });
    }
  });

  it('that cannot be read either is not treated as one without a ledger', () => {
    chmodSync(folder, 0o000);
    const url = JSON.stringify(`sqlite:${join(folder, 'ledger.db')}`);
    expect(tryAsUser(`return (await openLedger(${url})).id`)).toMatchObject({ name: 'StorageFailed', kind: 'storage' });
  });

  it('still allows an idle ledger to be read, and refuses appends', async () => {
    const place = join(folder, 'archive');
    mkdirSync(place);
    const path = join(place, 'ledger.db');
    const ledger = await openLedger(`sqlite:${path}`, { create: true });
    await ledger.append(notesStream, [note(0), note(1)], { expect: 'any' });
    await ledger.close();
    chmodSync(path, 0o444);
    chmodSync(place, 0o555);
    const url = JSON.stringify(`sqlite:${path}`);
    expect(tryAsUser(`const ledger = await openLedger(${url}); return await ledger.head()`)).toMatchObject({
      events: 2,
    });
    const event = JSON.stringify(note(2));
    expect(
      tryAsUser(
        `const ledger = await openLedger(${url}); return await ledger.append('${notesStream}', [${event}], { expect: 'any' })`,
      ),
    ).toMatchObject({ name: 'StorageFailed', kind: 'storage', message: expect.stringMatching(/cannot be written/) });
    chmodSync(place, 0o755);
  });

  it('reports when an idle ledger that is being read begins to change', async () => {
    const place = join(folder, 'shared');
    mkdirSync(place);
    const path = join(place, 'ledger.db');
    const made = await openLedger(`sqlite:${path}`, { create: true });
    await made.append(notesStream, [note(0)], { expect: 'any' });
    await made.close();
    chmodSync(place, 0o555);
    const later = JSON.stringify([note(1)]);
    const found = tryAsUser(`
      const { chmodSync } = await import('node:fs');
      const reader = await openLedger(${JSON.stringify(`sqlite:${path}`)}, { readOnly: true });
      const before = (await reader.head()).events;
      chmodSync(${JSON.stringify(place)}, 0o755);
      const writer = await openLedger(${JSON.stringify(`sqlite:${path}`)});
      await writer.append('${notesStream}', ${later}, { expect: 'any' });
      return reader.head().then(() => 'the past', ({ name }) => [before, name]);`);
    expect(found).toEqual([1, 'StorageFailed']);
  });
});
