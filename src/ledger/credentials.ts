// Every credential of a store: which environment variables hold it, whom it goes to, and the only place that reads it. Who may
// have it is decided before a store is opened, from the same list of contacts.
import { IcecoreError } from '../../schemas/errors.ts';
import { s3Location } from './blobs/s3/location.ts';
import { EventStoreRefused } from './eventstore/errors.ts';
import { type EventStorePlace, hostText } from './eventstore/place.ts';
import { type LedgerUrl, type StoreUrl, storesOf } from './url.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A server that opening a store connects to. */
export interface Contact {
  /** `HOST:PORT`, or `HOST` where the port is the usual one of its protocol. */
  readonly host: string;
  readonly tls: boolean;
  /** The environment variables whose values it gets, or gets proof of, wherever they are set. */
  readonly variables: readonly string[];
  /** A file with the certificates that say who the server is; null: those that Node trusts. */
  readonly ca: string | null;
}

const eventStoreUser = 'ICECORE_EVENTSTORE_USER';
const eventStorePassword = 'ICECORE_EVENTSTORE_PASSWORD';
const kafkaUser = 'ICECORE_KAFKA_USER';
const kafkaPassword = 'ICECORE_KAFKA_PASSWORD';
const awsId = 'AWS_ACCESS_KEY_ID';
const awsSecret = 'AWS_SECRET_ACCESS_KEY';
const awsToken = 'AWS_SESSION_TOKEN';

/** The servers of a ledger; none where it is in files. */
export function contactsOfLedger(url: LedgerUrl): readonly Contact[] {
  return storesOf(url).flatMap(contactsOfStore);
}

function contactsOfStore(store: StoreUrl): readonly Contact[] {
  if (store.scheme === 'sqlite') return [];
  if (store.scheme === 'kafka') {
    const { brokers, tls, ca, login } = store.place;
    const variables = login === null ? [] : [kafkaUser, kafkaPassword];
    return brokers.map((host) => ({ host, tls, ca, variables }));
  }
  const { hosts, tls, ca } = store.place;
  const variables = eventStoreVariables(store.place);
  return hosts.map((host) => ({ host: hostText(host), tls, ca, variables }));
}

/** What the URL itself says of the login is no secret of this user. What is not set today may be set tomorrow. */
function eventStoreVariables({ user, password, tls }: EventStorePlace): readonly string[] {
  if (!tls) return [];
  return [...(user === null ? [eventStoreUser] : []), ...(password === null ? [eventStorePassword] : [])];
}

/** The server of a blob store, whether the URL or the environment names it; none where it is a folder. */
export function contactsOfBlobs(url: string, env: Environment): readonly Contact[] {
  if (!url.startsWith('s3:')) return [];
  const { protocol, host } = new URL(s3Location(url, env).base);
  return [{ host, tls: protocol === 'https:', variables: [awsId, awsSecret, awsToken], ca: null }];
}

export interface Login {
  readonly user: string;
  readonly password: string;
}

/** Null where the server asks for none, or nobody says who one is. A password never goes anywhere without TLS. */
export function eventStoreLogin({ user, password, tls }: EventStorePlace, env: Environment): Login | null {
  const name = user ?? env[eventStoreUser];
  const secret = password ?? env[eventStorePassword];
  if (!tls || !name) return null;
  if (!secret) throw new EventStoreRefused(`there is no password for ${name}`);
  return { user: name, password: secret };
}

export function kafkaLogin(env: Environment): Login {
  const [user, password] = [env[kafkaUser], env[kafkaPassword]];
  if (user && password) return { user, password };
  throw new IcecoreError('usage', 'the URL says that Kafka asks who one is, and the environment does not say it', {
    remedy: `Set ${kafkaUser} and ${kafkaPassword}.`,
  });
}

export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | null;
}

export class NoCredentials extends IcecoreError {
  override readonly name = 'NoCredentials';

  constructor(url: string, missing: readonly string[]) {
    super('usage', `${url} needs ${missing.join(' and ')} in the environment`, {
      facts: { url, missing },
      remedy: `Export them, and ${awsToken} where the credentials are temporary.`,
    });
  }
}

export function s3Credentials(url: string, env: Environment): S3Credentials {
  const accessKeyId = env[awsId] ?? '';
  const secretAccessKey = env[awsSecret] ?? '';
  const missing = [...(accessKeyId === '' ? [awsId] : []), ...(secretAccessKey === '' ? [awsSecret] : [])];
  if (missing.length > 0) throw new NoCredentials(url, missing);
  return { accessKeyId, secretAccessKey, sessionToken: env[awsToken] || null };
}
