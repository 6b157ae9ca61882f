// A ledger in which others have written as well: the golden ledger, with events that this icecore does not know in every
// kind of stream. They are put there as a copy from elsewhere would bring them.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { zstdDecompressSync } from 'node:zlib';
import { canonicalJson } from '../../../schemas/canonical.ts';
import { isChained } from '../../../schemas/streams.ts';
import { eventId, sha256 } from '../../ledger/identity/ids.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { openLedger } from '../../ledger/open.ts';
import { lastOf } from '../../ledger/places.ts';
import { StoredEvent } from '../../ledger/stored.ts';
import { inFolder, type Ran, temporaryFolder } from './harness.ts';

/** What an event says of itself, as somebody else's icecore wrote it. */
export interface ForeignEvent {
  readonly stream: string;
  readonly type: string;
  readonly version: number;
  readonly run: string | null;
  readonly stage: number | null;
  readonly data: unknown;
}

let written = 0;

/** At the end of its stream, by the way that nothing checks against the catalogue. */
export async function addForeign(
  ledger: Ledger,
  { stream, type, version, run, stage, data }: ForeignEvent,
): Promise<string> {
  const last = await lastOf(ledger, stream);
  const id = eventId({ run: 'f0re1gn00000', stage: 0, kind: 250, index: written++ });
  const revision = (last?.revision ?? -1) + 1;
  const previous = isChained(stream) ? (last?.digest ?? null) : null;
  const at = '2026-01-03T00:00:00.000Z';
  const actor = 'producer/elsewhere';
  const body = canonicalJson({
    id,
    stream,
    revision,
    type,
    version,
    at,
    actor,
    run,
    stage,
    causes: [],
    previous,
    data,
  });
  const filed = id.replaceAll('-', '');
  await ledger.replicate([new StoredEvent(stream, revision, type, filed, Date.parse(at), sha256(body), body, '')]);
  return id;
}

const golden = fileURLToPath(new URL('../../../test/golden/1/', import.meta.url));

export interface Place {
  readonly cwd: string;
  readonly icecore: (...argv: readonly string[]) => Promise<Ran>;
}

/** The golden ledger in a workspace of its own, with these events added. */
export async function goldenPlace(add: (ledger: Ledger) => Promise<void> = async () => {}): Promise<Place> {
  const cwd = temporaryFolder();
  const workspace = join(cwd, '.icecore');
  mkdirSync(workspace);
  writeFileSync(join(workspace, 'ledger.db'), zstdDecompressSync(readFileSync(join(golden, 'ledger.db.zst'))));
  cpSync(join(golden, 'ledger.blobs'), join(workspace, 'ledger.blobs'), { recursive: true });
  const ledger = await openLedger(`sqlite:${join(workspace, 'ledger.db')}`);
  await add(ledger);
  await ledger.close();
  return { cwd, icecore: inFolder(cwd) };
}
