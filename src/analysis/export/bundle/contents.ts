// What a bundle holds: all streams of a run and of the runs whose history it shares, ablations that concern it with the
// evidence of their arms, and the recorded answers all these rest on. A run that is cut off where another was forked from it would look like one that was
// stopped there: ancestors are packed whole.
import type { BundledRun } from '../../../../schemas/bundle.ts';
import type { EventData } from '../../../../schemas/catalogue.ts';
import { parseStream, streamOf } from '../../../../schemas/streams.ts';
import { Answers } from '../../../ledger/copy/answers.ts';
import { batches } from '../../../ledger/copy/batches.ts';
import type { Cursor } from '../../../ledger/event.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { type RunFound, streamsOfRun } from '../../../ledger/runs.ts';
import type { StoredEvent } from '../../../ledger/stored.ts';

type Started = EventData['RunStarted'];

export interface Contents {
  readonly run: BundledRun;
  readonly ancestors: readonly BundledRun[];
  readonly missing: readonly string[];
  readonly ablations: readonly string[];
  readonly code: NonNullable<Started['code']> | null;
  /** All but those of recorded answers, which are found as events refer to them. */
  readonly streams: readonly string[];
}

export async function contentsOf(ledger: Ledger, run: RunFound): Promise<Contents> {
  const started = await startOf(ledger, run.run);
  const { ancestors, missing } = await ancestorsOf(ledger, run.run, started);
  const ablations = await ablationsOf(ledger, run.run, started);
  const streams: string[] = [];
  for (const one of [run, ...ancestors]) {
    for await (const { stream } of streamsOfRun(ledger, one.run)) streams.push(stream);
  }
  for (const ablation of ablations) {
    streams.push(streamOf.ablation(ablation));
    // Evidence of trained arms: the stream of the ablation has its seals, which do not verify without it.
    for await (const { stream } of streamsOfRun(ledger, ablation)) {
      if (parseStream(stream)?.category === 'evidence') streams.push(stream);
    }
  }
  return { run, ancestors, missing, ablations, code: started?.code ?? null, streams };
}

/** Null where nobody recorded that it began, or this icecore cannot read it. */
async function startOf(ledger: Ledger, run: string): Promise<Started | null> {
  const of = { streams: [streamOf.run(run)], types: ['RunStarted'], limit: 1 };
  for await (const [event] of ledger.readAll(of)) {
    const reading = event?.reading;
    return reading?.known === true && reading.type === 'RunStarted' ? reading.data : null;
  }
  return null;
}

async function ancestorsOf(
  ledger: Ledger,
  run: string,
  started: Started | null,
): Promise<Pick<Contents, 'ancestors' | 'missing'>> {
  const ancestors: BundledRun[] = [];
  const seen = new Set([run]);
  for (let at = started; at?.parent !== undefined && !seen.has(at.parent.run); ) {
    const parent = at.parent.run;
    seen.add(parent);
    at = await startOf(ledger, parent);
    if (at === null) return { ancestors, missing: [parent] };
    ancestors.push({ run: parent, name: at.name });
  }
  return { ancestors, missing: [] };
}

async function ablationsOf(ledger: Ledger, run: string, started: Started | null): Promise<readonly string[]> {
  const found = new Set<string>(started?.arm === undefined ? [] : [started.arm.ablation]);
  const prefix = streamOf.ablation('');
  for await (const events of ledger.readAll({ types: ['AblationStarted'] })) {
    for (const { stream, reading } of events) {
      if (!reading.known || reading.type !== 'AblationStarted' || !stream.startsWith(prefix)) continue;
      if (reading.data.histories.some((one) => one.run === run)) found.add(stream.slice(prefix.length));
    }
  }
  return [...found].sort();
}

/** In the order of the ledger, each recorded answer before what rests on it first. */
export async function* eventsOf(
  ledger: Ledger,
  streams: readonly string[],
  until: Cursor,
): AsyncGenerator<readonly StoredEvent[]> {
  const answers = new Answers(ledger, null);
  for await (const events of batches(ledger.readAll({ streams, until }))) {
    yield* answers.restedOnBy(events);
    yield events;
  }
}
