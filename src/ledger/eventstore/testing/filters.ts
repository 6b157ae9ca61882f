// Which of all events somebody asked for: by the names of streams or the types of events, by prefixes or a pattern.
import type streams from '@eventstore/db-client/generated/streams_pb.js';
import type { Recorded } from './recorded.ts';

export type Matches = (event: Recorded) => boolean;
type FilterOptions = streams.ReadReq.Options.FilterOptions;

/** Written by the server for itself, and shown to nobody who reads all events. */
const hidden = /^\$epoch-information$|^\$persistentsubscription-\$all::.*-(checkpoint|parked)$/u;

export const visible: Matches = ({ stream }) => !(stream.startsWith('$') && hidden.test(stream));

/** Null for a filter that says nothing. */
export function matching(filter: FilterOptions): Matches | null {
  const byStream = filter.getStreamIdentifier();
  const expression = byStream ?? filter.getEventType();
  if (expression === undefined) return null;
  const asked = (event: Recorded): string => (byStream === undefined ? event.type : event.stream);
  const regex = expression.getRegex();
  if (regex !== '') {
    const pattern = new RegExp(regex, 'u');
    return (event) => visible(event) && pattern.test(asked(event));
  }
  const prefixes = expression.getPrefixList();
  return (event) => visible(event) && prefixes.some((prefix) => asked(event).startsWith(prefix));
}
