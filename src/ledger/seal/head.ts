// The head: the state of a whole ledger in a few lines, to be stored elsewhere. Its root is that of the Merkle tree over all
// events in the ledger's order, so a head reveals whether anything before it was altered, reordered or removed.
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { canonicalJson } from '../../../schemas/canonical.ts';
import { IcecoreError } from '../../../schemas/errors.ts';
import { headFormat, type LedgerHead } from '../../../schemas/head.ts';
import { messageOf } from '../../base/folders.ts';
import type { Ledger } from '../ledger.ts';
import { Span } from './span.ts';

type Unsigned = Omit<LedgerHead, 'signature'>;

/** Reads the digests of everything up to the current end. Throws NoHeadToMake if events are missing. */
export async function makeHead(
  ledger: Ledger,
  onProgress?: (events: number, of: number) => Promise<void>,
): Promise<Unsigned> {
  const { cursor, events } = await ledger.head();
  const tree = new Span();
  for await (const digests of ledger.digests({ until: cursor })) {
    tree.addAll(digests);
    await onProgress?.(tree.to, events);
  }
  if (tree.to !== events) throw noHeadToMake(ledger.url, events, tree.to);
  return { format: headFormat, ledger: ledger.id, events, cursor, root: tree.root(), at: new Date().toISOString() };
}

/** Signs a head with an ed25519 key and adds the signature and the public key to it. */
export function signHead(head: Unsigned, privateKey: KeyObject): LedgerHead {
  const value = sign(null, Buffer.from(canonicalJson(head)), privateKey).toString('base64url');
  return { ...head, signature: { algorithm: 'ed25519', publicKey: rawKey(createPublicKey(privateKey)), value } };
}

/** Whether the head's signature was made for exactly this head by the key that it names. */
export function isSignatureGood({ signature, ...head }: LedgerHead): boolean {
  if (signature === undefined) return false;
  try {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: signature.publicKey }, format: 'jwk' });
    return verify(null, Buffer.from(canonicalJson(head)), key, Buffer.from(signature.value, 'base64url'));
  } catch {
    return false;
  }
}

/** Reads a private key in PEM, as `openssl genpkey -algorithm ed25519` makes it. Throws BadKey. */
export function readPrivateKey(pem: string, where: string): KeyObject {
  return requireEd25519(() => createPrivateKey(pem), where);
}

/** Reads a public key in PEM. Throws BadKey. */
export function readPublicKey(pem: string, where: string): KeyObject {
  return requireEd25519(() => createPublicKey(pem), where);
}

/** The 32 bytes of a public key in base64url, as in heads. */
export function rawKey(key: KeyObject): string {
  return String(key.export({ format: 'jwk' }).x);
}

/** A short form of a key for people to compare. */
export function fingerprint(publicKey: string): string {
  return `SHA256:${createHash('sha256').update(Buffer.from(publicKey, 'base64url')).digest('base64').replace(/=+$/, '')}`;
}

function requireEd25519(read: () => KeyObject, where: string): KeyObject {
  let key: KeyObject;
  try {
    key = read();
  } catch (error) {
    throw badKey(where, messageOf(error));
  }
  if (key.asymmetricKeyType !== 'ed25519') throw badKey(where, `it is a key for ${key.asymmetricKeyType}`);
  return key;
}

/** A head would attest to the remaining events as if they were complete. */
function noHeadToMake(url: string, events: number, found: number): IcecoreError {
  return new IcecoreError('damaged', `no head can be made of ${url}: expected ${events} events, found ${found}`, {
    name: 'NoHeadToMake',
    facts: { url, events, found },
    remedy: 'Run `icecore verify` to see which are missing.',
  });
}

function badKey(where: string, what: string): IcecoreError {
  return new IcecoreError('bad-input', `${where} is not an ed25519 key: ${what}`, {
    name: 'BadKey',
    facts: { where, what },
    remedy:
      'Make one: openssl genpkey -algorithm ed25519 -out head.key; openssl pkey -in head.key -pubout -out head.pub',
  });
}
