// The hashes of a Merkle tree as RFC 6962 has them: leaves and nodes are told apart by their first byte, so that no node
// can be passed off as a leaf. A leaf is an event: its entry is the 32 bytes of the event's digest.
import { hash } from 'node:crypto';

/** In hexadecimal, 64 digits: on this platform the fastest form to hash into and out of. */
export type Hash = string;

const digestBytes = 32;
const leaf = Buffer.alloc(1 + digestBytes, 0);
const node = Buffer.alloc(1 + 2 * digestBytes, 1);

/** What a tree without leaves hashes to. */
export const emptyRoot: Hash = hash('sha256', '');

export function leafHash(digest: Hash): Hash {
  leaf.write(digest, 1, digestBytes, 'hex');
  return hash('sha256', leaf);
}

export function nodeHash(left: Hash, right: Hash): Hash {
  node.write(left, 1, digestBytes, 'hex');
  node.write(right, 1 + digestBytes, digestBytes, 'hex');
  return hash('sha256', node);
}
