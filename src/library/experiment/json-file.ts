// Reads a JSON file that a person wrote. Errors name the line and column.
import { resolve } from 'node:path';
import { IcecoreError } from '../../../schemas/errors.ts';
import { parseJson } from '../../../schemas/json-text.ts';
import { readGivenFile } from '../../base/given-file.ts';
import { findJsonFault } from '../../producers/intake/json-faults.ts';

/** `field`: the option or argument that names the file. */
export async function jsonIn(
  path: string,
  { cwd, signal }: { readonly cwd: string; readonly signal: AbortSignal },
  field: string,
): Promise<unknown> {
  const text = (await textIn(resolve(cwd, path), signal, field)).replace(/^\ufeff/, '');
  try {
    return parseJson(text);
  } catch {
    const { line, column, found, allowed } = findJsonFault(text);
    throw new IcecoreError(
      'bad-input',
      `${path}, line ${line}, column ${column}: found ${found}, allowed: ${allowed}`,
      {
        facts: { field, path, line, column, found, allowed },
        remedy: 'Fix the JSON there.',
      },
    );
  }
}

async function textIn(path: string, signal: AbortSignal, field: string): Promise<string> {
  try {
    return await readGivenFile(path, signal);
  } catch (fault) {
    signal.throwIfAborted();
    const { code, message } = fault as NodeJS.ErrnoException;
    const what = code === 'ENOENT' ? 'there is no such file' : message;
    throw new IcecoreError('not-found', `${field}: ${path}: ${what}`, {
      facts: { field, path },
      remedy: 'Check the path.',
      cause: fault,
    });
  }
}
