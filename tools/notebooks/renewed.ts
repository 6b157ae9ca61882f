// Updates the outputs of the notebooks from a ledger; equivalent outputs stay unchanged.
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { executed, whyNotInPython } from './executed.ts';
import { alike, isInPython, type Notebook, names, notebookIn, pathOf, withOutputs } from './notebook.ts';

/** The outputs of a notebook executed in a folder with a ledger, where a copy of it remains. */
export async function executedBeside(folder: string, name: string): Promise<Notebook> {
  const copy = join(folder, name);
  copyFileSync(pathOf(name), copy);
  return await executed(copy);
}

export async function renewNotebooks(folder: string): Promise<void> {
  const reason = whyNotInPython();
  if (reason !== null) console.warn(`The outputs of notebooks in Python are not updated: ${reason}`);
  for (const name of names) {
    const notebook = notebookIn(pathOf(name));
    if (reason !== null && isInPython(notebook)) continue;
    const renewed = withOutputs(notebook, await executedBeside(folder, name));
    if (isDeepStrictEqual(alike(renewed), alike(notebook))) continue;
    writeFileSync(pathOf(name), `${JSON.stringify(renewed, null, 1)}\n`);
  }
}
