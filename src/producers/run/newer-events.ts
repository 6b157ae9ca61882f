// A history in which something was decided that this icecore cannot read. It may be looked at, and it says what is missing; to
// go on with it would be to decide again what is decided.
import { IcecoreError } from '../../../schemas/errors.ts';
import type { StoredEvent } from '../../ledger/stored.ts';

/** The first event of a stream that a newer icecore recorded. */
export interface NewerEvent {
  readonly type: string;
  readonly version: number;
  readonly stream: string;
  readonly revision: number;
}

/** Null for what is known, and for what is not as its type declares, which no newer icecore could read either. */
export function newerEvent({ reading, stream, revision }: StoredEvent): NewerEvent | null {
  if (reading.known || reading.why === 'unreadable') return null;
  const { type, version } = reading;
  return { type, version, stream, revision };
}

export class NewerHistory extends IcecoreError {
  override readonly name = 'NewerHistory';

  constructor(what: string, { type, version, stream, revision }: NewerEvent) {
    const event = `${type} version ${version} at ${stream}@${revision}`;
    super('newer-format', `${what} has an event that this icecore does not know: ${event}`, {
      facts: { type, version, stream, revision },
      remedy:
        'Go on with it in the icecore that recorded it. Here it can be looked at, and forked at a stage before that event.',
    });
  }
}
