// The registry of stores, and the URLs of ledgers, which name a store and a place in it. A split ledger has two of them.
import { resolve } from 'node:path';
import { IcecoreError } from '../../schemas/errors.ts';
import type { Contact, PathChange, StoreDriver } from './driver.ts';
import { eventStoreDriver } from './eventstore/driver.ts';
import { kafkaDriver } from './kafka/driver.ts';
import { withoutSecrets } from './remote/server-url.ts';
import { sqliteDriver } from './sqlite/driver.ts';

const drivers = [sqliteDriver, eventStoreDriver, kafkaDriver] as const;

/** The URL of a ledger in one store, or of a part of a split one. */
export type StoreUrl = ReturnType<(typeof drivers)[number]['parse']>;

export interface SplitUrl {
  readonly scheme: 'split';
  readonly decisions: StoreUrl;
  readonly evidence: StoreUrl;
}

export type LedgerUrl = StoreUrl | SplitUrl;

export function driverOf<Url extends StoreUrl>(url: Url): StoreDriver<Url> {
  const driver = drivers.find(({ scheme }) => scheme === url.scheme);
  // Each driver gets only URLs that it made, which TypeScript cannot infer from the list.
  return driver as unknown as StoreDriver<Url>;
}

const prefixes: readonly string[] = [...drivers.flatMap((driver) => driver.prefixes), 'split'];

/** A plus may be part of a path: the separator of two URLs is followed by a scheme. */
const betweenParts = new RegExp(`\\+(?:${prefixes.map((prefix) => prefix.replace('+', '\\+')).join('|')}):`);

/** Throws BadLedgerUrl, BadServerUrl. */
export function parseLedgerUrl(url: string): LedgerUrl {
  if (!url.startsWith('split:')) return requireWhole(parseStoreUrl(url, url));
  const both = url.slice('split:'.length);
  const plus = both.search(betweenParts);
  if (plus < 0) throw new BadLedgerUrl(url, 'it must name two ledgers', splitForm);
  const [first, second] = [both.slice(0, plus), both.slice(plus + 1)];
  if (second.search(betweenParts) >= 0) throw new BadLedgerUrl(url, 'it names more than two ledgers', splitForm);
  const [decisions, evidence] = [parseStoreUrl(first, url), parseStoreUrl(second, url)];
  return { scheme: 'split', decisions: requireWhole(decisions), evidence };
}

/** `within` is the whole URL, for messages. */
function parseStoreUrl(url: string, within: string): StoreUrl {
  const prefix = url.slice(0, Math.max(url.indexOf(':'), 0));
  if (prefix === 'split')
    throw new BadLedgerUrl(within, 'a part of a split ledger cannot be a split ledger itself', splitForm);
  const driver = drivers.find((one) => one.prefixes.includes(prefix));
  if (driver === undefined) throw new BadLedgerUrl(within);
  return driver.parse(url, (what, remedy) => new BadLedgerUrl(within, what, remedy));
}

function requireWhole(url: StoreUrl): StoreUrl {
  const { isEvidenceOnly, form, scheme } = driverOf(url);
  if (!isEvidenceOnly) return url;
  const remedy = `Write split:DECISIONS+${form}, for example split:sqlite:.icecore/ledger.db+${textOf(url)}.`;
  throw new BadLedgerUrl(textOf(url), `${scheme} stores only the evidence of a ledger`, remedy);
}

/** As a person would type it, without passwords. */
export function textOf(url: LedgerUrl): string {
  if (url.scheme === 'split') return `split:${textOf(url.decisions)}+${textOf(url.evidence)}`;
  return driverOf(url).text(url);
}

export function mapPaths<Url extends LedgerUrl>(url: Url, change: PathChange): Url;
export function mapPaths(url: LedgerUrl, change: PathChange): LedgerUrl {
  if (url.scheme !== 'split') return driverOf(url).mapPaths(url, change);
  return { ...url, decisions: mapPaths(url.decisions, change), evidence: mapPaths(url.evidence, change) };
}

/** The same ledger from any folder: relative paths are resolved against this one. */
export function absolute<Url extends LedgerUrl>(url: Url, folder: string): Url {
  const change = (path: string): string => resolve(folder, path);
  return mapPaths(url, { file: change, certificates: change });
}

export function storesOf(url: LedgerUrl): readonly StoreUrl[] {
  return url.scheme === 'split' ? [url.decisions, url.evidence] : [url];
}

/** The files of a ledger, which must not be used for anything else. */
export function filesOf(url: LedgerUrl): readonly string[] {
  return storesOf(url).flatMap((store) => driverOf(store).files(store));
}

/** A unique name of the place, whatever else a URL contains. */
export function placeNamed(url: StoreUrl): string {
  return driverOf(url).name(url);
}

/** The servers of a ledger; none if it is in files. */
export function contactsOfLedger(url: LedgerUrl): readonly Contact[] {
  return storesOf(url).flatMap((store) => driverOf(store).contacts(store));
}

const splitForm =
  'Write split:DECISIONS+EVIDENCE, for example split:sqlite:.icecore/ledger.db+kafka://localhost:9092/lab.';
const wholeForms = drivers.filter(({ isEvidenceOnly }) => !isEvidenceOnly).map(({ form }) => form);
const anyForm = `Write ${wholeForms.join(', ')}, or ${splitForm.slice('Write '.length)}`;

/** The URL names no ledger that icecore can open. */
export class BadLedgerUrl extends IcecoreError {
  override readonly name = 'BadLedgerUrl';

  constructor(url: string, what = '', remedy = anyForm) {
    const shown = withoutSecrets(url);
    super('usage', `"${shown}" is not the URL of a ledger${what === '' ? '' : `: ${what}`}`, {
      facts: { url: shown, allowed: prefixes },
      remedy,
    });
  }
}
