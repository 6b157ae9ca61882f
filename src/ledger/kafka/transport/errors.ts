// What can go wrong between icecore and a Kafka broker, whichever client is used.
import { IcecoreError } from '../../../../schemas/errors.ts';
import { anyTime } from './transport.ts';

/** No broker answers, or none that leads the partition. */
export class KafkaAway extends IcecoreError {
  override readonly name = 'KafkaAway';

  constructor(brokers: readonly string[], what: string, cause?: unknown) {
    const who = brokers.join(', ');
    super('unavailable', `the Kafka brokers at ${who} cannot be reached: ${what}`, {
      facts: { brokers, what },
      cause,
      remedy: 'Start them, or name others in the URL, and run the same again: what was stored is not stored twice.',
    });
  }
}

/** Records were sent, and no answer says whether they are stored. */
export class OutcomeUnknown extends IcecoreError {
  override readonly name = 'OutcomeUnknown';

  constructor(topic: string, partition: number, what: string, cause?: unknown) {
    super('unavailable', `${topic}/${partition}: records were sent, and no answer came: ${what}`, {
      facts: { topic, partition, what },
      cause,
      remedy: 'Run the same again: what was stored is not stored twice.',
    });
  }
}

export class TopicMissing extends IcecoreError {
  override readonly name = 'TopicMissing';

  constructor(topic: string) {
    super('not-found', `Kafka has no topic ${topic}`, {
      facts: { topic },
      remedy: 'Make the ledger with `icecore init --ledger URL`, or bring the topic back from a copy.',
    });
  }
}

/** What was asked for lies before the first offset that is still there, or behind the last. */
export class OffsetsGone extends IcecoreError {
  override readonly name = 'OffsetsGone';

  constructor(topic: string, partition: number, from: number) {
    super('damaged', `${topic}/${partition} no longer has offset ${from}: a part of the history was removed`, {
      facts: { topic, partition, from },
      remedy: 'Set retention.ms=-1 and retention.bytes=-1 on the topic, and bring the events back from a copy.',
    });
  }
}

/** The broker takes no batch of that size. */
export class BatchTooLarge extends IcecoreError {
  override readonly name = 'BatchTooLarge';

  constructor(topic: string, bytes: number) {
    super('storage', `${topic} refuses a batch of about ${bytes} bytes`, {
      facts: { topic, bytes },
      remedy: 'Raise max.message.bytes on the topic: `icecore doctor` says what to.',
    });
  }
}

/** The broker knows who asks, and does not let them; or does not know them. */
export class KafkaRefused extends IcecoreError {
  override readonly name = 'KafkaRefused';

  constructor(what: string, cause?: unknown) {
    super('storage', `Kafka refuses: ${what}`, {
      facts: { what },
      cause,
      remedy: 'See ICECORE_KAFKA_USER and ICECORE_KAFKA_PASSWORD, and what that user may do with the topics.',
    });
  }
}

/** Whoever answers is not known to be the one that was asked for. */
export class BrokerUntrusted extends IcecoreError {
  override readonly name = 'BrokerUntrusted';

  constructor(what: string, cause?: unknown) {
    super('storage', `the certificate of a Kafka broker is not trusted: ${what}`, {
      facts: { what },
      cause,
      remedy: 'Name the file with the certificate of whoever signed it in the URL: ?tls=true&ca=FILE',
    });
  }
}

/** Refused for what was asked, not for who asked it. */
export class KafkaRejected extends IcecoreError {
  override readonly name = 'KafkaRejected';

  constructor(what: string, cause?: unknown) {
    super('storage', `Kafka does not do what was asked: ${what}`, {
      facts: { what },
      cause,
      remedy: 'See the settings of the brokers and of the topic: `icecore doctor` tells what icecore needs.',
    });
  }
}

/** The time that a record bears is too far from the broker's own. */
export class TimeRefused extends IcecoreError {
  override readonly name = 'TimeRefused';

  constructor(topic: string, cause: unknown) {
    const [after, before] = ['message.timestamp.after.max.ms', 'message.timestamp.before.max.ms'];
    super('storage', `${topic} refuses the time of an event: ${after} or ${before} allows none so far from now`, {
      facts: { topic },
      cause,
      remedy: `kafka-configs.sh --bootstrap-server HOST:PORT --alter --topic ${topic} --add-config ${after}=${anyTime},${before}=${anyTime}`,
    });
  }
}

/** A batch in a form that nothing here reads: one that is damaged, or one from before Kafka 0.11. */
export class BatchUnreadable extends IcecoreError {
  override readonly name = 'BatchUnreadable';

  constructor(topic: string, partition: number, offset: number, what: string, cause?: unknown) {
    super('unsupported', `${topic}/${partition}: the batch at offset ${offset} cannot be read: ${what}`, {
      facts: { topic, partition, offset, what },
      cause,
      remedy: 'Bring the topic back from a copy.',
    });
  }
}

export class TransportClosed extends IcecoreError {
  override readonly name = 'TransportClosed';

  constructor(brokers: readonly string[]) {
    super('internal', `the connections to Kafka at ${brokers.join(', ')} were closed`, { facts: { brokers } });
  }
}
