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

/** What lies behind the beginning of a transaction is shown to nobody until that is over. */
export class Undecided extends IcecoreError {
  override readonly name = 'Undecided';

  constructor({ topic, partition }: Lane, from: number) {
    super(
      'unavailable',
      `${topic}/${partition} cannot be read from offset ${from} on: somebody else's transaction is still open there`,
      {
        facts: { topic, partition, from },
        remedy:
          'Find it with `kafka-transactions.sh --bootstrap-server HOST:PORT find-hanging`, end it, and run the same again: what was stored is not stored twice.',
      },
    );
  }
}

/** What was sent and stored is in a form that nobody here can read. */
export class SentUnreadable extends IcecoreError {
  override readonly name = 'SentUnreadable';

  constructor({ topic, partition }: Lane, offset: number, why: string) {
    super(
      'unsupported',
      `what was sent to ${topic}/${partition} and lies there at offset ${offset} cannot be read: ${why}`,
      {
        facts: { topic, partition, offset, why },
        remedy: `kafka-configs.sh --bootstrap-server HOST:PORT --alter --topic ${topic} --add-config compression.type=producer, and run the same again.`,
      },
    );
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
