// The reproducible results of a run: everything that follows from its seed, without times and measurements of the
// process.
import type { Ledger } from '../../../ledger/ledger.ts';
import { streamsOfRun } from '../../../ledger/runs.ts';
import type { StoredEvent } from '../../../ledger/stored.ts';

/** Event by event, in the order of stream names, without the claims on the run. */
export async function runFacts(ledger: Ledger, run: string): Promise<readonly object[]> {
  const facts: object[] = [];
  const streams: string[] = [];
  for await (const { stream } of streamsOfRun(ledger, run)) if (!stream.startsWith('work-')) streams.push(stream);
  for (const stream of streams.toSorted()) {
    facts.push(...(await factsIn(ledger, stream)));
  }
  return facts;
}

/** Revisions are counted without RunTakenOver events. */
async function factsIn(ledger: Ledger, stream: string): Promise<readonly object[]> {
  const facts: object[] = [];
  for await (const events of ledger.read(stream)) {
    for (const event of events) {
      if (event.type !== 'RunTakenOver') facts.push({ ...lasting(event), revision: facts.length });
    }
  }
  return facts;
}

export function lasting({ envelope }: StoredEvent): object {
  const { at: _, previous: __, causes: cited, data, ...rest } = envelope;
  const causes = cited.map((cause) => ('root' in cause ? { ...cause, root: null } : cause));
  const { measured: ___, ...content } = data as Readonly<Record<string, unknown>>;
  return { ...rest, causes, data: withoutPlaces(envelope.type, content) };
}

function withoutPlaces(type: string, content: Readonly<Record<string, unknown>>): object {
  if (type === 'EvidenceSealed') return withoutRoots(content);
  // The revision of a read history depends on the number of takeovers.
  return type === 'ContextRecorded' ? { ...content, history: null } : content;
}

/** The root covers the events with their times. */
function withoutRoots({ attempts, ...rest }: Readonly<Record<string, unknown>>): object {
  const kept = (attempts as readonly { stream: string; count: number }[]).map(({ stream, count }) => ({
    stream,
    count,
  }));
  return { ...rest, attempts: kept };
}
