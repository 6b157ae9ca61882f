// What a program told while it trained, kept in the folder of the training, line by line as it came: so that a training
// that was stopped can be gone on with, and one that is over need not be made again.
import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseJson } from '../../../../schemas/json-text.ts';
import { writeWhole } from '../../../base/write-whole.ts';
import { FolderTaken } from '../errors.ts';
import type { Point, Trained } from '../trainer.ts';
import type { Saved } from './snapshots.ts';

export type Entry =
  | { readonly kind: 'training'; readonly digest: string }
  | { readonly kind: 'point'; readonly point: Point }
  | ({ readonly kind: 'saved' } & Saved)
  | { readonly kind: 'trained'; readonly trained: Trained };

export const journalName = 'icecore-progress.ndjson';

export class Journal {
  readonly #path: string;
  readonly #head: Entry;

  constructor(folder: string, digest: string) {
    this.#path = join(folder, journalName);
    this.#head = { kind: 'training', digest };
  }

  /** What was told of this training so far. Throws FolderTaken where it is the journal of another. */
  async read(folder: string): Promise<Entry[]> {
    const text = await readFile(this.#path, 'utf8').catch(emptyWhereMissing);
    const [head, ...entries] = entriesIn(text);
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

function emptyWhereMissing(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return '';
  throw error;
}
