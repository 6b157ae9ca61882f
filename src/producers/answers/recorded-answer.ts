// An answer of a model as the event that records it, and back. Both hold the same; long texts stand in the blob store.
import { codeOf, type EventData, type NewEventOf, versionOf } from '../../../schemas/catalogue.ts';
import type { NewEvent } from '../../../schemas/envelope.ts';
import { replaceTexts } from '../../../schemas/texts.ts';
import type { Answered } from '../../lab/models/conversation.ts';
import { eventId, sha256 } from '../../ledger/identity/ids.ts';
import type { Outgoing, OwnText } from '../intake/texts.ts';

type Recorded = EventData['ModelAnswered'];
export type RecordedText = NonNullable<Recorded['prompt']>;

/** The id follows from the key: whoever answers the same question makes the same event, or one that is refused. */
export function recordOf(answered: Answered, actor: string, at: string): NewEventOf<'ModelAnswered'> {
  const { prompt, answer, reasoning, ...rest } = answered;
  return {
    id: eventId({ run: answered.key, stage: 0, kind: codeOf('ModelAnswered'), index: 0 }),
    type: 'ModelAnswered',
    version: versionOf('ModelAnswered'),
    at,
    actor,
    run: null,
    stage: null,
    causes: [],
    data: {
      ...rest,
      prompt: { text: prompt },
      answer: answer === null ? null : { text: answer },
      ...(reasoning === undefined ? {} : { reasoning: { text: reasoning } }),
    },
  };
}

/** The event without the texts that are longer than so many bytes. */
export function withoutLongTexts(event: NewEvent, longest: number): Outgoing {
  const texts: OwnText[] = [];
  const data = replaceTexts(event.type, event.version, event.data, ({ text }) => {
    const bytes = Buffer.byteLength(text);
    // Half a surrogate has no UTF-8: the event is refused for it as it stands.
    if (bytes <= longest || !text.isWellFormed()) return null;
    const digest = sha256(text);
    texts.push({ digest, text });
    return { blob: digest, bytes };
  });
  return { event: { ...event, data }, texts };
}

/** `textOf` fetches what is kept as a blob; null where it is no more. */
export async function answeredFrom(
  { prompt, answer, reasoning, ...rest }: Recorded,
  textOf: (text: RecordedText) => Promise<string | null>,
  onLost: () => Error,
): Promise<Answered> {
  const said = answer === null ? null : await textOf(answer);
  if (said === null && answer !== null) throw onLost();
  const thoughts = reasoning === undefined ? null : await textOf(reasoning);
  return {
    // Read from JSON, in which nothing is undefined.
    ...(rest as Omit<Answered, 'prompt' | 'answer' | 'reasoning'>),
    // What was asked is known to whoever asks again, and may be erased.
    prompt: prompt === undefined ? '' : ((await textOf(prompt)) ?? ''),
    answer: said,
    ...(thoughts === null ? {} : { reasoning: thoughts }),
  };
}
