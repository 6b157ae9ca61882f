// What of an event can be erased: its texts that are kept as blobs. Everything is looked at before anything is destroyed.
import { IcecoreError } from '../../../schemas/errors.ts';
import { parseStream, streamOf } from '../../../schemas/streams.ts';
import { blobsIn, textsIn } from '../../../schemas/texts.ts';
import { placeOf } from '../../ledger/event.ts';
import type { StoredEvent } from '../../ledger/stored.ts';

export interface Redactable {
  readonly event: StoredEvent;
  /** The stream that its redaction is recorded in. */
  readonly into: string;
  readonly texts: readonly { readonly field: string; readonly blob: string }[];
  /** Fields whose text, or the beginning of it, stands in the event and stays. */
  readonly staying: readonly string[];
}

/** Each event once. Throws CannotRedact; where a part of its texts would stay, unless that is meant. */
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
    throw new CannotRedact(event, inline.length === 0 ? 'it holds no text' : standing(inline), onlyBlobs);
  }
  const previews = kept.flatMap(({ field, preview }) => (preview === null ? [] : [`${field}.preview`]));
  return { event, into, texts: kept, staying: [...inline, ...previews] };
}

/** Beside the run, so that it disturbs nobody who writes. */
function recordedIn(event: StoredEvent): string {
  const name = parseStream(event.stream);
  if (name?.category === 'evidence') return streamOf.notes(name.run);
  if (name?.category === 'answer') return event.stream;
  const isOther = name?.category === 'notes' || name?.category === 'work';
  throw new CannotRedact(event, isOther ? 'it holds no text in a blob' : 'decisions stand', onlyBlobs);
}

function standing(fields: readonly string[]): string {
  return `its text stands in the event itself (${fields.join(', ')})`;
}

function wouldStay(fields: readonly string[]): string {
  return `a part of its text stands in the event itself and would stay (${fields.join(', ')})`;
}

const onlyBlobs =
  'Only texts of evidence and of recorded answers can be, and of these only what is kept as a blob: icecore event append --texts blobs keeps every text so.';
const partly = 'With --partly, what can be erased is.';

export class CannotRedact extends IcecoreError {
  override readonly name = 'CannotRedact';

  constructor(event: StoredEvent, why: string, remedy: string) {
    const place = placeOf(event);
    super('unsupported', `${place}, a ${event.type}, cannot be redacted: ${why}`, {
      facts: { event: event.id, place, type: event.type },
      remedy: `Nothing was erased. ${remedy}`,
    });
  }
}
