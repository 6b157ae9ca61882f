// How an event type is declared: its permanent code, where it may be written, every version it ever had, and the way
// from each version to the next.
import { z } from 'zod';
import { writerFields } from './envelope.ts';
import type { Issue } from './errors.ts';
import { stageNumber } from './primitives.ts';
import type { Category, StreamName } from './streams.ts';

/** The schema of the data of an event: an object of zod 4. */
export type DataSchema = z.ZodObject;

/** Whether an event of a type belongs to one stage, to none, or to either. */
export type StageRule = 'always' | 'never' | 'maybe';

/** Where an event is written: what a check across fields may look at beside the data. */
export interface Place {
  readonly stream: StreamName;
  readonly run: string | null;
  readonly stage: number | null;
}

/** An event type: where it may be written, and the schema of each version of its data. */
export interface EventType<Current extends DataSchema = DataSchema> {
  readonly type: string;
  readonly categories: readonly Category[];
  readonly stage: StageRule;
  readonly summary: string;
  /** The schemas of `data`, by version; the last is the one written. */
  readonly versions: readonly [...DataSchema[], Current];
  /** `upcasts[i]` turns data of version i+1 into data of version i+2. */
  readonly upcasts: readonly ((data: Record<string, unknown>) => Record<string, unknown>)[];
  /** What data of the current version must fulfil that no schema can say: fields that contradict each other. */
  sense?(data: z.infer<Current>, place: Place): readonly Issue[];
}

/** A type of icecore's own catalogue. */
export interface CatalogueType<Current extends DataSchema = DataSchema> extends EventType<Current> {
  /** Part of the ids icecore makes: given once, never reused, 1..255. */
  readonly code: number;
}

/** Declares an event type that has had one version. */
export function eventType<Current extends DataSchema>(declared: {
  type: string;
  code: number;
  in: readonly Category[];
  stage: StageRule;
  summary: string;
  data: Current;
  sense?: (data: z.infer<Current>, place: Place) => readonly Issue[];
}): CatalogueType<Current> {
  const { in: categories, data, ...rest } = declared;
  return { ...rest, categories, versions: [data], upcasts: [] };
}

/**
 * Declares the next version of an event type. A sense check goes with the version it was written for.
 * @public No type has a second version yet; docs/events.md says how it gets one.
 */
export function nextVersion<Previous extends DataSchema, Current extends DataSchema>(
  previous: CatalogueType<Previous>,
  data: Current,
  upcast: (data: z.infer<Previous>) => z.infer<Current>,
  sense?: (data: z.infer<Current>, place: Place) => readonly Issue[],
): CatalogueType<Current> {
  const { sense: _, ...rest } = previous;
  return {
    ...rest,
    ...(sense === undefined ? {} : { sense }),
    versions: [...previous.versions, data],
    upcasts: [...previous.upcasts, (old) => upcast(old as z.infer<Previous>)],
  };
}

export const currentVersion = (declared: EventType): number => declared.versions.length;

export const stageRules = { always: stageNumber, never: z.null(), maybe: stageNumber.nullable() } as const;

/** The schema of what a writer hands in for one version of a type. */
export function writerSchema(declared: EventType, version: number): z.ZodObject {
  const data = declared.versions[version - 1];
  if (data === undefined) throw new RangeError(`${declared.type} has no version ${version}`);
  return z.strictObject({
    ...writerFields,
    type: z.literal(declared.type),
    version: z.literal(version),
    stage: stageRules[declared.stage],
    data,
  });
}
