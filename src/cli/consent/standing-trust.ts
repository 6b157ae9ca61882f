// ICECORE_TRUST, for jobs and containers that nobody can ask: paths, hosts, or `*` for everything, with commas between them. It is part
// of the process environment, and so the user's own word.
import { resolve, sep } from 'node:path';
import { realPathOf } from '../../base/real-path.ts';
import { filesOf, parseLedgerUrl } from '../../ledger/stores.ts';
import type { Io } from '../io.ts';
import { serverIn } from './hosts.ts';

type Surroundings = Pick<Io, 'env' | 'cwd'>;

export class StandingTrust {
  readonly everything: boolean;
  readonly #paths: readonly string[];
  readonly #hosts: readonly string[];
  readonly #words: readonly string[];

  constructor({ env, cwd }: Surroundings) {
    const whole = (env['ICECORE_TRUST'] ?? '').trim();
    const words = whole.split(',').flatMap((word) => word.trim() || []);
    // The URL of a Kafka ledger may have commas in it.
    this.#words = [whole, ...words];
    this.everything = words.includes('*');
    this.#paths = words.flatMap((word) => pathIn(word) ?? []).map((path) => realPathOf(resolve(cwd, path)));
    this.#hosts = words.filter((word) => pathIn(word) === null).flatMap((word) => serverIn(word) ?? []);
  }

  /** The path itself, or a folder that holds it, is named. The path must be real. */
  coversPath(path: string): boolean {
    return this.everything || this.#paths.some((named) => path === named || path.startsWith(withSlash(named)));
  }

  /** A ledger that is kept by servers. */
  coversUrl(url: string): boolean {
    return this.everything || this.#words.includes(url);
  }

  /** With or without TLS: whoever names it in the environment has decided that. */
  coversHost(host: string): boolean {
    return this.everything || this.#hosts.includes(host);
  }
}

/** A path, or that of a ledger's URL; null for a host. */
function pathIn(word: string): string | null {
  const file = fileOfLedger(word);
  if (file !== null) return file;
  const isPath = word === '.' || word === '..' || word.includes('/') || word.includes(sep);
  return isPath && !word.includes('://') ? word : null;
}

/** Null where the word is not the URL of a ledger in one file. */
function fileOfLedger(word: string): string | null {
  try {
    const url = parseLedgerUrl(word);
    return url.scheme === 'split' ? null : (filesOf(url)[0] ?? null);
  } catch {
    return null;
  }
}

function withSlash(folder: string): string {
  return folder.endsWith(sep) ? folder : `${folder}${sep}`;
}
