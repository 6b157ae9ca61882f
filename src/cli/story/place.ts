// Where a report goes: a file named after its run, or the one that was named.
import { constants } from 'node:fs';
import { open, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { IcecoreError } from '../../../schemas/errors.ts';
import { writeWhole } from '../../base/write-whole.ts';
import { generatorOf } from '../../document/document.ts';

/** Names of runs may hold what names of files may not. */
export function defaultFile(folder: string, { name, run }: { readonly name: string; readonly run: string }): string {
  const plain = name.replace(/[^\p{L}\p{N}._@+-]+/gu, '-').replace(/^[.-]+|[.-]+$/g, '');
  return join(folder, `${plain === '' || plain.length > 100 ? run : plain}.html`);
}

/** Throws where a file of that name is something else: nobody asked for it to be replaced. */
export async function requireOwnReport(path: string, run: string): Promise<void> {
  const start = await startOf(path);
  if (start === null || start.includes(`"${generatorOf('report', run)}"`)) return;
  throw new IcecoreError('conflict', `${path} is there already and is no report of this run`, {
    facts: { path },
    remedy: 'Name the file with --output, which replaces what is there.',
  });
}

/** Null where there is nothing, and empty of what is no regular file: a FIFO would never answer. */
async function startOf(path: string): Promise<string | null> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch(
    (fault: NodeJS.ErrnoException) => {
      if (fault.code === 'ENOENT') return null;
      throw fault;
    },
  );
  if (file === null) return null;
  try {
    if (!(await file.stat()).isFile()) return '';
    const { bytesRead, buffer } = await file.read(Buffer.alloc(1024), 0, 1024, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Whole or not at all; what is no file, a pipe or a terminal, is written to and not replaced. */
export async function putInto(path: string, text: string): Promise<void> {
  const there = await stat(path).catch(() => null);
  if (there !== null && !there.isFile()) await writeFile(path, text);
  else await writeWhole(path, text).catch(withoutFolder(path));
}

/** What is missing is the folder: the file is to be made. */
function withoutFolder(path: string): (fault: NodeJS.ErrnoException) => never {
  return (fault) => {
    if (fault.code !== 'ENOENT') throw fault;
    throw new IcecoreError('not-found', `${path} cannot be written: there is no folder ${dirname(path)}`, {
      facts: { path },
      remedy: 'Make the folder, or name another place.',
      cause: fault,
    });
  };
}
