// Whole numbers wider than a double holds: JSON.parse rounds them without a word, so that what is recorded would not be
// what was sent.
import { fieldOf } from '../../../schemas/phrase.ts';
import { badPiece } from './faults.ts';

/** Throws BadPiece at the first whole number of the text that was rounded. */
export function refuseWideIntegers(text: string): void {
  const wide: { holder: unknown; key: string; source: string }[] = [];
  // biome-ignore lint/plugin: only this tells how a number was written; names only say where it stands.
  const root: unknown = JSON.parse(text, function (this: unknown, key, value, context?: { source?: string }) {
    const source = context?.source ?? '';
    if (typeof value === 'number' && /^-?[0-9]+$/.test(source) && !Number.isSafeInteger(value)) {
      wide.push({ holder: this, key, source });
    }
    return value as unknown;
  });
  const [first] = wide;
  if (first === undefined) return;
  const field = fieldOf([...(pathTo(first.holder, root) ?? []), stepOf(first.holder, first.key)]);
  throw badPiece(
    field,
    `${first.source}, which a JSON number cannot hold exactly`,
    'whole numbers up to 2^53, or digits as text',
  );
}

function pathTo(wanted: unknown, value: unknown): PropertyKey[] | null {
  if (wanted === value) return [];
  if (typeof value !== 'object' || value === null) return null;
  for (const [key, member] of Object.entries(value)) {
    const below = pathTo(wanted, member);
    if (below !== null) return [stepOf(value, key), ...below];
  }
  return null;
}

function stepOf(holder: unknown, key: string): PropertyKey {
  return Array.isArray(holder) ? Number(key) : key;
}
