// Turns the input of writers into the bytes that are hashed: checks an event against the catalogue and writes its canonical
// JSON, except for the two fields that depend on the end of its stream.

import { CanonicalText, canonicalJson, NotCanonical } from '../../schemas/canonical.ts';
import { eventTypes } from '../../schemas/catalogue.ts';
import type { EventTypes } from '../../schemas/check.ts';
import type { NewEvent } from '../../schemas/envelope.ts';
import type { Issue } from '../../schemas/errors.ts';
import { parseJson } from '../../schemas/json-text.ts';
import { type Checks, checksOf } from '../../schemas/own-events.ts';
import { EventTooLarge, InvalidEvents } from './errors.ts';
import { bodyAt, type PreparedEvent } from './event.ts';

/** Prepares all events of an append or throws InvalidEvents with all faults of all of them. */
export function prepareEvents(
  stream: string,
  events: readonly NewEvent[],
  maxBytes: number,
  types: EventTypes = eventTypes,
): PreparedEvent[] {
  // Without types, a single event would look like an empty list, and its loss like a success.
  if (!Array.isArray(events)) throw new TypeError(`append takes a list of events, found ${typeof events}`);
  const prepared: PreparedEvent[] = [];
  const issues: (Issue & { index: number })[] = [];
  const frame = framing(stream);
  const checks = checksOf(types);
  for (let index = 0; index < events.length; index++) {
    const event = events[index] as NewEvent;
    const outcome = prepare(stream, frame, event, checks);
    if (isWrong(outcome)) {
      for (const issue of outcome) issues.push({ ...issue, index });
      continue;
    }
    refuseTooLarge(outcome, maxBytes, index);
    prepared.push(outcome);
  }
  if (issues.length > 0) throw new InvalidEvents(issues);
  return prepared;
}

function isWrong(outcome: PreparedEvent | readonly Issue[]): outcome is readonly Issue[] {
  return Array.isArray(outcome);
}

/** The members of an event in canonical order: actor, at, causes, data, id, previous, revision, run, stage, stream, ... */
function prepare(stream: string, frame: FrameOf, event: NewEvent, checks: Checks): PreparedEvent | readonly Issue[] {
  const isWritten = event.data instanceof CanonicalText;
  const wrong = isWritten ? checkWritten(stream, frame, event, checks) : checks.fields(stream, event);
  if (wrong.length > 0) return wrong;
  try {
    const causes = event.causes.length === 0 ? '[]' : canonicalJson(event.causes);
    const data = event.data instanceof CanonicalText ? event.data.text : canonicalData(event.data);
    if (data.includes(hiddenKey)) return checks.event(stream, event);
    const { opening, closing } = frame.of(event);
    const { id, type, at } = event;
    const head = `${opening}"at":"${at}","causes":${causes},"data":${data},"id":"${id}","previous":`;
    return { id, type, head, closing };
  } catch (error) {
    if (!(error instanceof NotCanonical)) throw error;
    return [{ field: error.field, found: error.found, allowed: 'a JSON value' }];
  }
}

/**
 * If the data was serialized by the caller, only the first event that differs in more than its id and its data is checked in
 * full, since the others are made the same way.
 */
function checkWritten(stream: string, frame: FrameOf, event: NewEvent, checks: Checks): readonly Issue[] {
  if (frame.isLike(event) && event.causes.length === 0 && ownId.test(event.id)) return [];
  const { text } = event.data as CanonicalText;
  return checks.fields(stream, { ...event, data: parseJson(text) });
}

const ownId = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The quotes would be escaped within a text, so this can only be a key. */
const hiddenKey = '"__proto__":';

interface Frame {
  readonly opening: string;
  readonly closing: string;
}

interface FrameOf {
  of(event: NewEvent): Frame;
  /** Whether it differs from the last event only in its id, its causes and its data. */
  isLike(event: NewEvent): boolean;
}

/** Serializes the members that events of one append mostly share, once for all of them. */
function framing(stream: string): FrameOf {
  let last: NewEvent | undefined;
  let frame: Frame = { opening: '', closing: '' };
  return {
    of(event) {
      if (last === undefined || !sameFrame(last, event)) {
        const run = event.run === null ? 'null' : `"${event.run}"`;
        frame = {
          opening: `{"actor":${canonicalJson(event.actor)},`,
          closing: `,"run":${run},"stage":${event.stage},"stream":"${stream}","type":"${event.type}","version":${event.version}}`,
        };
      }
      last = event;
      return frame;
    },
    isLike: (event) => last !== undefined && sameFrame(last, event) && last.at === event.at,
  };
}

function sameFrame(a: NewEvent, b: NewEvent): boolean {
  return a.actor === b.actor && a.run === b.run && a.stage === b.stage && a.type === b.type && a.version === b.version;
}

function canonicalData(data: unknown): string {
  try {
    return canonicalJson(data);
  } catch (error) {
    if (error instanceof NotCanonical) throw new NotCanonical(`data.${error.field}`, error.found);
    throw error;
  }
}

/** Assumes a place at the far end of a chained stream, so that the limit does not depend on the place. */
const farthest = { revision: Number.MAX_SAFE_INTEGER, previous: 'f'.repeat(64) };

/** The maximum size of `previous` and `revision`. */
const placeCharacters = 96;

function refuseTooLarge(event: PreparedEvent, maxBytes: number, index: number): void {
  const characters = event.head.length + event.closing.length + placeCharacters;
  if (characters * 3 <= maxBytes) return;
  const bytes = Buffer.byteLength(bodyAt(event, farthest.revision, farthest.previous));
  if (bytes > maxBytes) throw new EventTooLarge(event.id, bytes, maxBytes, index);
}
