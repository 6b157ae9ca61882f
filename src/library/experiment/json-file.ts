// Reads a JSON file that a person wrote. Errors name the line and column.
import { closeSync, openSync, readSync } from 'node:fs';
import { resolve } from 'node:path';
import { IcecoreError } from '../../../schemas/errors.ts';
import { parseJson } from '../../../schemas/json-text.ts';
import { findJsonFault } from '../../producers/intake/json-faults.ts';

/** `field`: the option or argument that names the file. */
export function jsonIn(path: string, cwd: string, field: string): unknown {
  const text = textIn(resolve(cwd, path), field).replace(/^\ufeff/, '');
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

function textIn(path: string, field: string): string {
  try {
    return boundedText(path);
  } catch (fault) {
    const { code, message } = fault as NodeJS.ErrnoException;
    const what = code === 'ENOENT' ? 'there is no such file' : message;
    throw new IcecoreError('not-found', `${field}: ${path}: ${what}`, {
      facts: { field, path },
      remedy: 'Check the path.',
      cause: fault,
    });
  }
}

/** Settings are short. A pipe is read to its end; endless input, such as a device, only up to the limit. */
const maxBytes = 64 * 1024 * 1024;

function boundedText(path: string): string {
  const file = openSync(path, 'r');
  const pieces: Buffer[] = [];
  try {
    for (let bytes = 0; ; ) {
      const piece = Buffer.alloc(1 << 16);
      const read = readSync(file, piece);
      if (read === 0) return Buffer.concat(pieces).toString('utf8');
      pieces.push(piece.subarray(0, read));
      bytes += read;
      if (bytes > maxBytes) throw new Error(`it has more than ${maxBytes} bytes`);
    }
  } finally {
    closeSync(file);
  }
}
