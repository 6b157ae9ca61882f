// Everything about one rollout: what was asked, answered and judged, with drawings by an environment that is registered.
import type { FrameChoice, RolloutShown, RolloutText } from '../../schemas/rollout-output.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { StoredEvent } from '../ledger/stored.ts';
import { type BlobText, textsOf } from './events/read.ts';
import { findEvent } from './opening/finder.ts';
import { withLedgerToAnswer } from './opening/ledger.ts';
import type { Session } from './session.ts';

/** The pictures of a rollout: those who show many of them need little of each. */
export interface RolloutOptions {
  /** Pictures of single steps (default `all`). Fewer leave out drawings in motion as well. */
  readonly frames?: FrameChoice;
  /** Look for the best answer and draw it (default true). */
  readonly plan?: boolean;
}

/** `reference`: an id, the start of one, or STREAM@REVISION. */
export async function rollout(
  session: Session,
  reference: string,
  { frames = 'all', plan = true }: RolloutOptions = {},
): Promise<RolloutShown> {
  const { rolloutOf } = await import('../analysis/rollout/rollout.ts');
  return await withLedgerToAnswer(session, async (ledger) => {
    const event = await findEvent(session, ledger, reference);
    const blobs = await blobTexts(session, ledger, event);
    return await rolloutOf(event, {
      ledger,
      registry: (await session.plugins.current()).registry,
      textOf: async (field, text) => ('text' in text ? inlineText(text.text) : blobText(blobs.get(field))),
      pictures: { frames, plan },
      signal: session.signal,
    });
  });
}

/** Longer texts are cut: a page cannot show them. */
const longestText = 1_000_000;

/** By field. */
async function blobTexts(session: Session, ledger: Ledger, event: StoredEvent): Promise<ReadonlyMap<string, BlobText>> {
  const texts = await textsOf(session, ledger, event, longestText);
  return new Map(texts.map((text) => [text.field, text]));
}

function inlineText(text: string): RolloutText {
  const bytes = Buffer.byteLength(text);
  if (bytes <= longestText) return { text, state: 'whole', bytes, note: null };
  const begun = new TextDecoder().decode(Buffer.from(text).subarray(0, longestText), { stream: true });
  return { text: begun, state: 'shortened', bytes, note: cut(bytes) };
}

function blobText(blob: BlobText | undefined): RolloutText {
  if (blob === undefined) return { text: null, state: 'unreadable', bytes: null, note: 'its blob is not named' };
  const { bytes, preview } = blob;
  if ('text' in blob) {
    const isCut = blob.state === 'shortened';
    return { text: blob.text, state: blob.state, bytes, note: isCut ? cut(bytes) : null };
  }
  // The beginning of an erased text may be in the event; it is what the erasure was about.
  const text = blob.state === 'missing' || blob.state === 'unreadable' ? preview : null;
  return { text, state: blob.state, bytes, note: noteOf(blob.state, blob.why, text !== null) };
}

const states = {
  missing: 'its blob is missing',
  unreadable: 'its blob cannot be read',
  redacted: 'it was redacted',
  erased: 'it was erased',
} as const;

function noteOf(state: keyof typeof states, why: string, hasPreview: boolean): string {
  const beginning = hasPreview ? '; only its beginning is in the event' : '';
  return `${states[state]}: ${why}${beginning}`;
}

function cut(bytes: number | null): string {
  const of = bytes === null ? '' : ` of ${bytes.toLocaleString('en')} bytes`;
  return `only the first ${longestText.toLocaleString('en')}${of} are shown`;
}
