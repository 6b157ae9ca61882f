// Erases texts: destroys the blobs that events name and records that, so that digests, chains and proofs still hold and
// everybody can see that something was there. The record comes first: whatever happens then, it says what must be gone.
import { codeOf, type EventData, type NewEventOf, versionOf } from '../../../schemas/catalogue.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import { parseStream } from '../../../schemas/streams.ts';
import type { Blobs } from '../../ledger/blobs/blobs.ts';
import { together } from '../../ledger/blobs/together.ts';
import { Erasures } from '../../ledger/erasures.ts';
import { eventId, sha256 } from '../../ledger/identity/ids.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { placeOf } from '../../ledger/places.ts';
import type { Redactable } from './redactable.ts';

export interface Redaction {
  readonly events: readonly Redactable[];
  readonly reason: string;
  readonly actor: string;
}

export interface Redacted {
  readonly event: string;
  readonly place: string;
  readonly field: string;
  readonly blob: string;
  /** The Redacted event that says so; another than this call's where that was recorded before. */
  readonly by: string;
  readonly isNew: boolean;
  /** False where the store had no such blob. */
  readonly wasThere: boolean;
}

type Erased = EventData['Redacted']['erased'][number];

/** So many fit into one event with room to spare. */
const mostInOne = 1000;
const longestReason = 4096;

const atOnce = 64;

/** Throws BadReason, and RedactionUnfinished when something was recorded and not destroyed: to be called again. */
export async function redact(ledger: Ledger, blobs: Blobs, redaction: Redaction): Promise<readonly Redacted[]> {
  requireReason(redaction.reason);
  const before = new Map(await new Erasures(ledger).look());
  const by = new Map(before);
  for (const [stream, erased] of recordsFor(redaction.events, before)) {
    const place = `${stream}@${await record(ledger, stream, erased, redaction)}`;
    for (const { blob } of erased) by.set(blob, place);
  }
  const there = await destroy(blobs, redaction.events, by);
  return redaction.events.flatMap(({ event, texts }) =>
    texts.map(({ field, blob }) => ({
      event: event.id,
      place: placeOf(event),
      field,
      blob,
      by: by.get(blob) ?? '',
      isNew: !before.has(blob),
      wasThere: there.has(blob),
    })),
  );
}

/** What is to be recorded where, in parts that fit into one event each. */
function* recordsFor(
  events: readonly Redactable[],
  before: ReadonlyMap<string, string>,
): Generator<readonly [stream: string, erased: readonly Erased[]]> {
  const byStream = new Map<string, Erased[]>();
  for (const { event, into, texts } of events) {
    const list = byStream.get(into) ?? [];
    byStream.set(into, list);
    for (const { field, blob } of texts) {
      if (!before.has(blob)) list.push({ event: event.id, stream: event.stream, field, blob });
    }
  }
  for (const [stream, erased] of byStream) {
    for (let at = 0; at < erased.length; at += mostInOne) yield [stream, erased.slice(at, at + mostInOne)];
  }
}

/** The same texts for the same reason have the same id: what was interrupted can be repeated. */
async function record(
  ledger: Ledger,
  stream: string,
  erased: readonly Erased[],
  { reason, actor }: Redaction,
): Promise<number> {
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
  return (await ledger.append(stream, [event], { expect: 'any' })).revision;
}

/** Destroys as many as can be; returns those that were there. */
async function destroy(
  blobs: Blobs,
  events: readonly Redactable[],
  by: ReadonlyMap<string, string>,
): Promise<ReadonlySet<string>> {
  const all = [...new Set(events.flatMap(({ texts }) => texts.map(({ blob }) => blob)))];
  const there = new Set<string>();
  const failed = new Map<string, unknown>();
  await together(all, atOnce, async (blob) => {
    try {
      if (await blobs.erase(blob)) there.add(blob);
    } catch (error) {
      failed.set(blob, error);
    }
  });
  if (failed.size > 0) throw new RedactionUnfinished(failed, all.length, by);
  return there;
}

/** Throws BadReason. */
export function requireReason(reason: string): void {
  if (reason.trim() === '') throw new BadReason('nothing');
  const bytes = Buffer.byteLength(reason);
  if (bytes > longestReason) throw new BadReason(`${bytes} bytes`);
}

export class BadReason extends IcecoreError {
  override readonly name = 'BadReason';

  constructor(found: string) {
    super('usage', `the reason of a redaction: found ${found}, allowed: a text of up to ${longestReason} bytes`, {
      facts: { field: 'reason', found },
      remedy: 'Nothing was erased. Say why: it is all that stays of the text.',
    });
  }
}

/** Recorded, and not all destroyed. */
export class RedactionUnfinished extends IcecoreError {
  override readonly name = 'RedactionUnfinished';

  constructor(failed: ReadonlyMap<string, unknown>, of: number, by: ReadonlyMap<string, string>) {
    const [[, cause] = []] = failed;
    const why = cause instanceof Error ? cause.message : String(cause);
    const recorded = [...new Set(Array.from(failed.keys(), (blob) => by.get(blob) ?? ''))];
    super(
      cause instanceof IcecoreError ? cause.kind : 'storage',
      `${failed.size} of ${of} blobs were not erased: ${why}`,
      {
        facts: { failed: failed.size, of, recorded },
        remedy: `That they are erased stands in ${recorded.join(', ')}, so they must go: mend what failed, and redact the same events again.`,
        cause,
      },
    );
  }
}
