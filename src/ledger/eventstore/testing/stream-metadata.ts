// What a stream's metadata say of what is still shown of it, and who may do what with it.

export interface StreamMetadata {
  readonly maxCount: number | null;
  readonly maxAgeMs: number | null;
  readonly truncateBefore: number | null;
  readonly acl: Readonly<Partial<Record<AclKey, readonly string[]>>>;
}

/** Reading, writing and deleting a stream, and reading and writing its metadata. */
export type AclKey = '$r' | '$w' | '$d' | '$mr' | '$mw';

/** `$tb` of a soft-deleted stream; as a JavaScript number it is rounded, and so is this. */
const wholeStream = 9223372036854775807n;
export const softDeletion = `{"$tb":${wholeStream}}`;

const none: StreamMetadata = { maxCount: null, maxAgeMs: null, truncateBefore: null, acl: {} };
const aclKeys: readonly AclKey[] = ['$r', '$w', '$d', '$mr', '$mw'];

/** Metadata that make no sense are taken as none. */
export function parseMetadata(json: Uint8Array): StreamMetadata {
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(json).toString());
  } catch {
    return none;
  }
  if (!isRecord(parsed)) return none;
  const maxCount = integer(parsed['$maxCount'], 1);
  const maxAge = integer(parsed['$maxAge'], 1);
  const truncateBefore = integer(parsed['$tb'], 0);
  if (maxCount === undefined || maxAge === undefined || truncateBefore === undefined) return none;
  return { maxCount, maxAgeMs: maxAge === null ? null : maxAge * 1000, truncateBefore, acl: aclOf(parsed['$acl']) };
}

export function isSoftDeleted({ truncateBefore }: StreamMetadata): boolean {
  return truncateBefore === Number(wholeStream);
}

/** As they were, but shown again from a revision on. */
export function undeleted(json: Uint8Array, from: number): Uint8Array {
  const parsed: unknown = JSON.parse(Buffer.from(json).toString());
  return Buffer.from(JSON.stringify({ ...(isRecord(parsed) ? parsed : {}), $tb: from }));
}

/** Null where it is not said, undefined where it is wrong. */
function integer(value: unknown, least: number): number | null | undefined {
  if (value === undefined) return null;
  return typeof value === 'number' && Number.isInteger(value) && value >= least ? value : undefined;
}

function aclOf(value: unknown): StreamMetadata['acl'] {
  if (!isRecord(value)) return {};
  const roles = aclKeys.filter((key) => value[key] !== undefined).map((key) => [key, listed(value[key])]);
  return Object.fromEntries(roles);
}

function listed(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).filter((role) => typeof role === 'string');
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
