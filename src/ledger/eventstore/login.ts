// Who one is to EventStoreDB: named by the URL or the environment.
import type { Environment, Login } from '../driver.ts';
import { refused } from './errors.ts';
import type { EventStorePlace } from './place.ts';

const userVariable = 'ICECORE_EVENTSTORE_USER';
export const passwordVariable = 'ICECORE_EVENTSTORE_PASSWORD';

/** What the URL itself says of the login is no secret of this user. What is not set today may be set tomorrow. */
export function variablesFor({ user, password, tls }: EventStorePlace): readonly string[] {
  if (!tls) return [];
  return [...(user === null ? [userVariable] : []), ...(password === null ? [passwordVariable] : [])];
}

/** Null where the server asks for none, or nobody says who one is. A password never goes anywhere without TLS. */
export function eventStoreLogin({ user, password, tls }: EventStorePlace, env: Environment): Login | null {
  const name = user ?? env[userVariable];
  const secret = password ?? env[passwordVariable];
  if (!tls || !name) return null;
  if (!secret) throw refused(`there is no password for ${name}`);
  return { user: name, password: secret };
}
