// The errors of blob stores with their facts, and the meaning of file system errors for blobs.
import { IcecoreError } from '../../../schemas/errors.ts';
import { StorageFailed } from '../../base/folders.ts';

/** The store has no blob with this digest: it was never stored, or it was erased. */
export class BlobMissing extends IcecoreError {
  override readonly name = 'BlobMissing';
  readonly digest: string;

  constructor(digest: string, url: string) {
    super('not-found', `${url} has no blob ${digest}`, {
      facts: { digest, url },
      remedy: 'It was never put there, or it was erased. Look for it in a copy of the store.',
    });
    this.digest = digest;
  }
}

/** The stored bytes of a blob cannot be decompressed, or do not match its digest. */
export class BlobDamaged extends IcecoreError {
  override readonly name = 'BlobDamaged';
  readonly digest: string;

  /** `what` follows the blob's name: `hashes to …`, `cannot be decompressed: …`. */
  constructor(digest: string, where: string, what: string, cause?: unknown) {
    super('damaged', `${where}: the blob ${digest} ${what}`, {
      facts: { digest, where, what },
      cause,
      remedy: 'Restore it from a copy of the store, or put the same bytes again.',
    });
    this.digest = digest;
  }
}

/** The blob is too large to load into memory as a whole; `read` returns it in pieces. */
export function blobTooLarge(digest: string, where: string, most: number): IcecoreError {
  return new IcecoreError(
    'unsupported',
    `${where}: the blob ${digest} has more than ${most} bytes, too many to load at once`,
    { name: 'BlobTooLarge', facts: { digest, where, most }, remedy: 'Read it in pieces: icecore blob get.' },
  );
}

/** The text is not the digest of a blob: 64 lower-case hexadecimal digits. */
export function badDigest(found: string): IcecoreError {
  return new IcecoreError('bad-input', `"${found}" is not the digest of a blob`, {
    name: 'BadDigest',
    facts: { found },
    remedy: 'A digest is a SHA-256: 64 digits 0-9 and a-f, as in the event that names the blob.',
  });
}

/** The URL names no blob store that icecore can open, or has parts that it does not accept. */
export function badBlobUrl(url: string, why = 'is not the URL of a blob store', remedy = ''): IcecoreError {
  const shown = withoutSecrets(url);
  return new IcecoreError('usage', `"${shown}" ${why}`, {
    name: 'BadBlobUrl',
    facts: { url: shown },
    remedy: remedy || 'Write folder:PATH or s3://BUCKET/PREFIX, for example folder:.icecore/blobs.',
  });
}

/** A refused URL may contain a secret in the wrong place: before an @ or in a query. A path is shown unchanged. */
function withoutSecrets(url: string): string {
  if (!/^[A-Za-z0-9+.-]+:\/\//.test(url)) return url;
  const [place = ''] = url.split(/[?#]/);
  return place.replace(/:\/\/.*@/, '://…@') + (place === url ? '' : '…');
}

/** There is no blob store at the URL, and opening was not allowed to create one. */
export class BlobStoreMissing extends IcecoreError {
  override readonly name = 'BlobStoreMissing';

  constructor(url: string, found: string) {
    super('not-found', `there is no blob store at ${url}: ${found}`, {
      facts: { url, found },
      remedy: 'Check the path, and whether its disk is mounted. A new store is created only on request.',
    });
  }
}

/** The blob store has a format that this icecore does not understand. */
export function newerBlobStore(url: string, found: unknown, understood: number): IcecoreError {
  return new IcecoreError(
    'newer-format',
    `${url} has format ${JSON.stringify(found)}; this icecore understands ${understood}`,
    {
      name: 'NewerBlobStore',
      facts: { url, found, understood },
      remedy: 'Nothing was changed. Use the newer icecore that wrote it.',
    },
  );
}

/** A blob was to be stored or erased in a store that was opened with `readOnly`. */
export function blobsReadOnly(url: string, what: string): IcecoreError {
  return new IcecoreError('unsupported', `${url} was opened read-only: cannot ${what} a blob`, {
    name: 'BlobsReadOnly',
    facts: { url, what },
  });
}

/** The blob store was used after `close`. */
export function blobsClosed(url: string): IcecoreError {
  return new IcecoreError('internal', `${url} was closed`, { name: 'BlobsClosed', facts: { url } });
}

const freeSpace = 'Free some space and run the same command again: blobs are not stored twice.';
const allow = 'Check the owner and permissions of the folder and its content, or name another place.';
const remount = 'Mount its disk for writing, or name another place.';
const look = 'Check the disk, then run `icecore doctor`.';
const restore = 'Check whether its disk is mounted; restore the folder, or create a new one.';
const moveAway = 'Move it away: it has a name that icecore uses.';
const raiseLimit = 'Raise the limit of open files (`ulimit -n`), or run fewer jobs at a time.';

const meanings: Readonly<Record<string, readonly [what: string, remedy: string]>> = {
  ENOSPC: ['the disk is full; this blob was not stored', freeSpace],
  EDQUOT: ['the quota of the disk is used up; this blob was not stored', freeSpace],
  EROFS: ['the file system is mounted read-only', remount],
  EACCES: ['permission denied', allow],
  EPERM: ['the system does not permit it', allow],
  ENOENT: ['it has disappeared', restore],
  ENOTDIR: ['a file is where a folder must be', moveAway],
  EISDIR: ['a folder is where a file must be', moveAway],
  ENOTEMPTY: ['a folder is where a file must be', moveAway],
  EMFILE: ['too many files are open', raiseLimit],
  ENFILE: ['too many files are open', raiseLimit],
};

/** The code of a system error, such as `ENOENT`; empty for an error without one. */
export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}

/** Whether the error says that a file or folder does not exist. */
export function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT';
}

/** What the work results in; errors of the file system say what they mean for blobs. */
export async function translated<Result>(path: string, work: Promise<Result>): Promise<Result> {
  return await work.catch((error: unknown) => {
    throw translate(error, path);
  });
}

/** Other errors are returned unchanged. */
export function translate(error: unknown, path: string): unknown {
  if (error instanceof IcecoreError || !(error instanceof Error) || !('syscall' in error)) return error;
  const [what, remedy] = meanings[codeOf(error)] ?? [`reading or writing failed (${error.message})`, look];
  return new StorageFailed(path, what, remedy, error);
}
