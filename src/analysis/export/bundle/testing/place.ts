// Ledgers with blobs to make bundles of and to open them in, in folders that go when the test ends.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { NewEvent } from '../../../../../schemas/envelope.ts';
import { IcecoreError } from '../../../../../schemas/errors.ts';
import { streamOf } from '../../../../../schemas/streams.ts';
import type { Blobs } from '../../../../ledger/blobs/blobs.ts';
import { openBlobs } from '../../../../ledger/blobs/open.ts';
import { recordRuns, spoken, textIn } from '../../../../ledger/copy/testing/history.ts';
import type { Ledger } from '../../../../ledger/ledger.ts';
import { openLedger } from '../../../../ledger/open.ts';
import { findRun } from '../../../../ledger/runs.ts';
import { sealStage } from '../../../../producers/trust/sealing.ts';
import { bundleOf } from '../bundle.ts';
import { type Imported, type ImportOptions, importBundle } from '../import.ts';

export interface Place {
  readonly folder: string;
  readonly ledger: Ledger;
  readonly blobs: Blobs;
}

export async function emptyPlace(): Promise<Place> {
  const place = await made();
  onTestFinished(() => removed(place));
  return place;
}

async function made(): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-bundle-'));
  const ledger = await openLedger(`sqlite:${join(folder, 'ledger.db')}`, { create: true });
  const blobs = await openBlobs(`folder:${join(folder, 'blobs')}`, { create: true });
  return { folder, ledger, blobs };
}

async function removed({ folder, ledger, blobs }: Place): Promise<void> {
  await ledger.close();
  await blobs.close();
  rmSync(folder, { recursive: true, force: true });
}

export async function add({ ledger }: Place, stream: string, ...events: NewEvent[]): Promise<void> {
  await ledger.append(stream, events, { expect: 'any' });
}

/** Two runs, `the a` and `the b`, each with a recorded answer, and with sealed evidence that names two texts, one of which both have. */
export async function placeWithRuns(): Promise<Place> {
  return await withRuns(await emptyPlace());
}

/** A bundle of the first of them. */
export async function bundleOfRun(): Promise<Buffer> {
  const place = await withRuns(await made());
  const bytes = await bytesOf(place, 'a');
  await removed(place);
  return bytes;
}

async function withRuns(place: Place): Promise<Place> {
  await recordRuns(place.ledger, ['a', 'b']);
  for (const run of ['a', 'b']) {
    const stream = streamOf.evidence(run, 1, 0, 0);
    await add(place, stream, spoken(stream, 2, await textIn(place.blobs, 'said by both')));
    await add(place, stream, spoken(stream, 3, await textIn(place.blobs, `said by ${run} `.repeat(10_000))));
    await sealStage(place.ledger, {
      run,
      stage: 1,
      chosen: new Map(),
      actor: 'human/ada',
    });
  }
  return place;
}

export async function bytesOf({ ledger, blobs }: Place, asked: string): Promise<Buffer> {
  const { file } = await bundleOf(ledger, blobs, await findRun(ledger, asked));
  const pieces: Uint8Array[] = [];
  for await (const piece of file) pieces.push(piece);
  return Buffer.concat(pieces);
}

export async function open(
  { folder, ledger, blobs }: Place,
  bytes: Buffer,
  options: ImportOptions = {},
): Promise<Imported> {
  return await importBundle(pieces(bytes), folder, (body) => body({ ledger, blobs }), options);
}

/** Why it is refused: before any ledger is asked for, and with nothing left behind. */
export async function refusal(bytes: Buffer): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-bundle-'));
  try {
    await importBundle(pieces(bytes), folder, () => Promise.reject(new Error('it was taken for a bundle')));
    return 'it was not refused';
  } catch (error) {
    const left = readdirSync(folder);
    return `${left.length > 0 ? `left ${left.join(', ')}: ` : ''}${error instanceof IcecoreError ? error.name : ''}: ${String(error)}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Of odd lengths, as a pipe may hand them over. */
async function* pieces(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 5003) yield bytes.subarray(at, at + 5003);
}

/** Each event as it is stored, by its place. */
export async function eventsIn(ledger: Ledger): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for await (const events of ledger.readAll()) {
    for (const { stream, revision, digest, body, recordedMs } of events)
      found.set(`${stream}@${revision}`, `${recordedMs} ${digest} ${body}`);
  }
  return found;
}
