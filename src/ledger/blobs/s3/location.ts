// Finds the server and credentials of a bucket from its URL and the environment. A URL contains no secrets, since it is shown,
// logged and written into settings.
import { IcecoreError } from '../../../../schemas/errors.ts';
import type { Contact, Environment } from '../../driver.ts';
import { badBlobUrl } from '../errors.ts';

export interface S3Place {
  /** The URL as typed. */
  readonly url: string;
  readonly bucket: string;
  /** The prefix of every key: empty, or with a trailing slash. */
  readonly prefix: string;
  readonly region: string;
  /** The base URL of the bucket, without a trailing slash. */
  readonly base: string;
  readonly credentials: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
  };
}

const allowed = ['endpoint', 'region'];
const bucketPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{1,253}[A-Za-z0-9]$/;
const regionPattern = /^[A-Za-z0-9-]{1,64}$/;

function s3Location(url: string, env: Environment): Omit<S3Place, 'credentials'> {
  const location = URL.parse(url);
  if (location === null || !url.startsWith('s3://')) throw badBlobUrl(url);
  if (location.username !== '' || location.password !== '') throw secretInUrl(url);
  const surplus = [...location.searchParams.keys()].filter((name) => !allowed.includes(name));
  if (surplus.some((name) => /key|secret|token|credential|signature|password/i.test(name))) throw secretInUrl(url);
  if (surplus.length > 0) throw badBlobUrl(url, `knows no "${surplus[0]}"; it takes ${allowed.join(' and ')}`);
  if (location.hash !== '') throw badBlobUrl(url, 'has a "#"; in a prefix, write %23');
  if (!bucketPattern.test(location.host)) throw badBlobUrl(url, `names no bucket: "${location.host}" is none`);
  const bucket = location.host;
  const region = regionOf(url, location, env);
  const inUrl = location.searchParams.get('endpoint');
  const endpoint = inUrl ?? (env['AWS_ENDPOINT_URL_S3'] || env['AWS_ENDPOINT_URL'] || null);
  const base = endpoint === null ? amazon(bucket, region) : `${bareEndpoint(url, endpoint)}/${bucket}`;
  return { url, bucket, prefix: prefixOf(url, location.pathname), region, base };
}

/** A region becomes part of a host name of Amazon, so other characters are refused. */
function regionOf(url: string, { searchParams }: URL, env: Environment): string {
  const inUrl = searchParams.get('region');
  const region = inUrl ?? (env['AWS_REGION'] || env['AWS_DEFAULT_REGION'] || 'us-east-1');
  if (regionPattern.test(region)) return region;
  throw badBlobUrl(url, `is given the region "${region}", allowed: letters, digits and dashes`);
}

function secretInUrl(url: string): IcecoreError {
  const remedy =
    'Put them into AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. Change them: the URL may have been logged.';
  return badBlobUrl(url, 'has credentials in it', remedy);
}

function prefixOf(url: string, pathname: string): string {
  let path: string;
  try {
    path = decodeURIComponent(pathname);
  } catch {
    throw badBlobUrl(url, 'has a "%" that encodes nothing; write %25');
  }
  const segments = path.split('/').slice(1);
  if (segments.at(-1) === '') segments.pop();
  if (segments.includes('')) throw badBlobUrl(url, 'has an empty name in its prefix');
  return segments.map((segment) => `${segment}/`).join('');
}

/** Amazon's servers are named after buckets; a name with dots would not match their certificates. */
function amazon(bucket: string, region: string): string {
  const domain = `s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
  return bucket.includes('.') ? `https://${domain}/${bucket}` : `https://${bucket}.${domain}`;
}

function bareEndpoint(url: string, endpoint: string): string {
  const found = URL.parse(endpoint);
  if (found === null || !/^https?:$/.test(found.protocol) || found.search !== '' || found.hash !== '')
    throw badBlobUrl(url, 'is given an endpoint that is not http://HOST or https://HOST');
  if (found.username !== '' || found.password !== '') throw secretInUrl(url);
  return `${found.origin}${found.pathname.replace(/\/+$/, '')}`;
}

const idVariable = 'AWS_ACCESS_KEY_ID';
const secretVariable = 'AWS_SECRET_ACCESS_KEY';
const tokenVariable = 'AWS_SESSION_TOKEN';
export const s3Variables = { required: [idVariable, secretVariable], optional: [tokenVariable] };

/** The server of a bucket, from the URL or the environment. */
export function s3Contact(url: string, env: Environment): Contact {
  const { protocol, host } = new URL(s3Location(url, env).base);
  return { host, tls: protocol === 'https:', variables: [idVariable, secretVariable, tokenVariable], ca: null };
}

/** Throws BadBlobUrl, and NoCredentials. */
export function s3Place(url: string, env: Environment): S3Place {
  const location = s3Location(url, env);
  const { [idVariable]: accessKeyId, [secretVariable]: secretAccessKey, [tokenVariable]: sessionToken } = env;
  if (accessKeyId && secretAccessKey)
    return { ...location, credentials: { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) } };
  const missing = s3Variables.required.filter((name) => !env[name]);
  throw new IcecoreError('usage', `${url} needs ${missing.join(' and ')} in the environment`, {
    name: 'NoCredentials',
    facts: { url, missing },
    remedy: `Export them, and ${tokenVariable} if the credentials are temporary.`,
  });
}
