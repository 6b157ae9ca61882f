// What a program told while it trained, kept in the folder of the training, line by line as it came: so that a training
// that was stopped can be gone on with, and one that is over need not be made again.
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseJson } from '../../../../schemas/json-text.ts';
import { readRegularFile } from '../../../base/regular-file.ts';
import { writeWhole } from '../../../base/write-whole.ts';
import { FolderTaken } from '../errors.ts';
import type { Point, Trained } from '../trainer.ts';
import type { Saved } from './snapshots.ts';

export type Entry =
  | { readonly kind: 'training'; readonly digest: string }
  | { readonly kind: 'point'; readonly point: Point }
  /** `rollouts`: how many the reader has recorded by then. */
  | ({ readonly kind: 'saved'; readonly rollouts?: number } & Saved)
  | { readonly kind: 'trained'; readonly trained: Trained };

export const journalName = 'icecore-progress.ndjson';
const mostJournalBytes = 256 * 2 ** 20;

export class Journal {
  readonly #path: string;
  readonly #head: Entry;

  constructor(folder: string, digest: string) {
    this.#path = join(folder, journalName);
    this.#head = { kind: 'training', digest };
  }

  /** What was told of this training so far. Throws FolderTaken where it is the journal of another, and NotRegularFile. */
  async read(folder: string): Promise<Entry[]> {
    const [head, ...entries] = entriesIn(textOf(this.#path));
    if (head === undefined) return [];
    if (JSON.stringify(head) !== JSON.stringify(this.#head)) throw new FolderTaken(folder);
    return entries;
  }

  /** Begins anew with what is to be kept. */
  async begin(entries: readonly Entry[]): Promise<void> {
    await writeWhole(this.#path, [this.#head, ...entries].map(lineOf).join(''));
  }

  async add(entry: Entry): Promise<void> {
    await appendFile(this.#path, lineOf(entry), { flush: entry.kind !== 'point' });
  }
}

/** A line that was cut as it was written is none, and neither is what stands after it. */
function entriesIn(text: string): Entry[] {
  const entries: Entry[] = [];
  try {
    for (const line of text.split('\n').slice(0, -1)) entries.push(parseJson(line) as Entry);
  } catch {
    return entries;
  }
  return entries;
}

const lineOf = (entry: Entry): string => `${JSON.stringify(entry)}\n`;

/** Empty where there is none. */
function textOf(path: string): string {
  try {
    return readRegularFile(path, mostJournalBytes).toString('utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
