// From what a writer hands in to the bytes that are hashed: checks an event against the catalogue and writes its canonical
// JSON, all but the two fields that only the end of its stream can tell.

import { canonicalJson, NotCanonical } from '../../schemas/canonical.ts';
import { checkEvent, checkEventFields } from '../../schemas/catalogue.ts';
import type { NewEvent } from '../../schemas/envelope.ts';
import type { Issue } from '../../schemas/errors.ts';
import { EventTooLarge, InvalidEvents } from './errors.ts';

export interface PreparedEvent {
  readonly id: string;
  readonly type: string;
  /** The canonical JSON up to the value of `previous`, and from `run` on: `revision` stands between them. */
  readonly head: string;
  readonly closing: string;
}

/** The canonical JSON of an event at its place in the stream: what is hashed and stored. */
export function bodyAt(event: PreparedEvent, revision: number, previous: string | null): string {
  const before = previous === null ? 'null' : `"${previous}"`;
  return `${event.head}${before},"revision":${revision}${event.closing}`;
}

/** Prepares all events of an append or throws InvalidEvents naming everything that is wrong with any of them. */
export function prepareEvents(stream: string, events: readonly NewEvent[], maxBytes: number): PreparedEvent[] {
  // Without types to say so, a single event would pass for a list of none, and its loss for a success.
  if (!Array.isArray(events)) throw new TypeError(`append takes a list of events, found ${typeof events}`);
  const prepared: PreparedEvent[] = [];
  const issues: (Issue & { index: number })[] = [];
  const frame = framing(stream);
  for (let index = 0; index < events.length; index++) {
    const event = events[index] as NewEvent;
    const outcome = prepare(stream, frame, event);
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
function prepare(stream: string, frame: FrameOf, event: NewEvent): PreparedEvent | readonly Issue[] {
  const wrong = checkEventFields(stream, event);
  if (wrong.length > 0) return wrong;
  try {
    const causes = event.causes.length === 0 ? '[]' : canonicalJson(event.causes);
    const data = canonicalData(event.data);
    if (data.includes(hiddenKey)) return checkEvent(stream, event);
    const { opening, closing } = frame(event);
    const { id, type, at } = event;
    const head = `${opening}"at":"${at}","causes":${causes},"data":${data},"id":"${id}","previous":`;
    return { id, type, head, closing };
  } catch (error) {
    if (!(error instanceof NotCanonical)) throw error;
    return [{ field: error.field, found: error.found, allowed: 'what JSON can hold' }];
  }
}

/** In a text its quotes would be escaped: this can only be a key. */
const hiddenKey = '"__proto__":';

interface Frame {
  readonly opening: string;
  readonly closing: string;
}

type FrameOf = (event: NewEvent) => Frame;

/** What stands around the members that differ. One append's events mostly share it, so it is written once for them. */
function framing(stream: string): FrameOf {
  let of: NewEvent | undefined;
  let frame: Frame = { opening: '', closing: '' };
  return (event) => {
    if (of === undefined || !sameFrame(of, event)) {
      const run = event.run === null ? 'null' : `"${event.run}"`;
      frame = {
        opening: `{"actor":${canonicalJson(event.actor)},`,
        closing: `,"run":${run},"stage":${event.stage},"stream":"${stream}","type":"${event.type}","version":${event.version}}`,
      };
      of = event;
    }
    return frame;
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

/** Counted as it would be at the far end of a chained stream, so that the limit does not depend on the place. */
const farthest = { revision: Number.MAX_SAFE_INTEGER, previous: 'f'.repeat(64) };

/** What `previous` and `revision` add to the rest, at most. */
const placeCharacters = 96;

function refuseTooLarge(event: PreparedEvent, maxBytes: number, index: number): void {
  const characters = event.head.length + event.closing.length + placeCharacters;
  if (characters * 3 <= maxBytes) return;
  const bytes = Buffer.byteLength(bodyAt(event, farthest.revision, farthest.previous));
  if (bytes > maxBytes) throw new EventTooLarge(event.id, bytes, maxBytes, index);
}
