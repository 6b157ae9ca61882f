// What an endpoint says it serves: its list of models. It costs nothing, and not every endpoint has one.
import { parseJson } from '../../../schemas/json-text.ts';
import { systemClock } from '../../lab/models/clock.ts';
import type { ModelEntry } from '../../lab/models/entries.ts';
import { mostBytes } from '../../lab/models/exchange/body.ts';
import { codeOf, wordsOf } from '../../lab/models/exchange/broken.ts';
import { NotJson } from '../../lab/models/faults/answers.ts';
import { TimedOut, TooLarge, Unreachable } from '../../lab/models/faults/connection.ts';
import type { Place } from '../../lab/models/faults/fault.ts';
import { fieldsOf, textIn } from '../../lab/models/fields.ts';
import { refusalOf, shown } from '../../lab/models/refusal.ts';
import { headersOf, placeOf } from '../../lab/models/request.ts';
import type { Secret } from '../../lab/models/secret.ts';

/** Null where it has no such list. Throws a ModelFault, or the signal's reason. */
export async function served(
  entry: ModelEntry,
  secret: Secret | null,
  limitMs: number,
  signal: AbortSignal,
): Promise<readonly string[] | null> {
  const place = placeOf(entry);
  const timeUp = AbortSignal.timeout(limitMs);
  try {
    const response = await fetch(`${entry.url}/models`, {
      headers: { accept: 'application/json', ...headersOf(secret) },
      redirect: 'manual',
      signal: AbortSignal.any([signal, timeUp]),
    });
    const body = await textOf(response, place);
    if (response.ok) return namesIn(body, place, secret, response);
    if (response.status === 404 || response.status === 405) return null;
    const headers = Object.fromEntries(response.headers);
    throw refusalOf(place, { status: response.status, headers, body }, secret, systemClock.now());
  } catch (fault) {
    if (signal.aborted) throw signal.reason;
    if (timeUp.aborted) throw new TimedOut(place, 'whole', limitMs);
    throw fault instanceof TypeError ? unreachable(place, fault) : fault;
  }
}

async function textOf({ body }: Response, place: Place): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > mostBytes) throw new TooLarge(place, 'answer', mostBytes);
  }
  return text + decoder.decode();
}

/** JSON that is no list of models is no list. Throws NotJson. */
function namesIn(text: string, place: Place, secret: Secret | null, response: Response): readonly string[] | null {
  const { data } = fieldsOf(parsed(text, place, secret, response));
  if (!Array.isArray(data)) return null;
  return data.flatMap((one) => textIn(fieldsOf(one)['id']) ?? []);
}

function parsed(text: string, place: Place, secret: Secret | null, { status, headers }: Response): unknown {
  try {
    return parseJson(text);
  } catch {
    const contentType = headers.get('content-type') ?? 'no content type';
    const begins = shown(text.slice(0, 1000), secret).slice(0, 80);
    const what = /^\s*</.test(text) ? 'a page' : 'something else';
    throw new NotJson(place, what, { status, contentType, begins });
  }
}

/** What fetch throws tells of the connection only by its cause. */
function unreachable(place: Place, fault: TypeError): Unreachable {
  const cause = fault.cause instanceof Error ? fault.cause : fault;
  return new Unreachable(place, codeOf(cause), wordsOf(cause), false, fault);
}
