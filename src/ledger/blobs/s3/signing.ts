// Requests signed with AWS Signature Version 4, the hash of the body included: the server refuses what was altered on the
// way.
import { AwsV4Signer } from 'aws4fetch';
import { sha256 } from '../../identity/ids.ts';
import type { S3Place } from './place.ts';

export interface S3Request {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** An object of the bucket; the bucket itself without one. */
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

export interface SignedRequest {
  readonly url: string;
  readonly headers: Headers;
}

/** Derived signing keys, for a day each: the same for all requests of it. */
const derivedKeys = new Map<string, ArrayBuffer>();

/** `datetime` as `20130524T000000Z`; without one, now. */
export async function sign(place: S3Place, request: S3Request, datetime?: string): Promise<SignedRequest> {
  const { accessKeyId, secretAccessKey, sessionToken } = place.credentials;
  const signer = new AwsV4Signer({
    method: request.method,
    url: urlOf(place, request),
    headers: { ...request.headers, 'x-amz-content-sha256': sha256(request.body ?? '') },
    service: 's3',
    region: place.region,
    accessKeyId,
    secretAccessKey,
    ...(sessionToken === null ? {} : { sessionToken }),
    cache: derivedKeys,
    ...(datetime === undefined ? {} : { datetime }),
  });
  const { url, headers } = await signer.sign();
  return { url: url.href, headers };
}

function urlOf(place: S3Place, { key = '', query = {} }: S3Request): string {
  const path = key.split('/').map(encode).join('/');
  const search = Object.entries(query).map(([name, value]) => `${encode(name)}=${encode(value)}`);
  return `${place.base}/${path}${search.length > 0 ? `?${search.join('&')}` : ''}`;
}

/** As the signature has it: all but letters, digits and `-._~`. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`);
}
