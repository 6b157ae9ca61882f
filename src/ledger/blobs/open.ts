// From a URL to a blob store. A store is loaded only when its URL asks for it.
import type { Contact, Environment } from '../driver.ts';
import type { Blobs, OpenBlobsOptions } from './blobs.ts';
import { BadBlobUrl } from './errors.ts';
import { s3Contact } from './s3/location.ts';
import type { Shelf } from './shelf.ts';
import { VerifiedBlobs } from './verified.ts';

/** `folder:PATH`, or `s3://BUCKET/PREFIX?endpoint=…&region=…` with the credentials in the environment. */
export async function openBlobs(url: string, options: OpenBlobsOptions = {}): Promise<Blobs> {
  return new VerifiedBlobs(await openShelf(url, options), options.readOnly ?? false);
}

async function openShelf(url: string, options: OpenBlobsOptions): Promise<Shelf> {
  const [scheme, place] = split(url);
  if (scheme === 'folder' && place !== '' && !place.includes('\0'))
    return (await import('./folder-open.ts')).openFolder(url, place, options);
  if (scheme === 's3') return (await import('./s3/open.ts')).openS3(url);
  throw new BadBlobUrl(url);
}

function split(url: string): readonly [scheme: string, place: string] {
  const colon = url.indexOf(':');
  return [url.slice(0, Math.max(colon, 0)), url.slice(colon + 1)];
}

/** The servers of a blob store; none where it is a folder. */
export function contactsOfBlobs(url: string, env: Environment): readonly Contact[] {
  return url.startsWith('s3:') ? [s3Contact(url, env)] : [];
}
