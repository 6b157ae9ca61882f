// A ledger in which others have written as well: the golden ledger, with events that this icecore does not know in every
// kind of stream. They are put there as a copy from elsewhere would bring them.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { zstdDecompressSync } from 'node:zlib';
import { canonicalJson } from '../../../schemas/canonical.ts';
import { isChained, streamOf } from '../../../schemas/streams.ts';
import { eventId, sha256 } from '../../ledger/identity/ids.ts';
import { type Ledger, lastEventOf } from '../../ledger/ledger.ts';
import { openLedger } from '../../ledger/open.ts';
import { findRun } from '../../ledger/runs.ts';
import { StoredEvent } from '../../ledger/stored.ts';
import { inFolder, type Ran, temporaryFolder } from './harness.ts';

/** What an event says of itself, as another program wrote it. */
export interface ForeignEvent {
  readonly stream: string;
  readonly type: string;
  readonly version: number;
  readonly run: string | null;
  readonly stage: number | null;
  readonly data: unknown;
}

/** At the end of its stream, by the way that nothing checks against the catalogue. Returns its place. */
export async function addForeign(ledger: Ledger, event: ForeignEvent): Promise<string> {
  const { stream } = event;
  const last = await lastEventOf(ledger, stream);
  const revision = (last?.revision ?? -1) + 1;
  const id = eventId({ run: `foreign ${stream}`, stage: 0, kind: 250, index: revision });
  const previous = isChained(stream) ? (last?.digest ?? null) : null;
  const at = '2026-01-03T00:00:00.000Z';
  const whole = { ...event, id, revision, at, actor: 'producer/elsewhere', causes: [], previous };
  const body = canonicalJson(whole);
  const filed = id.replaceAll('-', '');
  await ledger.replicate([
    new StoredEvent(stream, revision, event.type, filed, Date.parse(at), sha256(body), body, ''),
  ]);
  return `${stream}@${revision}`;
}

const golden = fileURLToPath(new URL('../../../test/golden/1/', import.meta.url));

export interface GoldenPlace {
  readonly cwd: string;
  readonly icecore: (...argv: readonly string[]) => Promise<Ran>;
}

/** The golden ledger in a workspace of its own, with what is added to it. */
export async function goldenPlace(add: (ledger: Ledger) => Promise<void> = async () => {}): Promise<GoldenPlace> {
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

/** A run and an ablation of the golden ledger. */
export const goldenNames = { run: 'first', ablation: 'trained' } as const;

/**
 * For every kind of stream, an event of a type that is not known and one of a known type in a newer version; and a stream of
 * a name that is not known, with a type that is.
 */
export async function foreignEvents(ledger: Ledger): Promise<readonly ForeignEvent[]> {
  const { run } = await findRun(ledger, goldenNames.run);
  const ablation = await ablationNamed(ledger, goldenNames.ablation);
  const data = { celsius: 92.5, gpu: 3, note: 'too hot', nested: { a: [1, 2] } };
  const inRun = { run, stage: 1, data };
  const kinds = [
    { ...inRun, stream: streamOf.run(run), newer: 'StageCompleted' },
    { ...inRun, stream: streamOf.work(run), newer: 'RunClaimed' },
    { ...inRun, stream: streamOf.notes(run), newer: 'RunAnnotated' },
    { ...inRun, stream: streamOf.evidence(run, 1, 0, 0), newer: 'RolloutRecorded' },
    { ...inRun, run: null, stream: streamOf.ablation(ablation), newer: 'ArmProposed' },
    { ...inRun, stream: streamOf.answer('a'.repeat(64)), newer: 'ModelAnswered' },
    { ...inRun, stream: streamOf.x('gpu'), newer: 'acme.GpuThrottled' },
    { ...inRun, stream: 'sensor-42', newer: 'RolloutRecorded' },
  ];
  return kinds.flatMap(({ newer, ...place }) => [
    { ...place, type: 'MoonRisen', version: 1 },
    { ...place, type: newer, version: place.stream === 'sensor-42' ? 1 : 9 },
  ]);
}

async function ablationNamed(ledger: Ledger, name: string): Promise<string> {
  for await (const events of ledger.readAll({ types: ['AblationStarted'] })) {
    for (const { stream, envelope } of events)
      if ((envelope.data as { readonly name?: string }).name === name) return stream.slice('ablation-'.length);
  }
  throw new Error(`the golden ledger has no ablation ${name}`);
}
