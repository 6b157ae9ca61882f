// Histories that are kept after the benchmark, because long ones take many minutes to make. They are read only; appending needs a copy.
import {
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { openLedger } from '../../src/ledger/open.ts';
import { Histories } from './histories.ts';

export interface History {
  readonly url: string;
  readonly path: string;
  readonly rollouts: number;
  readonly events: number;
  readonly bytes: number;
}

/** Reuses a history in the folder. */
export async function historyOf(rollouts: number, folder: string): Promise<History> {
  const path = join(folder, `history-${rollouts}.db`);
  if (!existsSync(path)) await make(rollouts, folder);
  const url = `sqlite:${path}`;
  const ledger = await openLedger(url, { readOnly: true });
  const { events } = await ledger.head();
  await ledger.close();
  if (events < rollouts) throw new Error(`${path} is not a complete history of ${rollouts} rollouts: delete it`);
  return { url, path, rollouts, events, bytes: statSync(path).size };
}

/** Made in another folder first, because an interrupted one must not look complete. */
async function make(rollouts: number, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const making = mkdtempSync(join(folder, 'making-'));
  try {
    await new Histories(making).of(rollouts);
    // The ledger itself is moved last, so that its presence implies that of the other files.
    for (const name of readdirSync(making).sort().reverse()) renameSync(join(making, name), join(folder, name));
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
}

/** Takes no space on file systems with reflinks. The history must not be open. */
export function copyOf({ path }: History, folder: string): string {
  const copy = join(folder, 'copy.db');
  for (const part of ['', '-wal']) {
    if (existsSync(`${path}${part}`)) copyFileSync(`${path}${part}`, `${copy}${part}`, constants.COPYFILE_FICLONE);
  }
  return `sqlite:${copy}`;
}
