// A note for copies of one run, which have no streams of own events.
import { counted } from '../../base/quantity.ts';

const named = 5;

/** `whole`: the kind of copy that has them. */
export function leftOut(ownStreams: readonly string[], whole: string): string {
  const names = ownStreams.slice(0, named).join(', ');
  const more = ownStreams.length > named ? ` and ${ownStreams.length - named} more` : '';
  return `not part of it: ${counted(ownStreams.length, 'stream')} of own events, ${names}${more}; a ${whole} has them`;
}
