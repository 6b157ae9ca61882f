// Inputs that hold no events as they are, told by how they begin: for these, to correct a line is no advice.
import { isUtf8 } from 'node:buffer';
import { openList, openObject } from './characters.ts';
import { ForeignInput } from './faults.ts';
import type { Piece } from './piece.ts';

const packings: readonly (readonly [name: string, magic: Buffer, remedy: string])[] = [
  ['gzip', Buffer.from([0x1f, 0x8b]), unpacked('zcat')],
  ['Zstandard', Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), unpacked('zstdcat')],
  ['xz', Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]), unpacked('xzcat')],
  ['bzip2', Buffer.from('BZh'), unpacked('bzcat')],
  ['a ZIP archive', Buffer.from('PK\u0003\u0004'), unpacked('unzip -p')],
  [
    'an SQLite database',
    Buffer.from('SQLite format 3\0'),
    'Where it is a ledger, send what it holds: icecore event tail -n 1000 --json --ledger sqlite:FILE | icecore event append',
  ],
];

function unpacked(command: string): string {
  return `Unpack it on the way: ${command} FILE | icecore event append`;
}

/** Throws ForeignInput where an input that begins so is packed: no line of it is an event. */
export function refusePacked(head: Buffer): void {
  for (const [name, magic, remedy] of packings) {
    if (head.subarray(0, magic.length).equals(magic)) throw new ForeignInput(name, remedy);
  }
}

/** What to do about an input whose first line does not even begin as JSON; null where a line is to be corrected. */
export function adviceOn({ line, bytes }: Piece): string | null {
  if (line > 1 || bytes[0] === openObject || bytes[0] === openList) return null;
  const what = 'one JSON object a line, or a list of them';
  if (!isUtf8(bytes) || bytes.includes(0)) return `This looks like a binary file: name one that holds ${what}.`;
  if (table.test(bytes.toString('utf8'))) return `This looks like a table: write each row as an event, ${what}.`;
  return `The input is ${what}. Where other lines stand among them, --rejects FILE sets these aside.`;
}

/** Names with separators between them, and no space behind these. */
const table = /[^\s,;][,;\t][^\s,;]/;
