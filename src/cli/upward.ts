// The way from a folder to the root of its file system, as git goes it to find a repository.
import { dirname, resolve } from 'node:path';

export function* upward(from: string): Generator<string> {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    yield folder;
    if (dirname(folder) === folder) return;
  }
}
