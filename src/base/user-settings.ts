// Decisions of this user on this machine, stored in the user's own settings and never in a workspace, because an untrusted
// folder must not bring decisions along. Each decision is one small JSON file, so that several processes can record
// decisions at the same time without losing any.
import { createHash } from 'node:crypto';
import { closeSync, lstatSync, openSync, readdirSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { parseJson } from '../../schemas/json-text.ts';
import { makeFolder } from './folders.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** `$XDG_CONFIG_HOME/icecore`, else `~/.config/icecore`. A relative path is ignored, as the XDG specification requires. */
export function userFolder(env: Environment = process.env): string {
  const named = env['XDG_CONFIG_HOME'];
  if (named !== undefined && isAbsolute(named)) return join(named, 'icecore');
  const base = env['HOME'];
  return join(base !== undefined && isAbsolute(base) ? base : homedir(), '.config', 'icecore');
}

/** Larger records were not written by icecore. */
const maxRecordBytes = 1 << 20;

/** Records of one kind, such as trusted hosts, by key. */
export class UserRecords {
  readonly folder: string;

  constructor(kind: string, env: Environment = process.env) {
    this.folder = join(userFolder(env), kind);
  }

  /** Null: there is no readable record. */
  read(key: string): unknown {
    return readRecord(this.#pathOf(key));
  }

  /** Replaces the record of that key. Throws StorageFailed without a folder, and the error of the file system if writing fails. */
  write(key: string, record: object): void {
    const path = this.#pathOf(key);
    const part = `${path}.${process.pid}.part`;
    makeFolder(this.folder, 0o700);
    const file = openSync(part, 'w', 0o600);
    try {
      writeSync(file, `${JSON.stringify(record, null, 2)}\n`);
    } finally {
      closeSync(file);
    }
    renameSync(part, path);
  }

  remove(key: string): void {
    rmSync(this.#pathOf(key), { force: true });
  }

  all(): readonly unknown[] {
    const names = listFolder(this.folder).filter((name) => /^[0-9a-f]{64}\.json$/.test(name));
    return names.map((name) => readRecord(join(this.folder, name))).filter((record) => record !== null);
  }

  #pathOf(key: string): string {
    return join(this.folder, `${createHash('sha256').update(key).digest('hex')}.json`);
  }
}

function readRecord(path: string): unknown {
  try {
    const { size } = requireRegularFile(path);
    return size > maxRecordBytes ? null : parseJson(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}

function requireRegularFile(path: string): { readonly size: number } {
  const found = lstatSync(path);
  if (!found.isFile()) throw new Error(`${path} is not a regular file`);
  return found;
}

function listFolder(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}
