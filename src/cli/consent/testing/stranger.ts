// A ledger as a stranger would hand it over: sound in every digest and seal, and with settings that name programs.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type { RunSettings } from '../../../../schemas/run-file.ts';
import { openLedger } from '../../../ledger/open.ts';
import { forge } from '../../../producers/recompute/testing/forging.ts';
import { runTiny, tinyPlace, tinySettings } from '../../../producers/run/testing/tiny.ts';
import { inFolder, type Ran, temporaryFolder } from '../../testing/harness.ts';

export interface Stranger {
  readonly folder: string;
  /** The folder with what the user decided. */
  readonly settings: string;
  /** A file that appears where a program of the ledger ran. */
  readonly canary: string;
  /** A program that leaves the canary, with its environment in it. */
  command(...words: readonly string[]): [string, ...string[]];
  icecore(...argv: readonly string[]): Promise<Ran>;
  /** With these environment variables. */
  icecoreWith(env: Readonly<Record<string, string>>, ...argv: readonly string[]): Promise<Ran>;
  hasRun(): boolean;
  /** The environment of the program that ran. */
  environment(): Readonly<Record<string, string>>;
}

export type Settings = Partial<RunSettings>;

/** One run is made for all tests: by default its first stage is complete, and a person is to decide on the second. */
export function strangers(
  made: Settings = { engineer: 'human', stages: 3 },
): (settings: (canary: Stranger['command']) => Settings) => Promise<Stranger> {
  const original = mkdtempSync(join(tmpdir(), 'icecore-stranger-'));
  beforeAll(async () => {
    const place = await tinyPlace(original);
    await runTiny(place, { run: 'tiny00000000', settings: tinySettings(made) });
    await place.ledger.close();
  }, 60_000);
  afterAll(() => rmSync(original, { recursive: true, force: true }));
  return async (settings) => {
    const stranger = strangerIn(temporaryFolder());
    mkdirSync(join(stranger.folder, '.icecore'));
    const from = await openLedger(`sqlite:${join(original, 'ledger.db')}`);
    const to = await openLedger(`sqlite:${join(stranger.folder, '.icecore/ledger.db')}`, { create: true });
    const change = settings(stranger.command);
    await forge(from, to, ({ type }, data) => {
      if (type !== 'RunStarted') return data;
      return { ...data, name: change.name ?? data.name, options: { ...data.options, ...change } };
    });
    await Promise.all([from.close(), to.close()]);
    cpSync(join(original, 'blobs'), join(stranger.folder, '.icecore/ledger.blobs'), { recursive: true });
    return stranger;
  };
}

export function strangerIn(folder: string): Stranger {
  const settings = temporaryFolder();
  const canary = join(temporaryFolder(), 'canary');
  const env = { XDG_CONFIG_HOME: settings };
  return {
    folder,
    settings,
    canary,
    command: (...words) => ['sh', '-c', `env -0 > ${canary}; exit 1`, ...words],
    icecore: inFolder(folder, { env }),
    icecoreWith: (more, ...argv) => inFolder(folder, { env: { ...env, ...more } })(...argv),
    hasRun: () => existsSync(canary),
    environment: () => {
      const pairs = readFileSync(canary, 'utf8').split('\0').filter(Boolean);
      return Object.fromEntries(
        pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
      );
    },
  };
}
