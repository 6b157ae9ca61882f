// The events an export is of: of all streams or of some runs, of some types, of some stages.
import type { BundledRun } from '../../../../schemas/bundle.ts';
import type { Cursor } from '../../../ledger/event.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { streamsOfRun } from '../../../ledger/runs.ts';
import { type StoredEvent, skimBody } from '../../../ledger/stored.ts';
import { eventsOf } from '../bundle/contents.ts';

export interface Selection {
  /** Null: all, and what belongs to no run. */
  readonly runs: readonly BundledRun[] | null;
  /** Null: all. */
  readonly types: readonly string[] | null;
  /** Null: all, and what belongs to no stage. */
  readonly stages: readonly StageRange[] | null;
}

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
