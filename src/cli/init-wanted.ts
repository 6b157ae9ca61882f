// Which ledger and which blobs `icecore init` is asked for, and what of that may be written down: all but passwords.
import { IcecoreError } from '../../schemas/errors.ts';
import { shellWord } from '../base/shell-word.ts';
import { variablesOfBlobs } from '../ledger/blobs/open.ts';
import {
  contactsOfLedger,
  driverOf,
  type LedgerUrl,
  parseLedgerUrl,
  type StoreUrl,
  storesOf,
  textOf,
} from '../ledger/stores.ts';
import type { GlobalFlags } from './globals.ts';

export interface InitOptions {
  /** True: where docker-compose.yml has them. */
  readonly split?: true | readonly string[];
  readonly name?: string;
  readonly blobs?: string;
}

/** As it stands in icecore.config.json. */
type LedgerSetting = string | { readonly decisions: string; readonly evidence: string };

export interface Wanted {
  /** Null where none was named. */
  readonly ledger: { readonly url: LedgerUrl; readonly setting: LedgerSetting } | null;
  readonly blobs: string | null;
}

/** Where docker-compose.yml has the two stores of a ledger. */
export function composedPlaces(name: string): readonly [decisions: string, evidence: string] {
  return [`esdb://localhost:2113/${name}?tls=false`, `kafka://localhost:9092/${name}`];
}

/** Throws where one thing is asked for twice, and what no URL can be. */
export function wantedOf({ ledger }: Pick<GlobalFlags, 'ledger'>, { split, name, blobs }: InitOptions): Wanted {
  if (split !== undefined && ledger !== undefined)
    throw misuse('found --ledger and --split, allowed: one of them', 'Both say where the ledger is.');
  if (name !== undefined && split !== true)
    throw misuse('--name goes with --split alone', 'A URL has its own name in it: what stands behind the host.');
  const url = split === undefined ? ledger : splitText(split === true ? composedPlaces(name ?? 'lab') : split);
  return { ledger: url === undefined ? null : named(parseLedgerUrl(url)), blobs: blobs ?? null };
}

function splitText(places: readonly string[]): string {
  const [decisions, evidence] = places;
  if (decisions === undefined || evidence === undefined || places.length > 2) {
    const found = places.length === 1 ? 'one URL' : `${places.length} URLs`;
    throw misuse(
      `--split: found ${found}, allowed: two, of the decisions and of the evidence, or none`,
      `For example: icecore init --split ${composedPlaces('lab')
        .map((place) => shellWord(place))
        .join(' ')}`,
    );
  }
  return `split:${decisions}+${evidence}`;
}

function named(url: LedgerUrl): { readonly url: LedgerUrl; readonly setting: LedgerSetting } {
  for (const store of storesOf(url)) refusePassword(store);
  if (url.scheme !== 'split') return { url, setting: textOf(url) };
  return { url, setting: { decisions: textOf(url.decisions), evidence: textOf(url.evidence) } };
}

/** Settings are shown, copied and committed. */
function refusePassword(store: StoreUrl): void {
  const password = driverOf(store).password(store);
  if (password === null) return;
  throw misuse(
    `found a password in the URL of ${textOf(store)}, allowed: none, since it would be written into the settings`,
    `Leave it out, and set ${password.variable} in the environment of every command.`,
  );
}

/** The environment variables without which a ledger there, or blobs there, cannot be reached. */
export function variablesFor(url: LedgerUrl, blobs: string | null): readonly string[] {
  const ofBlobs = blobs === null ? [] : variablesOfBlobs(blobs).required;
  return [...new Set([...contactsOfLedger(url).flatMap(({ variables }) => variables), ...ofBlobs])];
}

function misuse(what: string, remedy: string): IcecoreError {
  return new IcecoreError('usage', `init: ${what}`, { facts: { command: 'init' }, remedy });
}
