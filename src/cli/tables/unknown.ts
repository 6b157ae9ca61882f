// What is said of events in the tables whose type or version this icecore does not know.
import { eventTypesWith } from '../../../schemas/own-events.ts';
import { count, counted } from '../../base/quantity.ts';
import { visible } from '../../base/visible.ts';
import type { UnknownEvents } from '../../ledger/unknown-events.ts';
import type { Io } from '../io.ts';

/** More kinds are only counted. */
const mostNamed = 4;

/** Without those of the program's own types: tables tell of all that icecore by itself does not know. */
export function unknownTo({ eventTypes }: Pick<Io, 'eventTypes'>, unknown: readonly UnknownEvents[]): UnknownEvents[] {
  const types = eventTypesWith(eventTypes);
  return unknown.filter(({ type, version }) => version > (types.get(type)?.versions.length ?? 0));
}

/** Of tables. */
export function unknownText(unknown: readonly UnknownEvents[]): string {
  return `${unknownClause(unknown)}, in no table but events: whoever recorded them, a newer icecore or another program, knows more of them`;
}

/** Of an answer that is made of events. */
export function leftOutText(unknown: readonly UnknownEvents[]): string {
  return `${unknownClause(unknown)}, left out of this answer: icecore event tail shows them`;
}

function unknownClause(unknown: readonly UnknownEvents[]): string {
  const events = unknown.reduce((sum, one) => sum + one.events, 0);
  const named = unknown
    .slice(0, mostNamed)
    .map((one) => `${visible(one.type)} version ${one.version}: ${count(one.events)}`);
  const more = unknown.length > mostNamed ? [`and ${unknown.length - mostNamed} more kinds`] : [];
  return `${counted(events, 'event')} of types or versions that this icecore does not know (${[...named, ...more].join(', ')})`;
}
