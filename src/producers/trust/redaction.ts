// Erases texts: records the redaction first, then destroys the blobs, so that digests and proofs still hold. A text
// that other runs also use is erased only on request, and recorded for each of them.

import { codeOf, type EventData, type NewEventOf, versionOf } from '../../../schemas/catalogue.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import { parseStream, streamOf } from '../../../schemas/streams.ts';
import { blobsIn, textsIn } from '../../../schemas/texts.ts';
import { mapConcurrently } from '../../base/concurrently.ts';
import type { Blobs } from '../../ledger/blobs/blobs.ts';
import { placeOf } from '../../ledger/event.ts';
import { eventId, sha256 } from '../../ledger/identity/ids.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import {
  type KnownRedactions,
  type Namer,
  namersOf,
  Redactions,
  redactionStreamOf,
  scopeOf,
} from '../../ledger/redactions.ts';
import type { StoredEvent } from '../../ledger/stored.ts';

export interface Redactable {
  readonly event: StoredEvent;
  /** The stream that records the redaction. */
  readonly into: string;
  readonly texts: readonly { readonly field: string; readonly blob: string }[];
  /** Fields whose text is inline, completely or partly, and stays. */
  readonly staying: readonly string[];
}

/** Each event once. Throws CannotRedact, also if a part of its texts would stay, unless that is intended. */
export function redactable(events: readonly StoredEvent[], isPartMeant: boolean): readonly Redactable[] {
  const byId = new Map(events.map((event) => [event.id, event]));
  return Array.from(byId.values(), (event) => {
    const found = inEvent(event);
    const [first] = found.staying;
    if (first !== undefined && !isPartMeant) throw new CannotRedact(event, wouldStay(found.staying), partly);
    return found;
  });
}

function inEvent(event: StoredEvent): Redactable {
  const into = recordedIn(event);
  const { type, version, data } = event.envelope;
  const kept = blobsIn(type, version, data).filter(({ isText }) => isText);
  const inline = textsIn(type, version, data).map(({ field }) => field);
  if (kept.length === 0) {
    throw new CannotRedact(event, inline.length === 0 ? 'it has no text' : standing(inline), onlyBlobs);
  }
  const previews = kept.flatMap(({ field, preview }) => (preview === null ? [] : [`${field}.preview`]));
  return { event, into, texts: kept, staying: [...inline, ...previews] };
}

/** A separate stream, so that the redaction does not disturb writers. */
function recordedIn(event: StoredEvent): string {
  const name = parseStream(event.stream);
  if (name?.category === 'evidence') return streamOf.notes(name.run);
  if (name?.category === 'answer') return event.stream;
  const isOther = name?.category === 'notes' || name?.category === 'work';
  throw new CannotRedact(event, isOther ? 'it has no text in a blob' : 'decisions are permanent', onlyBlobs);
}

function standing(fields: readonly string[]): string {
  return `its text is inline in the event (${fields.join(', ')})`;
}

function wouldStay(fields: readonly string[]): string {
  return `a part of its text is inline in the event and would stay (${fields.join(', ')})`;
}

const onlyBlobs =
  'Only texts of evidence and of recorded answers can be redacted, and only if they are in blobs: icecore event append --texts blobs stores all texts in blobs.';
const partly = '--partly erases the rest.';

class CannotRedact extends IcecoreError {
  override readonly name = 'CannotRedact';

  constructor(event: StoredEvent, why: string, remedy: string) {
    const place = placeOf(event);
    super('unsupported', `${place}, a ${event.type}, cannot be redacted: ${why}`, {
      facts: { event: event.id, place, type: event.type },
      remedy: `Nothing was erased. ${remedy}`,
    });
  }
}

interface Redaction {
  readonly events: readonly Redactable[];
  readonly reason: string;
  readonly actor: string;
  /** Also erase a text that other runs or decisions use. */
  readonly everywhere?: boolean;
}

export interface Redacted {
  readonly event: string;
  readonly place: string;
  readonly field: string;
  readonly blob: string;
  /** The Redacted event that records it, possibly from an earlier call. */
  readonly by: string;
  readonly isNew: boolean;
  /** False if the store had no such blob. */
  readonly wasThere: boolean;
}

type Erased = EventData['Redacted']['erased'][number];

/** The maximum number per event, well below its size limit. */
const mostInOne = 1000;
const longestReason = 4096;

const atOnce = 64;

/** A text to be erased. */
interface Target extends Erased {
  readonly place: string;
  /** The stream that records the redaction. */
  readonly into: string;
}

/**
 * Throws BadReason, SharedText before anything is recorded, and RedactionUnfinished if a recorded text was not
 * destroyed: then call it again.
 */
export async function redact(ledger: Ledger, blobs: Blobs, redaction: Redaction): Promise<readonly Redacted[]> {
  requireReason(redaction.reason);
  const redactions = new Redactions(ledger);
  const before = await redactions.look();
  const own = targetsOf(redaction.events);
  const targets = [...own, ...(await sharing(ledger, own, before, redaction.everywhere === true))];
  const wasKnown = targets.map(({ stream, blob }) => before.find(stream, blob) !== null);
  const fresh = targets.filter((_, index) => wasKnown[index] === false);
  for (const [stream, erased] of recordsFor(fresh)) await record(ledger, stream, erased, redaction);
  const known = await redactions.look();
  const by = (target: Target): string => known.find(target.stream, target.blob)?.by ?? target.into;
  const there = await destroy(blobs, targets, by);
  return targets.map((target, index) => ({
    event: target.event,
    place: target.place,
    field: target.field,
    blob: target.blob,
    by: by(target),
    isNew: wasKnown[index] === false,
    wasThere: there.has(target.blob),
  }));
}

function targetsOf(events: readonly Redactable[]): readonly Target[] {
  return events.flatMap(({ event, into, texts }) =>
    texts.map(({ field, blob }) => ({
      event: event.id,
      stream: event.stream,
      place: placeOf(event),
      field,
      blob,
      into,
    })),
  );
}

/** The same texts in other runs and decisions. Throws SharedText. */
async function sharing(
  ledger: Ledger,
  own: readonly Target[],
  known: KnownRedactions,
  isMeant: boolean,
): Promise<readonly Target[]> {
  const namers = await namersOf(ledger, new Set(own.map(({ blob }) => blob)));
  const others: Target[] = [];
  for (const [blob, all] of namers) {
    const scopes = new Set(own.filter((target) => target.blob === blob).map(({ stream }) => scopeOf(stream)));
    const strange = all.filter(({ isText, stream, scope }) => {
      if (!isText) return true;
      return !known.covers(scope, blob) && (stream.startsWith('run-') || !scopes.has(scope));
    });
    const [first] = strange.filter(({ isText, stream }) => !isText || redactionStreamOf(stream) === null);
    if (first !== undefined) throw new SharedText(blob, [first], false);
    if (strange.length > 0 && !isMeant) throw new SharedText(blob, strange, true);
    for (const { event, stream, place, field } of strange)
      others.push({ event, stream, place, field, blob, into: redactionStreamOf(stream) ?? stream });
  }
  return others;
}

/** The events to record, in parts that fit the size limit. */
function* recordsFor(targets: readonly Target[]): Generator<readonly [stream: string, erased: readonly Erased[]]> {
  const byStream = new Map<string, Erased[]>();
  for (const { into, event, stream, field, blob } of targets) {
    const list = byStream.get(into) ?? [];
    byStream.set(into, list);
    list.push({ event, stream, field, blob });
  }
  for (const [stream, erased] of byStream) {
    for (let at = 0; at < erased.length; at += mostInOne) yield [stream, erased.slice(at, at + mostInOne)];
  }
}

/** The same texts and reason give the same id, so that an interrupted redaction can be repeated. */
async function record(
  ledger: Ledger,
  stream: string,
  erased: readonly Erased[],
  { reason, actor }: Redaction,
): Promise<void> {
  const name = parseStream(stream);
  const run = name?.category === 'notes' ? name.run : null;
  const index = Number.parseInt(sha256(JSON.stringify([actor, reason, erased])).slice(0, 10), 16);
  const event: NewEventOf<'Redacted'> = {
    id: eventId({ run: run ?? stream, stage: 0, kind: codeOf('Redacted'), index }),
    type: 'Redacted',
    version: versionOf('Redacted'),
    at: new Date().toISOString(),
    actor,
    run,
    stage: null,
    causes: Array.from(new Set(erased.map(({ event }) => event)), (event) => ({ event })),
    data: { reason, erased },
  };
  await ledger.append(stream, [event], { expect: 'any' });
}

/** Destroys as many as possible; returns those that existed. */
async function destroy(
  blobs: Blobs,
  targets: readonly Target[],
  by: (target: Target) => string,
): Promise<ReadonlySet<string>> {
  const all = [...new Set(targets.map(({ blob }) => blob))];
  const there = new Set<string>();
  const failed = new Map<string, unknown>();
  await mapConcurrently(all, atOnce, async (blob) => {
    try {
      if (await blobs.erase(blob)) there.add(blob);
    } catch (error) {
      failed.set(blob, error);
    }
  });
  if (failed.size > 0) {
    const recorded = [...new Set(targets.filter(({ blob }) => failed.has(blob)).map(by))];
    throw new RedactionUnfinished([...failed.values()], all.length, recorded);
  }
  return there;
}

/** Throws BadReason. */
export function requireReason(reason: string): void {
  if (reason.trim() === '') throw new BadReason('nothing');
  const bytes = Buffer.byteLength(reason);
  if (bytes > longestReason) throw new BadReason(`${bytes} bytes`);
}

class BadReason extends IcecoreError {
  override readonly name = 'BadReason';

  constructor(found: string) {
    super('usage', `the reason of a redaction: found ${found}, allowed: a text of up to ${longestReason} bytes`, {
      facts: { field: 'reason', found },
      remedy: 'Nothing was erased. Give a reason: it is all that remains of the text.',
    });
  }
}

/** A text that must stay has the same blob. */
class SharedText extends IcecoreError {
  override readonly name = 'SharedText';

  constructor(blob: string, namers: readonly Namer[], isAllowed: boolean) {
    const places = namers.slice(0, 5).map(({ place, field }) => `${place} (${field})`);
    const more = namers.length > places.length ? ` and ${namers.length - places.length} more` : '';
    const what = isAllowed ? 'is also named by' : 'is also named, and not as a text that can be redacted, by';
    super('conflict', `the blob ${blob} ${what} ${places.join(', ')}${more}`, {
      facts: { blob, namedBy: namers.slice(0, 100).map(({ place }) => place) },
      remedy: isAllowed
        ? 'Nothing was erased. With --everywhere, the text is erased for all of these too.'
        : 'Nothing was erased. Erasing the text would destroy what that event needs.',
    });
  }
}

/** Recorded, but not all texts were destroyed. */
class RedactionUnfinished extends IcecoreError {
  override readonly name = 'RedactionUnfinished';

  constructor(failed: readonly unknown[], of: number, recorded: readonly string[]) {
    const [cause] = failed;
    const why = cause instanceof Error ? cause.message : String(cause);
    super(
      cause instanceof IcecoreError ? cause.kind : 'storage',
      `${failed.length} of ${of} blobs were not erased: ${why}`,
      {
        facts: { failed: failed.length, of, recorded },
        remedy: `Their redaction is recorded in ${recorded.join(', ')}, so they must be destroyed: fix the error, and redact the same events again.`,
        cause,
      },
    );
  }
}
