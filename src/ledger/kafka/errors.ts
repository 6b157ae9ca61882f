// What can go wrong with a ledger in Kafka that no other store knows.
import { IcecoreError } from '../../../schemas/errors.ts';
import type { Lane } from './lanes.ts';

/** A part of the log is gone: its beginning was removed, or it ends before what was read of it. */
export class HistoryShrank extends IcecoreError {
  override readonly name = 'HistoryShrank';

  constructor({ topic, partition }: Lane, start: number, end: number, known: number) {
    const what = start > 0 ? `begins at offset ${start}` : `ends at offset ${end}, and was read up to ${known}`;
    super('damaged', `${topic}/${partition} ${what}: a part of the history is gone`, {
      facts: { topic, partition, start, end, known },
      remedy:
        'Write nothing. Bring the topic back from a copy; see that retention.ms and retention.bytes are -1 and that no broker may lead that lacks what was acknowledged (unclean.leader.election.enable=false).',
    });
  }
}

/** Others write the same stream all the time. */
export class NeverFirst extends IcecoreError {
  override readonly name = 'NeverFirst';

  constructor(stream: string, tries: number) {
    super('unavailable', `${stream}: ${tries} times somebody else's events came first`, {
      facts: { stream, tries },
      remedy: 'See who else writes to it, and run the same again: events that were stored are not stored twice.',
    });
  }
}

/** Who wrote a stream without a chain was asleep, or cut off, while another took it over. */
export class TakenOver extends IcecoreError {
  override readonly name = 'TakenOver';

  constructor(stream: string, revision: number) {
    super(
      'conflict',
      `${stream}: another writer has taken it over; what was to be revision ${revision} and on is not stored`,
      {
        facts: { stream, revision },
        remedy:
          'One writer at a time writes to it: stop this one or the other. Running the same again takes it over in turn, and what is stored is not stored twice.',
      },
    );
  }
}
