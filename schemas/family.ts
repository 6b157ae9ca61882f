// How an event type is declared: its permanent code, where it may be written, all its versions, and how to upcast data from
// each version to the next.
import { z } from 'zod';
import { writerFields } from './envelope.ts';
import type { Issue } from './errors.ts';
import { stageNumber } from './primitives.ts';
import type { Category, StreamName } from './streams.ts';

/** The schema of the data of an event: an object of zod 4. */
export type DataSchema = z.ZodObject;

/** Whether an event of a type belongs to a stage, to none, or to either. */
export type StageRule = 'always' | 'never' | 'maybe';

/** Where an event is written, for checks that need more than the data. */
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
  /** The schemas of `data` by version; the last one is current. */
  readonly versions: readonly [...DataSchema[], Current];
  /** `upcasts[i]` turns data of version i+1 into data of version i+2. */
  readonly upcasts: readonly ((data: Record<string, unknown>) => Record<string, unknown>)[];
  /** Checks data of the current version for contradictions between fields, which no schema can express. */
  crossCheck?(data: z.infer<Current>, place: Place): readonly Issue[];
}

/** A type of icecore's own catalogue. */
export interface CatalogueType<Current extends DataSchema = DataSchema> extends EventType<Current> {
  /** Part of the ids that icecore makes: 1 to 255, assigned once and never reused. */
  readonly code: number;
}

/** Declares an event type with a single version. */
export function eventType<Current extends DataSchema>(declared: {
  type: string;
  code: number;
  in: readonly Category[];
  stage: StageRule;
  summary: string;
  data: Current;
  crossCheck?: (data: z.infer<Current>, place: Place) => readonly Issue[];
}): CatalogueType<Current> {
  const { in: categories, data, ...rest } = declared;
  return { ...rest, categories, versions: [data], upcasts: [] };
}

/**
 * Declares the next version of an event type. The check across fields belongs to the version it was written for.
 * @public No type has a second version yet; docs/events.md says how it gets one.
 */
export function nextVersion<Previous extends DataSchema, Current extends DataSchema>(
  previous: CatalogueType<Previous>,
  data: Current,
  upcast: (data: z.infer<Previous>) => z.infer<Current>,
  crossCheck?: (data: z.infer<Current>, place: Place) => readonly Issue[],
): CatalogueType<Current> {
  const { crossCheck: _, ...rest } = previous;
  return {
    ...rest,
    ...(crossCheck === undefined ? {} : { crossCheck }),
    versions: [...previous.versions, data],
    upcasts: [...previous.upcasts, (old) => upcast(old as z.infer<Previous>)],
  };
}

export const currentVersion = (declared: EventType): number => declared.versions.length;

export const stageRules = { always: stageNumber, never: z.null(), maybe: stageNumber.nullable() } as const;

/** The schema of an event as a writer provides it, for one version of a type. */
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
