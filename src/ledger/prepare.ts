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
  const preparing = new Preparing(stream, types);
  const prepared: PreparedEvent[] = [];
  const issues: (Issue & { index: number })[] = [];
  for (const [index, event] of events.entries()) {
    const outcome = preparing.prepare(event);
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

/** The members that the events of one append mostly share, serialized once for all of them. */
interface Frame {
  /** The event, found valid, that it was made for. */
  readonly event: NewEvent;
  readonly opening: string;
  readonly closing: string;
}

class Preparing {
  readonly #stream: string;
  readonly #checks: Checks;
  #frame: Frame | null = null;

  constructor(stream: string, types: EventTypes) {
    this.#stream = stream;
    this.#checks = checksOf(types);
  }

  /** The members of an event in canonical order: actor, at, causes, data, id, previous, revision, run, stage, stream, ... */
  prepare(event: NewEvent): PreparedEvent | readonly Issue[] {
    const text = event.data instanceof CanonicalText ? event.data.text : null;
    const wrong = text === null ? this.#checks.fields(this.#stream, event) : this.#checkWritten(event, text);
    if (wrong.length > 0) return wrong;
    try {
      const causes = event.causes.length === 0 ? '[]' : canonicalJson(event.causes);
      const data = text ?? canonicalData(event.data);
      if (data.includes(hiddenKey)) return this.#checks.event(this.#stream, event);
      const { opening, closing } = this.#frameOf(event);
      const { id, type } = event;
      return { id, type, head: `${opening},"causes":${causes},"data":${data},"id":"${id}","previous":`, closing };
    } catch (error) {
      if (!(error instanceof NotCanonical)) throw error;
      return [{ field: error.field, found: error.found, allowed: 'a JSON value' }];
    }
  }

  /**
   * If the data was serialized by the caller, only the first event that differs in more than its id and its data is checked in
   * full, since the others are made the same way.
   */
  #checkWritten(event: NewEvent, text: string): readonly Issue[] {
    if (this.#fits(event) && event.causes.length === 0 && ownId.test(event.id)) return [];
    return this.#checks.fields(this.#stream, { ...event, data: parseJson(text) });
  }

  #fits({ actor, at, run, stage, type, version }: NewEvent): boolean {
    const one = this.#frame?.event;
    if (one === undefined || one.actor !== actor || one.at !== at || one.run !== run) return false;
    return one.stage === stage && one.type === type && one.version === version;
  }

  #frameOf(event: NewEvent): Frame {
    if (this.#frame !== null && this.#fits(event)) return this.#frame;
    const { actor, at, run, stage, type, version } = event;
    const opening = `{"actor":${canonicalJson(actor)},"at":"${at}"`;
    const place = `"run":${run === null ? 'null' : `"${run}"`},"stage":${stage},"stream":"${this.#stream}"`;
    this.#frame = { event, opening, closing: `,${place},"type":"${type}","version":${version}}` };
    return this.#frame;
  }
}

const ownId = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The quotes would be escaped within a text, so this can only be a key. */
const hiddenKey = '"__proto__":';

function canonicalData(data: unknown): string {
  try {
    return canonicalJson(data);
  } catch (error) {
    if (error instanceof NotCanonical) throw new NotCanonical(`data.${error.field}`, error.found);
    throw error;
  }
}

/** A place at the far end of a chained stream, so that the limit does not depend on the place. */
const placeBytes = bodyAt({ head: '', closing: '' }, Number.MAX_SAFE_INTEGER, 'f'.repeat(64)).length;

function refuseTooLarge({ id, head, closing }: PreparedEvent, maxBytes: number, index: number): void {
  // No character takes more than three bytes.
  if ((head.length + placeBytes + closing.length) * 3 <= maxBytes) return;
  const bytes = Buffer.byteLength(head) + placeBytes + Buffer.byteLength(closing);
  if (bytes > maxBytes) throw new EventTooLarge(id, bytes, maxBytes, index);
}
