// Where the texts of a ledger are kept is settled for all who write to it: in their events, or as blobs, so that they can be erased
// later. What is settled may change while a run goes on. Whoever resumes it makes the same events again, and those that are
// there already stay as they were recorded, with their texts where they were put then.
import { CanonicalText } from '../../../schemas/canonical.ts';
import type { TextPlace } from '../../../schemas/config.ts';
import type { NewEvent } from '../../../schemas/envelope.ts';
import { parseJson } from '../../../schemas/json-text.ts';
import type { Blobs } from '../../ledger/blobs/blobs.ts';
import { DuplicateId } from '../../ledger/errors.ts';
import type { Appended, AppendOptions, Ledger } from '../../ledger/ledger.ts';
import { KeptTexts, longestInline, type Outgoing, withoutLongTexts } from './texts.ts';

/** The ledger itself, which from now on keeps the texts of what is appended to it there. */
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

/** Events are tried one by one only where that changes nothing for those that are new. */
function mayDiffer(events: readonly NewEvent[], { expect }: AppendOptions): boolean {
  return events.length === 1 || expect === 'any';
}

interface Refused {
  readonly stream: string;
  readonly events: readonly NewEvent[];
  readonly settled: readonly NewEvent[];
  readonly options: AppendOptions;
}

/** One that is refused as settled may be there in the other form. As it is there or nowhere, this stores no text where none is to be. */
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
  if (last === undefined) throw new Error('an append of no events was refused');
  return {
    revision: Math.max(...all.map(({ revision }) => revision)),
    existed: all.flatMap(({ existed }) => existed),
    digests: all.map(({ digests }) => digests).join(''),
    cursor: last.cursor,
  };
}
