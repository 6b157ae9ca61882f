// The events of a ledger as a fold reads them: all in memory, stream by stream, without a database.
import type { EventData, RecordedEventOf, TypeName } from '../../../../schemas/catalogue.ts';
import { parseStream, type StreamName, streamOf } from '../../../../schemas/streams.ts';
import type { Ledger } from '../../../ledger/ledger.ts';

export type Recorded = { readonly [Type in TypeName]: RecordedEventOf<Type> }[TypeName];
export type Of<Type extends TypeName> = { readonly [One in Type]: RecordedEventOf<One> }[Type];

/** The event's field, and its form in a column. */
export type Row = Readonly<Record<string, unknown>>;

export class Log {
  readonly events: readonly Recorded[];
  readonly streams: ReadonlyMap<string, readonly Recorded[]>;
  /** All runs with any events; a claim alone makes none. */
  readonly runs: readonly string[];

  constructor(events: readonly Recorded[]) {
    this.events = events;
    this.streams = Map.groupBy(events, ({ stream }) => stream);
    const names = [...this.streams.keys()].map(nameOf);
    this.runs = [...new Set(names.flatMap((name) => ('run' in name && name.category !== 'work' ? [name.run] : [])))];
  }

  of<Type extends TypeName>(...types: readonly Type[]): readonly Of<Type>[] {
    return onlyOf(this.events, types);
  }

  /** Of the run's own stream. */
  eventsOf<Type extends TypeName>(run: string, ...types: readonly Type[]): readonly Of<Type>[] {
    return onlyOf(this.streams.get(streamOf.run(run)) ?? [], types);
  }

  started(run: string): EventData['RunStarted'] | null {
    return this.eventsOf(run, 'RunStarted').at(-1)?.data ?? null;
  }

  /** The displayed name: the run's name, with its identity if the name is not unique. */
  name(run: string | null): string | null {
    if (run === null || !this.runs.includes(run)) return null;
    const name = this.started(run)?.name;
    if (name === undefined) return run;
    const same = this.runs.filter((one) => this.started(one)?.name === name);
    return same.length > 1 ? `${name}~${run}` : name;
  }
}

function onlyOf<Type extends TypeName>(events: readonly Recorded[], types: readonly Type[]): readonly Of<Type>[] {
  return events.filter((event: Recorded) =>
    types.some((type) => type === event.type),
  ) as readonly unknown[] as readonly Of<Type>[];
}

export async function readLog(ledger: Ledger): Promise<Log> {
  const events: Recorded[] = [];
  for await (const page of ledger.readAll({})) events.push(...page.map((event) => event.toJSON() as Recorded));
  return new Log(events);
}

export function nameOf(stream: string): StreamName {
  const name = parseStream(stream);
  if (name === null) throw new Error(`no stream: ${stream}`);
  return name;
}

/** The number, if it is not a reason. */
export function numberIn(score: unknown): number | null {
  return typeof score === 'number' ? score : null;
}

export function reasonIn(score: unknown): string | null {
  return typeof score === 'object' && score !== null && 'reason' in score ? String(score.reason) : null;
}

export function textIn(text: { readonly text?: string } | object | null | undefined): string | null {
  return text !== null && text !== undefined && 'text' in text ? (text.text ?? null) : null;
}

/** Numbers only, without reasons. */
export function numbersIn(scores: Readonly<Record<string, unknown>> | undefined): unknown {
  return scores && Object.fromEntries(Object.entries(scores).map(([name, one]) => [name, numberIn(one)]));
}
