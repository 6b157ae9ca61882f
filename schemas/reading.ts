// The tolerant reading: data of any version ever written is brought up to today's; what this icecore does not know stays
// as it is and is said to be unknown.
import type { EventTypes } from './check.ts';
import type { EventType } from './family.ts';
import { categoryOf } from './streams.ts';

/**
 * Why data is opaque: its type or version is not known here, the event stands in a stream where its type has no meaning, or the
 * data is not what its version says.
 */
export type Opaqueness = 'unknown-type' | 'unknown-version' | 'unknown-stream' | 'unreadable';

/** Data that this icecore cannot interpret, as it was recorded; `why` says the reason. */
export interface OpaqueReading {
  readonly known: false;
  readonly type: string;
  readonly version: number;
  readonly data: unknown;
  readonly why: Opaqueness;
}

/** Data of a known type, converted to the current version. */
export interface KnownReading<Type extends string, Data> {
  readonly known: true;
  readonly type: Type;
  /** The version it was written in. */
  readonly version: number;
  /** In today's version, whatever it was written in. */
  readonly data: Data;
}

/** Whether events of a type have a meaning in a stream: whatever else stands there, a newer icecore or somebody else wrote. */
export function standsIn(declared: EventType, stream: string): boolean {
  const category = categoryOf(stream);
  return category !== null && declared.categories.includes(category);
}

/** Reads data of a version as data of today's version. Never throws. */
export function readAgainst(
  types: EventTypes,
  type: string,
  version: number,
  data: unknown,
): KnownReading<string, Record<string, unknown>> | OpaqueReading {
  const declared = types.get(type);
  if (declared === undefined) return { known: false, type, version, data, why: 'unknown-type' };
  if (!Number.isInteger(version) || version < 1 || version > declared.versions.length) {
    return { known: false, type, version, data, why: 'unknown-version' };
  }
  if (typeof data !== 'object' || data === null || Array.isArray(data)) {
    return { known: false, type, version, data, why: 'unreadable' };
  }
  try {
    let current = data as Record<string, unknown>;
    for (let i = version - 1; i < declared.upcasts.length; i++) current = declared.upcasts[i]?.(current) ?? current;
    return { known: true, type, version, data: current };
  } catch {
    return { known: false, type, version, data, why: 'unreadable' };
  }
}
