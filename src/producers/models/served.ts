// What an endpoint says it serves: its list of models. It costs nothing, and not every endpoint has one.
import { fieldsOf, textIn } from '../../lab/models/answers.ts';
import { systemClock } from '../../lab/models/clock.ts';
import type { Limits, ModelEntry } from '../../lab/models/entries.ts';
import { exchange } from '../../lab/models/exchange.ts';
import { jsonIn } from '../../lab/models/reading.ts';
import { headersOf, placeOf } from '../../lab/models/request.ts';
import type { Secret } from '../../lab/models/secret.ts';

/** Null where it has no such list. Throws a ModelFault, or the signal's reason. */
export async function served(
  entry: ModelEntry,
  secret: Secret | null,
  limits: Limits,
  signal: AbortSignal,
): Promise<readonly string[] | null> {
  const place = placeOf(entry);
  const url = new URL(`${entry.url}/models`);
  const headers = { accept: 'application/json', ...headersOf(secret) };
  const received = await exchange({ place, url, headers, body: null, limits, clock: systemClock, signal });
  if (received.status === 404 || received.status === 405) return null;
  const { data } = fieldsOf(jsonIn(place, received, secret, systemClock.now()));
  return Array.isArray(data) ? data.flatMap((one) => textIn(fieldsOf(one)['id']) ?? []) : null;
}
