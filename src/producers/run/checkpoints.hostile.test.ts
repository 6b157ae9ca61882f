// Checkpoints named in a ledger must be blobs of the ledger: a path to a local file is not read, and in particular not
// copied into blobs that others can read.
import { hash } from 'node:crypto';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openBlobs } from '../../ledger/blobs/open.ts';
import { openLedger } from '../../ledger/open.ts';
import { type Data, forge } from '../recompute/testing/forging.ts';
import { readableCheckpoint } from './learner.ts';
import { runTiny, type TinyPlace, tinyPlace } from './testing/tiny.ts';

const digest = 'a'.repeat(64);
const noBlobs = async (): Promise<never> => expect.fail('the blobs were opened');
const nowhere = { folder: '/nowhere', blobs: noBlobs };

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-secret-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function secretFile(): string {
  const path = join(temporaryFolder(), 'id_ed25519');
  writeFileSync(path, 'a private key');
  return path;
}

describe('a recorded checkpoint', () => {
  it.each([true, false])('that names a file of this machine is refused (blobs only: %s)', async (blobsOnly) => {
    for (const reference of [secretFile(), '/dev/zero', '/etc/hostname', process.cwd()]) {
      const fetching = readableCheckpoint({ reference, digest }, { ...nowhere, blobsOnly });
      await expect(fetching).rejects.toMatchObject({ kind: 'untrusted' });
    }
  });

  it("that is a server's name stays a name", async () => {
    const place = { ...nowhere, blobsOnly: false };
    const named = { reference: 'adapter-7', digest };
    expect(await readableCheckpoint(named, place)).toEqual(named);
    expect(await readableCheckpoint({ reference: 'adapter-7' }, place)).toEqual({ reference: 'adapter-7' });
  });

  it('that is not a blob is refused where only blobs are accepted', async () => {
    for (const reference of [secretFile(), '/dev/zero', 'adapter-7', '../elsewhere', digest]) {
      const fetching = readableCheckpoint({ reference }, { ...nowhere, blobsOnly: true });
      await expect(fetching).rejects.toMatchObject({ kind: 'untrusted', facts: { path: reference } });
    }
  });

  it('is read from the blobs, even if a link has its name', async () => {
    const folder = temporaryFolder();
    const store = await openBlobs(`folder:${join(folder, 'blobs')}`, { create: true });
    onTestFinished(() => store.close());
    const { digest } = await store.put(Readable.from([Buffer.from('weights')]));
    const secret = secretFile();
    symlinkSync(secret, join(folder, digest));
    const fetched = await readableCheckpoint(
      { reference: digest, digest },
      { folder, blobs: async () => store, blobsOnly: true },
    );
    expect(readFileSync(String(fetched?.reference), 'utf8')).toBe('weights');
    expect(readFileSync(secret, 'utf8')).toBe('a private key');
  });
});

/** A run with a complete first stage and the checkpoint that the ledger now names. */
async function afterFirstStage(
  run: string,
  checkpointOf: (recorded: Data, original: TinyPlace) => Data,
): Promise<TinyPlace> {
  const original = await tinyPlace();
  onTestFinished(() => original.close());
  await runTiny(original, { run, until: (step) => 'stage' in step && step.stage === 2 });
  const folder = temporaryFolder();
  const to = await openLedger(`sqlite:${join(folder, 'ledger.db')}`, { create: true });
  await forge(original.ledger, to, ({ type }, data) =>
    type === 'StageCompleted' ? { ...data, checkpoint: checkpointOf(data.checkpoint, original) } : data,
  );
  return { folder, ledger: to, close: () => to.close() };
}

describe('resuming a run of a ledger that names a file as the checkpoint of a stage', () => {
  const run = 'tiny00000000';

  it('neither trains from a local network nor stores it', async () => {
    const secret = join(temporaryFolder(), 'private.safetensors');
    const place = await afterFirstStage(run, (_, { folder }) => {
      const training = join(folder, 'runs', run, 'stage-1');
      const [left] = readdirSync(training).filter((name) => name.endsWith('.safetensors'));
      copyFileSync(join(training, String(left)), secret);
      return { reference: secret };
    });
    onTestFinished(() => place.close());
    await expect(runTiny(place, { run })).rejects.toMatchObject({
      name: 'CheckpointOutside',
      kind: 'untrusted',
      facts: { path: secret },
    });
    const digest = hash('sha256', readFileSync(secret));
    const written = readdirSync(place.folder, { recursive: true }).map(String);
    expect(written.filter((name) => name.includes(digest) || name.endsWith('.safetensors'))).toEqual([]);
  }, 60_000);

  it('does not read a device', async () => {
    const place = await afterFirstStage(run, () => ({ reference: '/dev/zero' }));
    onTestFinished(() => place.close());
    await expect(runTiny(place, { run })).rejects.toMatchObject({ name: 'CheckpointOutside' });
  }, 60_000);
});
