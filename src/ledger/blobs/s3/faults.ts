// What an S3-compatible server answers when it will not or cannot, turned into errors that say what it means for blobs.
import { IcecoreError } from '../../../../schemas/errors.ts';
import { StorageFailed } from '../../errors.ts';
import { BadBlobUrl, BlobStoreMissing } from '../errors.ts';
import type { Answer } from './answer.ts';
import type { S3Place } from './place.ts';
import { textOf } from './xml.ts';

/** The server did not answer, or not with what was asked for, however often it was asked. */
export class BlobsUnavailable extends IcecoreError {
  override readonly name = 'BlobsUnavailable';

  constructor(url: string, what: string, attempts: number, cause?: unknown) {
    super('unavailable', `${url}: ${what}, ${attempts} times in a row`, {
      facts: { url, what, attempts },
      cause,
      remedy: 'Check the endpoint and the network, and run the same again: what was stored is not stored twice.',
    });
  }
}

const badCredentials = new Set(['InvalidAccessKeyId', 'SignatureDoesNotMatch', 'ExpiredToken', 'InvalidToken']);
const wrongRegion = new Set([
  'PermanentRedirect',
  'AuthorizationHeaderMalformed',
  'IllegalLocationConstraintException',
]);

/** `permission` is what the request needs: `s3:GetObject`. */
export function refusal(place: S3Place, answer: Answer, permission: string): IcecoreError {
  const text = answer.body.toString();
  const code = textOf(text, 'Code') ?? '';
  const said = textOf(text, 'Message') ?? '';
  const { url, bucket } = place;
  if (code === 'NoSuchBucket') return new BlobStoreMissing(url, `the server has no bucket "${bucket}"`);
  if (wrongRegion.has(code) || answer.status === 301 || answer.status === 307) return elsewhere(place, answer, said);
  if (badCredentials.has(code)) return notAccepted(place, code);
  if (code === 'RequestTimeTooSkewed') return new StorageFailed(url, 'the clocks differ too much', setClock);
  if (answer.status === 403 || answer.status === 401) return forbidden(place, permission, code);
  const what = `the server answered ${answer.status} ${code} ${said}`.trim();
  return new StorageFailed(url, what, 'Check that the endpoint is an S3-compatible server, then run `icecore doctor`.');
}

const setClock = 'Set the clock of this machine: signatures hold for a few minutes only.';

function elsewhere(place: S3Place, answer: Answer, said: string): IcecoreError {
  const region = answer.headers.get('x-amz-bucket-region') ?? textOf(answer.body.toString(), 'Region');
  const what = region === null ? `is not answered from region ${place.region}: ${said}` : `lies in region ${region}`;
  return new BadBlobUrl(place.url, what, 'Name its region: …?region=REGION, or AWS_REGION.');
}

function notAccepted(place: S3Place, code: string): IcecoreError {
  const what = `the server does not accept the credentials (${code})`;
  const remedy = 'Check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and, for temporary ones, AWS_SESSION_TOKEN.';
  return new StorageFailed(place.url, what, remedy);
}

function forbidden(place: S3Place, permission: string, code: string): IcecoreError {
  const what = `the server forbids ${permission}${code === '' ? '' : ` (${code})`}`;
  const also = permission === 's3:GetObject' ? ' Without s3:ListBucket, it forbids also what is not there.' : '';
  return new StorageFailed(place.url, what, `Allow ${permission} on the bucket ${place.bucket}.${also}`);
}

/** What an answer says that may be another one a moment later; null when it is a final one. */
export function passingFault(method: string, answer: Answer): string | null {
  const { status } = answer;
  // What takes long is begun with 200 before it is known how it ends.
  const failedLate = method === 'POST' && status === 200 && answer.body.includes('<Error>');
  const passing = failedLate || status === 429 || status === 408 || (status >= 500 && status !== 501);
  return passing ? `the server answered ${status} ${textOf(answer.body.toString(), 'Code') ?? ''}`.trim() : null;
}
