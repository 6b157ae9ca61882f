// A broker does not know a topic: it is not there, or has not yet come to its ears.
import { Stumble } from '../../remote/stumble.ts';
import { TopicMissing } from './errors.ts';

/** A topic that was just made is known to every broker soon. */
const withinMs = 500;

export class TopicUnheardOf extends Stumble {
  override readonly name = 'TopicUnheardOf';

  constructor(topic: string) {
    const soon = { withinMs, otherwise: () => new TopicMissing(topic) };
    super(`no broker knows the topic ${topic}`, { maybeDone: false, soon });
  }
}
