// The tolerant reading of events: data of any former version is upcast to the current one; unknown data stays unchanged and
// is marked as opaque.
import type { EventTypes } from './check.ts';
import type { EventType } from './family.ts';
import { categoryOf } from './streams.ts';

/**
 * Why data is opaque: its type or version is unknown here, its type has no meaning in this stream, or the data does not match
 * its version.
 */
export type Opaqueness = 'unknown-type' | 'unknown-version' | 'unknown-stream' | 'unreadable';

/** Data that this icecore cannot interpret, as recorded; `why` is the reason. */
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
  /** The version in which it was written. */
  readonly version: number;
  /** Data in the current version. */
  readonly data: Data;
}

/** Whether events of a type have a meaning in a stream. Other events there come from a newer icecore or another program. */
export function belongsIn(declared: EventType, stream: string): boolean {
  const category = categoryOf(stream);
  return category !== null && declared.categories.includes(category);
}

/** Converts data of a version to the current version. Never throws. */
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
