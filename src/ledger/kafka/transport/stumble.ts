// What went wrong on the way to a broker and may go well another time.

/** What may go well another time; `message` says what happened. */
export class Stumble extends Error {
  override readonly name: string = 'Stumble';
  /** Whether the broker may have done what it was asked all the same. */
  readonly maybeDone: boolean;

  constructor(what: string, options: { readonly maybeDone: boolean; readonly cause?: unknown }) {
    super(what, { cause: options.cause });
    this.maybeDone = options.maybeDone;
  }
}

/** A broker does not know the topic: it is not there, or has not yet come to its ears. */
export class TopicUnheardOf extends Stumble {
  override readonly name = 'TopicUnheardOf';
  readonly topic: string;

  constructor(topic: string) {
    super(`no broker knows the topic ${topic}`, { maybeDone: false });
    this.topic = topic;
  }
}
