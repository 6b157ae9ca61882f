// The certificates that `?ca=FILE` of a ledger's URL names. The URL may be that of a found settings file, so a FIFO, a device or
// a file without end must not stop or fill the process.
import { readRegularFile } from '../base/regular-file.ts';
import { StorageFailed } from './errors.ts';

const maxBytes = 1 << 20;

/** Throws StorageFailed. */
export function readCertificates(path: string): Buffer {
  try {
    return readRegularFile(path, maxBytes);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const what = `the certificates cannot be read (${why})`;
    throw new StorageFailed(path, what, 'See ?ca= in the URL of the ledger.', error);
  }
}
