// The folder of the demo: made for it, and told from the folders of others by a file that says what it is.
import { existsSync, lstatSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { IcecoreError } from '../../../schemas/errors.ts';
import { makeFolder } from '../../ledger/folders.ts';

/** A ledger alone may be one that somebody keeps, and nothing recorded in it could be taken out again. */
const mark = 'demo.txt';

const says = `This folder was made by icecore demo. Its ledger is in .icecore, with what it needs beside it.
icecore demo goes on here, or shows again what there is. Delete the folder, and nothing of the demo is left.
`;

/** Throws where there are other things in it. */
export function prepareFolder(path: string): void {
  const isStrange = existsSync(path) && readdirSync(path).length > 0 && !existsSync(join(path, mark));
  if (isStrange) {
    throw new IcecoreError('conflict', `${path} is there already and holds other things`, {
      facts: { path },
      remedy: 'Name another folder: icecore demo FOLDER.',
    });
  }
  makeFolder(path);
  // Exclusively: in the place of a mark that is there, a link perhaps, nothing is written.
  if (lstatSync(join(path, mark), { throwIfNoEntry: false }) === undefined)
    writeFileSync(join(path, mark), says, { flag: 'wx' });
}
