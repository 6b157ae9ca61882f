// Handwritten histories, event by event, in a real ledger, and the tables made from them.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll } from 'vitest';
import { canonicalJson } from '../../../schemas/canonical.ts';
import { codeOf, type EventData, type NewEventOf, type TypeName, versionOf } from '../../../schemas/catalogue.ts';
import type { Cause, NewEvent } from '../../../schemas/envelope.ts';
import { streamOf } from '../../../schemas/streams.ts';
import { eventId, sha256 } from '../../ledger/identity/ids.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { openLedger } from '../../ledger/open.ts';
import { project } from '../projector/projector.ts';

export interface Also {
  /** If it is not the run's own stream. */
  readonly stream?: string;
  readonly actor?: string;
  /** The events it is based on. */
  readonly causes?: readonly string[];
  /** The rollouts it is based on. */
  readonly evidence?: readonly Extract<Cause, { stream: string }>[];
}

/** Events of one run in order, a second apart. */
export class History {
  readonly run: string;
  readonly #begun: number;
  readonly #events: { readonly stream: string; readonly event: NewEvent }[] = [];

  constructor(run: string, begun = Date.UTC(2026, 6, 1, 12)) {
    this.run = run;
    this.#begun = begun;
  }

  /** Returns its id. */
  add<Type extends TypeName>(type: Type, stage: number | null, data: EventData[Type], also: Also = {}): string {
    const { stream = streamOf.run(this.run), actor = 'producer/run', causes = [], evidence = [] } = also;
    const index = this.#events.length;
    const event: NewEventOf<Type> = {
      id: eventId({ run: this.run, stage: stage ?? 0, kind: codeOf(type), index }),
      type,
      version: versionOf(type),
      at: new Date(this.#begun + index * 1000).toISOString(),
      actor,
      run: stream.startsWith('answer-') ? null : this.run,
      stage,
      causes: [...causes.map((event) => ({ event })), ...evidence],
      data,
    };
    this.#events.push({ stream, event });
    return event.id;
  }

  async writeTo(ledger: Ledger): Promise<void> {
    for (const stream of new Set(this.#events.map((one) => one.stream))) {
      const events = this.#events.filter((one) => one.stream === stream).map(({ event }) => event);
      await ledger.append(stream, events, { expect: 'any' });
    }
  }
}

type Row = Readonly<Record<string, unknown>>;

/** Queries tables; integers become numbers, and lists, structs and maps become arrays and objects. */
export type Ask = (sql: string) => Promise<readonly Row[]>;

/** The tables of histories; removed after the tests of the file. */
export async function tablesOf(histories: readonly History[]): Promise<Ask> {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-tables-'));
  const ledger = await openLedger(`sqlite:${join(folder, 'ledger.db')}`, { create: true });
  for (const history of histories) await history.writeTo(ledger);
  const { path } = await project(ledger, join(folder, 'ledger.tables'));
  await ledger.close();
  const instance = await DuckDBInstance.create(path, { access_mode: 'READ_ONLY' });
  const connection = await instance.connect();
  afterAll(() => {
    connection.closeSync();
    instance.closeSync();
    rmSync(folder, { recursive: true, force: true });
  });
  return async (sql) => (await connection.runAndReadAll(sql)).getRowObjectsJS().map((row) => plain(row) as Row);
}

function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Map) return Object.fromEntries(Array.from(value, ([key, one]) => [String(key), plain(one)]));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plain(one)]));
}

export type Knobs = Readonly<Record<string, number>>;

/** A knob belongs to the group before its last dot, or to all of them. */
export function configuration(knobs: Knobs): EventData['ConfigAdopted']['configuration'] {
  return {
    digest: sha256(canonicalJson(knobs)),
    whole: knobs,
    knobs: Object.entries(knobs).map(([knob, value]) => ({ knob, family: familyOf(knob), value })),
  };
}

export function familyOf(knob: string): string | null {
  return knob.includes('.') ? knob.slice(0, knob.lastIndexOf('.')) : null;
}

type Descriptor = NonNullable<EventData['RunStarted']['descriptor']>;

/** For groups with a share of the data and a level each, and one knob of all groups. */
export function descriptor(families: readonly string[]): Descriptor {
  const knob = (family: string | null, word: string, step: number): Descriptor['knobs'][number] => ({
    name: family === null ? word : `${family}.${word}`,
    path: family === null ? [word] : [family, word],
    meaning: `the ${word} of ${family ?? 'all'}`,
    family,
    range: { min: 0, max: 1 },
    step,
    ...(word === 'level' ? { harder: 'more', provokes: ['slip'] } : {}),
  });
  return {
    environment: 'maze',
    knobs: [
      ...families.flatMap((family) => [knob(family, 'data', 0.05), knob(family, 'level', 0.1)]),
      knob(null, 'players', 1),
    ],
    sharesSum: [{ knobs: families.map((family) => `${family}.data`), total: 1 }],
    families: families.map((family) => ({ family, meaning: `the ${family} ones` })),
    failed: { all: [{ field: ['success'], equals: false }] },
    failureClass: { field: ['failureClass'], otherwise: 'unclassified' },
    family: { field: ['family'], otherwise: families[0] ?? 'any' },
  };
}

type Evaluation = EventData['EvaluationRecorded'];

/** Counts per hundred tries in each group, and in total if requested. */
export function evaluation(
  suite: string,
  split: Evaluation['split'],
  valid: Knobs,
  { pooled = true }: { readonly pooled?: boolean } = {},
): Evaluation {
  const of = 100;
  const counts = Object.entries(valid);
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  const tries = of * counts.length;
  const rate = (family: string | null, count: number, tries: number): Evaluation['results'][number] => ({
    family,
    measure: 'valid',
    value: count / tries,
    count,
    of: tries,
  });
  return {
    suite: { name: suite },
    split,
    rollouts: tries,
    results: [
      ...(pooled ? [rate(null, total, tries)] : []),
      ...counts.map(([family, count]) => rate(family, count, of)),
    ],
  };
}
