// The SQLite store in the registry of stores: `sqlite:PATH`.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { StoreDriver } from '../driver.ts';

export interface SqliteUrl {
  readonly scheme: 'sqlite';
  readonly path: string;
}

const alone = 'Write sqlite:PATH alone.';

export const sqliteDriver: StoreDriver<SqliteUrl> = {
  scheme: 'sqlite',
  prefixes: ['sqlite'],
  form: 'sqlite:PATH, for example sqlite:.icecore/ledger.db',
  isEvidenceOnly: false,
  parse(url, refuse) {
    const path = url.slice('sqlite:'.length);
    if (path === '') throw refuse('');
    if (/^\/\/(?!\/)/.test(path)) throw refuse('a SQLite file is on this machine and has no host', alone);
    const [setting] = /\?[a-z]+=.*$/.exec(path) ?? [];
    if (setting !== undefined) throw refuse(`a SQLite file has no settings, found "${setting}"`, alone);
    return { scheme: 'sqlite', path };
  },
  text: ({ path }) => `sqlite:${path}`,
  name: ({ path }) => `sqlite:${resolve(path)}`,
  mapPaths: (url, { file }) => ({ ...url, path: file(url.path) }),
  files: ({ path }) => [path],
  contacts: () => [],
  password: () => null,
  open: async ({ path }, options) => (await import('./store.ts')).openSqlite(path, options),
  isThere: ({ path }) => existsSync(path),
  check: async ({ path }) => (await import('./health.ts')).checkSqlite(path),
};
