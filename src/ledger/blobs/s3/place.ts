// From a URL and the environment to a place on an S3-compatible server. Secrets come from the environment alone: a URL is
// shown, logged and written into configuration.
import { IcecoreError } from '../../../../schemas/errors.ts';
import { BadBlobUrl } from '../errors.ts';

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | null;
}

export interface S3Place {
  /** As it was typed. */
  readonly url: string;
  readonly bucket: string;
  /** What stands before every key: empty, or with a slash at its end. */
  readonly prefix: string;
  readonly region: string;
  /** Where the bucket answers, without a slash at its end. */
  readonly base: string;
  readonly credentials: Credentials;
}

export type Environment = Readonly<Record<string, string | undefined>>;

const allowed = ['endpoint', 'region'];
const bucketPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{1,253}[A-Za-z0-9]$/;

export class NoCredentials extends IcecoreError {
  override readonly name = 'NoCredentials';

  constructor(url: string, missing: readonly string[]) {
    super('usage', `${url} needs ${missing.join(' and ')} in the environment`, {
      facts: { url, missing },
      remedy: 'Export them, and AWS_SESSION_TOKEN where the credentials are temporary.',
    });
  }
}

export function s3Place(url: string, environment: Environment): S3Place {
  const { location, endpoint, region } = parse(url, environment);
  const bucket = location.host;
  return {
    url,
    bucket,
    prefix: prefixOf(url, location.pathname),
    region,
    base: endpoint === null ? amazon(bucket, region) : `${bareEndpoint(url, endpoint)}/${bucket}`,
    credentials: credentialsFrom(url, environment),
  };
}

function parse(url: string, environment: Environment): { location: URL; endpoint: string | null; region: string } {
  const location = URL.parse(url);
  if (location === null || !url.startsWith('s3://')) throw new BadBlobUrl(url);
  if (location.username !== '' || location.password !== '') throw secretInUrl(url);
  const surplus = [...location.searchParams.keys()].filter((name) => !allowed.includes(name));
  if (surplus.some((name) => /key|secret|token|credential|signature|password/i.test(name))) throw secretInUrl(url);
  if (surplus.length > 0) throw new BadBlobUrl(url, `knows no "${surplus[0]}"; it takes ${allowed.join(' and ')}`);
  if (location.hash !== '') throw new BadBlobUrl(url, 'has a "#"; in a prefix, write %23');
  if (!bucketPattern.test(location.host)) throw new BadBlobUrl(url, `names no bucket: "${location.host}" is none`);
  const named = (name: string, ...variables: readonly string[]): string | null =>
    location.searchParams.get(name) ?? variables.map((variable) => environment[variable]).find(Boolean) ?? null;
  return {
    location,
    endpoint: named('endpoint', 'AWS_ENDPOINT_URL_S3', 'AWS_ENDPOINT_URL'),
    region: named('region', 'AWS_REGION', 'AWS_DEFAULT_REGION') ?? 'us-east-1',
  };
}

function secretInUrl(url: string): BadBlobUrl {
  const remedy = 'Put them into AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. What was in the URL may have been logged.';
  return new BadBlobUrl(url, 'has credentials in it', remedy);
}

function prefixOf(url: string, pathname: string): string {
  const segments = decoded(url, pathname).split('/').slice(1);
  if (segments.at(-1) === '') segments.pop();
  if (segments.includes('')) throw new BadBlobUrl(url, 'has an empty name in its prefix');
  return segments.map((segment) => `${segment}/`).join('');
}

function decoded(url: string, pathname: string): string {
  try {
    return decodeURIComponent(pathname);
  } catch {
    throw new BadBlobUrl(url, 'has a "%" that encodes nothing; write %25');
  }
}

/** Amazon's own servers know a bucket by their name; one with dots would not fit their certificates. */
function amazon(bucket: string, region: string): string {
  const domain = `s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
  return bucket.includes('.') ? `https://${domain}/${bucket}` : `https://${bucket}.${domain}`;
}

function bareEndpoint(url: string, endpoint: string): string {
  const found = URL.parse(endpoint);
  if (found === null || !/^https?:$/.test(found.protocol) || found.search !== '' || found.hash !== '')
    throw new BadBlobUrl(url, 'is given an endpoint that is not http://HOST or https://HOST');
  if (found.username !== '' || found.password !== '') throw secretInUrl(url);
  return `${found.origin}${found.pathname.replace(/\/+$/, '')}`;
}

function credentialsFrom(url: string, environment: Environment): Credentials {
  const accessKeyId = environment['AWS_ACCESS_KEY_ID'] ?? '';
  const secretAccessKey = environment['AWS_SECRET_ACCESS_KEY'] ?? '';
  const missing = [];
  if (accessKeyId === '') missing.push('AWS_ACCESS_KEY_ID');
  if (secretAccessKey === '') missing.push('AWS_SECRET_ACCESS_KEY');
  if (missing.length > 0) throw new NoCredentials(url, missing);
  return { accessKeyId, secretAccessKey, sessionToken: environment['AWS_SESSION_TOKEN'] || null };
}
