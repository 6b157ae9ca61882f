// Reads what an endpoint answered: the text, the thoughts apart from it, why it stopped, and what it counted. Endpoints
// that all speak one protocol put these in many places.
import { contentOf } from './content.ts';
import type { Usage } from './conversation.ts';
import { NoAnswer } from './faults/answers.ts';
import type { Place } from './faults/fault.ts';
import { fieldsOf, textIn } from './fields.ts';
import { joined, withoutThoughts } from './thoughts.ts';
import { usageIn } from './usage.ts';

export interface Completion {
  /** Null where there is no text: a refusal without words, an answer that was held back, calls of tools. */
  readonly answer: string | null;
  readonly reasoning?: string;
  readonly finishReason: string;
  readonly usage?: Usage;
  /** What the endpoint says the model was. */
  readonly reported?: string;
}

/** Throws NoAnswer where there is none, not even a refusal. */
export function completionIn(body: object, place: Place): Completion {
  const { choices, usage, model } = fieldsOf(body);
  if (!Array.isArray(choices)) throw new NoAnswer(place, 'no list of choices');
  if (choices.length === 0) throw new NoAnswer(place, 'an empty list of choices');
  const choice = fieldsOf(choices[0]);
  const message = fieldsOf(choice['message']);
  const content = contentOf(message['content']);
  const refusal = textIn(message['refusal']);
  const spoken = withoutThoughts(content.text ?? '');
  // Who changes from one name of the field to the other says the same under both for a while.
  const aside = textIn(message['reasoning_content']) ?? textIn(message['reasoning']) ?? '';
  const reasoning = joined([aside, content.thoughts, spoken.reasoning]).toWellFormed();
  const calls = message['tool_calls'] ?? message['function_call'];
  const isSilent = spoken.text.trim() === '';
  const finishReason = finishReasonOf(choice['finish_reason'], refusal, isSilent && isThere(calls));
  // What was cut before the first word, or held back, may come without any message.
  if (!isThere(choice['message']) && !['length', 'content_filter'].includes(finishReason)) {
    throw new NoAnswer(place, 'a choice without a message');
  }
  const isNull = isSilent && ['tool_calls', 'content_filter', 'refusal'].includes(finishReason);
  const answer = refusal ?? (isNull ? null : spoken.text);
  const counted = usageIn(usage);
  const reported = nameIn(model);
  return {
    answer: answer?.toWellFormed() ?? null,
    finishReason,
    ...(reasoning === '' ? {} : { reasoning }),
    ...(counted === undefined ? {} : { usage: counted }),
    ...(reported === undefined ? {} : { reported }),
  };
}

const truncations = ['length', 'max_tokens', 'max_output_tokens', 'model_length'];
const filters = ['content_filter', 'safety', 'prohibited_content', 'blocklist', 'recitation', 'spii'];

function finishReasonOf(reason: unknown, refusal: string | undefined, calledTools: boolean): string {
  if (refusal !== undefined) return 'refusal';
  if (calledTools) return 'tool_calls';
  const told = nameIn(reason)?.toLowerCase() ?? 'unknown';
  if (truncations.includes(told)) return 'length';
  return filters.includes(told) ? 'content_filter' : told;
}

function isThere(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null;
}

/** What may be a name in an event: without control characters. */
function nameIn(value: unknown): string | undefined {
  const text = textIn(value)?.toWellFormed();
  const name = text?.replace(/\p{Cc}/gu, '').slice(0, 200);
  return name === '' ? undefined : name;
}
