import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openBlobs } from '../blobs/open.ts';
import { evidenceStream, rollout } from '../contract/samples.ts';
import { openLedger } from '../open.ts';
import { type Verification, verifyLedger } from './verify.ts';

const texts = ['Agent 0 goes right. '.repeat(40), 'Agent 1 waits.', 'Both arrive.'] as const;

interface StoredText {
  readonly url: string;
  readonly store: string;
  /** The files of the three texts. */
  readonly files: readonly string[];
  readonly digests: readonly string[];
}

/** Three rollouts, each with its completion in a blob. */
async function withBlobs(): Promise<StoredText> {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-verify-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const url = `sqlite:${join(folder, 'ledger.db')}`;
  const store = join(folder, 'ledger.blobs');
  const ledger = await openLedger(url, { create: true });
  const blobs = await openBlobs(`folder:${store}`, { create: true });
  const named = await blobs.putAll(texts);
  const events = named.map(({ digest, bytes }, i) => {
    const event = rollout(i);
    return { ...event, data: { ...event.data, completion: { blob: digest, bytes } } };
  });
  await ledger.append(evidenceStream, events, { expect: 'any' });
  await blobs.close();
  await ledger.close();
  const digests = named.map(({ digest }) => digest);
  const all = readdirSync(store, { recursive: true, encoding: 'utf8' });
  const files = digests.map((digest) => join(store, all.find((name) => name.includes(digest.slice(2))) ?? ''));
  return { url, store, files, digests };
}

function verified({ url, store }: StoredText): Promise<Verification> {
  return verifyLedger(url, { blobs: `folder:${store}`, run: null, head: null });
}

const faultsOf = ({ findings }: Verification) =>
  findings.filter(({ kind }) => kind !== 'unsealed').map(({ kind, where }) => `${kind} ${where}`);

describe('verifying blobs', () => {
  it('finds no faults in blobs that match their events', async () => {
    const found = await verified(await withBlobs());
    expect(faultsOf(found)).toEqual([]);
    expect(found.tally.blobs).toBe(3);
  });

  it('finds every flipped byte of a blob, and names the event', async () => {
    const kept = await withBlobs();
    const file = kept.files[1] ?? '';
    const bytes = readFileSync(file);
    for (let at = 0; at < bytes.length; at++) {
      const other = Buffer.from(bytes);
      other[at] = (other[at] as number) ^ 4;
      writeFileSync(file, other);
      expect(faultsOf(await verified(kept)), `byte ${at}`).toEqual([`blob-damaged ${evidenceStream}@1`]);
    }
  });

  it('finds two swapped blobs', async () => {
    const kept = await withBlobs();
    const [first = '', second = ''] = kept.files;
    renameSync(first, `${first}.away`);
    renameSync(second, first);
    renameSync(`${first}.away`, second);
    expect(faultsOf(await verified(kept))).toEqual([
      `blob-damaged ${evidenceStream}@0`,
      `blob-damaged ${evidenceStream}@1`,
    ]);
  });

  it('finds a missing blob, and reports every event if the whole store is missing', async () => {
    const kept = await withBlobs();
    rmSync(kept.files[2] ?? '');
    expect(faultsOf(await verified(kept))).toEqual([`blob-missing ${evidenceStream}@2`]);
    renameSync(kept.store, `${kept.store}.moved`);
    const missing = [0, 1, 2].map((revision) => `blob-missing ${evidenceStream}@${revision}`);
    expect(faultsOf(await verified(kept))).toEqual(missing);
  });

  it('finds a wrong size', async () => {
    const kept = await withBlobs();
    const ledger = await openLedger(kept.url);
    const event = rollout(7);
    const completion = { blob: kept.digests[1] ?? '', bytes: 999 };
    await ledger.append(evidenceStream, [{ ...event, data: { ...event.data, completion } }], { expect: 'any' });
    await ledger.close();
    expect(faultsOf(await verified(kept))).toEqual([`blob-damaged ${evidenceStream}@3`]);
  });
});
