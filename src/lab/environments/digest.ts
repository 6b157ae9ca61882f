// Digests of values: SHA-256 of canonical JSON, as everywhere in icecore.
import { hash } from 'node:crypto';
import { canonicalJson } from '../../../schemas/canonical.ts';

/** SHA-256 of the canonical JSON of a value, in hexadecimal. Throws NotCanonical on what JSON cannot hold. */
export function digestOf(value: unknown): string {
  return hash('sha256', canonicalJson(value));
}
