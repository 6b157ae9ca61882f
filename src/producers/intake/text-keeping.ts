// Where the texts of a ledger are kept is a setting for all its writers: inline in events, or as blobs, so that they
// can be erased later. The setting may change during a run. A resumed run makes the same events again, and existing
// events keep their texts where they were.
import { CanonicalText } from '../../../schemas/canonical.ts';
import type { TextPlace } from '../../../schemas/config.ts';
import type { NewEvent } from '../../../schemas/envelope.ts';
import { parseJson } from '../../../schemas/json-text.ts';
import type { Blobs } from '../../ledger/blobs/blobs.ts';
import { DuplicateId } from '../../ledger/errors.ts';
import type { Appended, AppendOptions, Ledger } from '../../ledger/ledger.ts';
import { KeptTexts, longestInline, type Outgoing, withoutLongTexts } from './texts.ts';

/** The ledger, with new texts kept in that place. */
export function keepingTexts(ledger: Ledger, place: TextPlace, blobs: () => Promise<Blobs>): Ledger {
  const append = ledger.append.bind(ledger);
  const kept = new KeptTexts(blobs);
  ledger.append = async (stream, events, options) => {
    const settled = place === 'blobs' ? events.map(withoutTexts) : events.map(asItIs);
    await kept.keep(ledger, stream, settled);
    try {
      return await append(stream, eventsOf(settled), options);
    } catch (fault) {
      if (!(fault instanceof DuplicateId) || !mayDiffer(events, options)) throw fault;
      return await appendEach(append, { stream, events, settled: eventsOf(settled), options });
    }
  };
  return ledger;
}

const asItIs = (event: NewEvent): Outgoing => ({ event, texts: [] });

const eventsOf = (outgoing: readonly Outgoing[]): readonly NewEvent[] => outgoing.map(({ event }) => event);

function withoutTexts(event: NewEvent): Outgoing {
  const { data } = event;
  if (!(data instanceof CanonicalText)) return withoutLongTexts(event, longestInline.nothing);
  if (!data.text.includes('"text":"')) return asItIs(event);
  return withoutLongTexts({ ...event, data: parseJson(data.text) }, longestInline.nothing);
}

/** Events are appended one by one only if that does not affect the new ones. */
function mayDiffer(events: readonly NewEvent[], { expect }: AppendOptions): boolean {
  return events.length === 1 || expect === 'any';
}

interface Refused {
  readonly stream: string;
  readonly events: readonly NewEvent[];
  readonly settled: readonly NewEvent[];
  readonly options: AppendOptions;
}

/**
 * An event refused in the current form may exist in the other form. This call either matches the stored event or fails,
 * so it never stores a text in the wrong place.
 */
async function appendEach(append: Ledger['append'], { stream, events, settled, options }: Refused): Promise<Appended> {
  const { isNew: _, ...rest } = options;
  const all: Appended[] = [];
  for (const [i, event] of settled.entries()) {
    try {
      all.push(await append(stream, [event], rest));
    } catch (fault) {
      const original = events[i];
      if (!(fault instanceof DuplicateId) || original === undefined) throw fault;
      const other = event === original ? withoutTexts(original).event : original;
      all.push(await append(stream, [other], rest));
    }
  }
  const last = all.at(-1);
  if (last === undefined) throw new Error('an empty append was refused');
  return {
    revision: Math.max(...all.map(({ revision }) => revision)),
    existed: all.flatMap(({ existed }) => existed),
    digests: all.map(({ digests }) => digests).join(''),
    cursor: last.cursor,
  };
}
