// A head that was kept: read from a file, checked for its form and its signature.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { IcecoreError } from '../../../schemas/errors.ts';
import { head as headSchema, type LedgerHead } from '../../../schemas/head.ts';
import { parseJson } from '../../../schemas/json-text.ts';
import { fingerprint, isSignatureGood, rawKey, readPublicKey } from '../../ledger/seal/head.ts';
import type { Context } from '../context.ts';

export interface KeptHead {
  readonly head: LedgerHead;
  /** The fingerprint of the key that signed it; null where none did. */
  readonly signedBy: string | null;
  /** Whether that is the key that had to. */
  readonly isTrusted: boolean;
}

export async function readKeptHead(context: Context, file: string, keyFile: string | undefined): Promise<KeptHead> {
  const found = parse(file === '-' ? await text(context.io.stdin) : readGiven(context, file), file);
  const { signature } = found;
  if (signature !== undefined && !isSignatureGood(found))
    throw new ForgedHead(file, 'its signature is not of these words');
  const key = keyFile === undefined ? null : readPublicKey(readGiven(context, keyFile), keyFile);
  if (key !== null && signature?.publicKey !== rawKey(key)) {
    const by = signature === undefined ? 'nobody signed it' : `${fingerprint(signature.publicKey)} signed it`;
    throw new ForgedHead(file, `${by}, not ${keyFile} (${fingerprint(rawKey(key))})`);
  }
  return {
    head: found,
    signedBy: signature === undefined ? null : fingerprint(signature.publicKey),
    isTrusted: key !== null,
  };
}

/** Reads a file that was named. A folder in its place is told by its path, which the system's own fault leaves out. */
export function readGiven({ io }: Context, file: string): string {
  try {
    return readFileSync(resolve(io.cwd, file), 'utf8');
  } catch (fault) {
    throw fault instanceof Error ? Object.assign(fault, { path: file }) : fault;
  }
}

function parse(json: string, file: string): LedgerHead {
  let found: unknown;
  try {
    found = parseJson(json);
  } catch {
    throw new NoHead(file, 'it is not JSON');
  }
  const { success, data, error } = headSchema.safeParse(found);
  if (success) return data;
  const { path, message } = error.issues[0] ?? { path: [], message: 'it has another form' };
  throw new NoHead(file, `${path.join('.')}: ${message}`);
}

export class NoHead extends IcecoreError {
  override readonly name = 'NoHead';

  constructor(file: string, what: string) {
    super('bad-input', `${file} is not a head: ${what}`, {
      facts: { file, what },
      remedy: 'Give a file as icecore ledger head printed it.',
    });
  }
}

export class ForgedHead extends IcecoreError {
  override readonly name = 'ForgedHead';

  constructor(file: string, what: string) {
    super('damaged', `${file} cannot be trusted: ${what}`, {
      facts: { file, what },
      remedy: 'Use a head from a place you trust, and the public key that belongs to it.',
    });
  }
}
