// A well-behaved endpoint: it has one model and one key, counts tokens, respects limits, and streams on request. The
// test provides the text.
import type { Fields } from '../answers.ts';
import { completion, type Reply, type Seen, status, streams } from './endpoint.ts';

export const served = 'served-model';

/** The model's answer to a prompt, one token per word. */
type Mind = (prompt: string, body: Fields) => string;

export function wellBehaved(mind: Mind, key = 'sk-very-secret'): (index: number, seen: Seen) => Reply {
  return (_, { headers, body }) => {
    if (headers.authorization !== `Bearer ${key}`) return status(401, { error: { message: 'who are you?' } });
    if (body['model'] !== served) return status(404, { error: { message: `There is no ${body['model']}.` } });
    const prompt = promptIn(body);
    const words = mind(prompt, body).split(/(?<= )/);
    const limit = Number(body['max_tokens'] ?? words.length);
    const finish = words.length > limit ? 'length' : 'stop';
    const answer = words.slice(0, limit);
    const usage = { prompt_tokens: prompt.split(' ').length, completion_tokens: answer.length };
    if (body['stream'] !== true) return status(200, completion(answer.join(''), { finish, usage }));
    const pieces = answer.map((content) => ({ model: served, choices: [{ index: 0, delta: { content } }] }));
    const end = { model: served, choices: [{ index: 0, delta: {}, finish_reason: finish }] };
    return streams(...pieces, end, { model: served, choices: [], usage }, '[DONE]');
  };
}

export function promptIn(body: Fields): string {
  const messages = body['messages'] as readonly { readonly content: string }[];
  return messages.map(({ content }) => content).join('\n');
}
