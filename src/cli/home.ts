// Where things are: the home (.icecore, found upward like git's), the settings beside it, and the ledger's URL. Finding
// never makes anything.
import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isFolder, makeFolder } from '../ledger/folder.ts';
import { type Local, localOf } from '../ledger/local.ts';
import { absolute, filesOf, parseLedgerUrl, textOf } from '../ledger/url.ts';
import { type Config, configName, findConfig } from './config.ts';
import type { GlobalFlags } from './globals.ts';
import type { Io } from './io.ts';
import { takePasswords } from './passwords.ts';
import { upward } from './upward.ts';

export const homeName = '.icecore';

export interface Home {
  readonly path: string;
  readonly exists: boolean;
  readonly from: 'ICECORE_HOME' | 'found' | 'default';
}

export interface LedgerPlace {
  /** With absolute paths, so that it means the same from every folder. */
  readonly url: string;
  /** The files it is in; none where it is kept by a server. */
  readonly files: readonly string[];
  readonly from: '--ledger' | 'ICECORE_LEDGER' | typeof configName | 'home';
}

export interface Place {
  readonly home: Home;
  /** Null where there is no such file. */
  readonly config: Config | null;
  readonly ledger: LedgerPlace;
}

/** Throws on settings that cannot be read. */
export function findPlace(io: Pick<Io, 'env' | 'cwd'>, flags: Pick<GlobalFlags, 'ledger'>): Place {
  const home = findHome(io);
  const config = findConfig(io.cwd);
  return { home, config, ledger: findLedger(io, flags, config, home) };
}

export function findHome({ env, cwd }: Pick<Io, 'env' | 'cwd'>): Home {
  const named = env['ICECORE_HOME'];
  if (named) {
    const path = resolve(cwd, named);
    return { path, exists: existsSync(path), from: 'ICECORE_HOME' };
  }
  for (const folder of upward(cwd)) {
    const path = join(folder, homeName);
    if (isFolder(path)) return { path, exists: true, from: 'found' };
  }
  return { path: join(cwd, homeName), exists: false, from: 'default' };
}

/** Where `init` makes a home: like a repository of git's in this folder, whatever lies above it. */
export function homeHere({ env, cwd }: Pick<Io, 'env' | 'cwd'>): Home {
  if (env['ICECORE_HOME']) return findHome({ env, cwd });
  const path = join(cwd, homeName);
  return { path, exists: existsSync(path), from: 'default' };
}

export function findLedger(
  { env, cwd }: Pick<Io, 'env' | 'cwd'>,
  flags: Pick<GlobalFlags, 'ledger'>,
  config: Config | null,
  home: Home,
): LedgerPlace {
  if (flags.ledger !== undefined) return ledgerAt(flags.ledger, cwd, '--ledger');
  const named = env['ICECORE_LEDGER'];
  if (named) return ledgerAt(named, cwd, 'ICECORE_LEDGER');
  if (config?.ledger !== undefined) return ledgerAt(config.ledger, dirname(config.path), configName);
  return ledgerAt('sqlite:ledger.db', home.path, 'home');
}

/** A relative path is meant from the folder of whoever wrote it. */
function ledgerAt(url: string, folder: string, from: LedgerPlace['from']): LedgerPlace {
  const place = absolute(parseLedgerUrl(url), folder);
  takePasswords(place);
  return { url: textOf(place), files: filesOf(place), from };
}

/** Where what belongs to the ledger lies. */
export function localTo({ home, ledger }: Pick<Place, 'home' | 'ledger'>): Local {
  return localOf(parseLedgerUrl(ledger.url), home.path);
}

/** Makes the home where it is missing and something of the ledger is to lie in it; says whether it did. */
export function ensureHomeFor({ home, ledger }: Pick<Place, 'home' | 'ledger'>): boolean {
  return (ledger.from === 'home' || ledger.files.length === 0) && ensureHome(home);
}

/** Makes the home where it is missing; says whether it did. */
export function ensureHome(home: Pick<Home, 'path'>): boolean {
  const made = !existsSync(home.path);
  makeFolder(home.path);
  const ignore = join(home.path, '.gitignore');
  if (!existsSync(ignore)) writeFileSync(ignore, '*\n');
  return made;
}
