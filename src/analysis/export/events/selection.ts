// The events an export is of: of all streams or of some runs, of some types, of some stages.
import type { BundledRun } from '../../../../schemas/bundle.ts';
import type { ExportManifest } from '../../../../schemas/export-manifest.ts';
import type { Cursor } from '../../../ledger/event.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { streamsOfRun } from '../../../ledger/runs.ts';
import { type StoredEvent, skimBody } from '../../../ledger/stored.ts';
import { begunRuns } from '../../history/runs.ts';
import { eventsOf } from '../bundle/contents.ts';

interface Selection {
  /** Null: all, and what belongs to no run. */
  readonly runs: readonly BundledRun[] | null;
  /** Null: all. */
  readonly types: readonly string[] | null;
  /** Null: all, and what belongs to no stage. */
  readonly stages: readonly StageRange[] | null;
}

/** Stages from one to another, both included. */
export interface StageRange {
  readonly from: number;
  readonly to: number;
}

/** In the order of the ledger, up to a place in it. Of runs, with the recorded answers they rest on. */
export async function* selectedEvents(
  ledger: Ledger,
  { runs, types, stages }: Selection,
  until: Cursor,
): AsyncGenerator<readonly StoredEvent[]> {
  const all =
    runs === null ? ledger.readAll({ until, ...(types === null ? {} : { types }) }) : await ofRuns(ledger, runs, until);
  const wantedTypes = types === null ? null : new Set(types);
  for await (const events of all) {
    const wanted = events.filter(
      (event) =>
        (wantedTypes === null || wantedTypes.has(event.type)) && (stages === null || isWithin(stageOf(event), stages)),
    );
    if (wanted.length > 0) yield wanted;
  }
}

async function ofRuns(
  ledger: Ledger,
  runs: readonly BundledRun[],
  until: Cursor,
): Promise<AsyncIterable<readonly StoredEvent[]>> {
  const streams: string[] = [];
  for (const { run } of runs) for await (const { stream } of streamsOfRun(ledger, run)) streams.push(stream);
  return eventsOf(ledger, streams, until);
}

/** Null where it belongs to none, or cannot be read. */
function stageOf({ body }: StoredEvent): number | null {
  return skimBody(body)?.stage ?? null;
}

function isWithin(stage: number | null, ranges: readonly StageRange[]): boolean {
  return stage !== null && ranges.some(({ from, to }) => from <= stage && stage <= to);
}

/** The state of the ledger that an export is made from: what is recorded while it is written is not in it. */
export type ExportHead = ExportManifest['head'];

/** The number of events that may have been recorded since the head was read. */
const since = 1000;

export async function headOf(ledger: Ledger): Promise<ExportHead> {
  const { cursor, events } = await ledger.head();
  for await (const newest of ledger.readAll({ backwards: true, limit: since })) {
    const last = newest.find((event) => event.cursor === cursor);
    if (last !== undefined) return { events, cursor, digest: last.digest };
  }
  return { events, cursor, digest: null };
}

/**
 * What the runs of a ledger are called in the names of folders: by their names; where several have the same, with their
 * identities, as in the tables.
 */
export async function namesOfRuns(ledger: Ledger): Promise<ReadonlyMap<string, string>> {
  const runs = await begunRuns(ledger);
  const times = new Map<string, number>();
  for (const { name } of runs) times.set(name, (times.get(name) ?? 0) + 1);
  return new Map(runs.map(({ run, name }) => [run, times.get(name) === 1 ? name : `${name}~${run}`]));
}
