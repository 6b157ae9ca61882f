// The URL of a ledger: which store it is in, and where. A split ledger is two of them in one.
import { resolve } from 'node:path';
import { IcecoreError } from '../../schemas/errors.ts';
import {
  type EventStorePlace,
  nameOf as nameOfEventStore,
  parseEventStoreUrl,
  withoutPassword,
} from './eventstore/place.ts';
import { type KafkaPlace, nameOf, parseKafkaUrl } from './kafka/place.ts';

export const schemes = ['sqlite', 'esdb', 'esdb+discover', 'kafka', 'split'] as const;

/** A ledger in one store. */
export type StoreUrl =
  | { readonly scheme: 'sqlite'; readonly path: string }
  | { readonly scheme: 'kafka'; readonly url: string; readonly place: KafkaPlace }
  /** `url` without the password, which `place` may have. */
  | { readonly scheme: 'esdb'; readonly url: string; readonly place: EventStorePlace };

export interface SplitUrl {
  readonly scheme: 'split';
  readonly decisions: StoreUrl;
  readonly evidence: StoreUrl;
}

export type LedgerUrl = StoreUrl | SplitUrl;

/** Throws BadLedgerUrl, BadKafkaUrl, BadEventStoreUrl. */
export function parseLedgerUrl(url: string): LedgerUrl {
  if (!url.startsWith('split:')) return parseStoreUrl(url, url);
  const both = url.slice('split:'.length);
  const plus = both.search(behindFirst);
  if (plus < 0) throw new BadLedgerUrl(url, 'it has to name two ledgers', splitForm);
  const [decisions, evidence] = [both.slice(0, plus), both.slice(plus + 1)];
  if (evidence.search(behindFirst) >= 0) throw new BadLedgerUrl(url, 'it names more than two ledgers', splitForm);
  return { scheme: 'split', decisions: parseStoreUrl(decisions, url), evidence: parseStoreUrl(evidence, url) };
}

/** A plus may stand in a path: the one that parts two URLs has the scheme of the second behind it. */
const behindFirst = new RegExp(`\\+(?:${schemes.map((scheme) => scheme.replace('+', '\\+')).join('|')}):`);

/** `within`: all that was written, for messages. */
function parseStoreUrl(url: string, within: string): StoreUrl {
  const colon = url.indexOf(':');
  const path = url.slice(colon + 1);
  switch (schemes.find((known) => known === url.slice(0, colon))) {
    case 'sqlite':
      return sqliteUrl(path, within);
    case 'kafka':
      return { scheme: 'kafka', url, place: parseKafkaUrl(url) };
    case 'esdb':
    case 'esdb+discover':
      return { scheme: 'esdb', url: withoutPassword(url), place: parseEventStoreUrl(url) };
    case 'split':
      throw new BadLedgerUrl(within, 'a part of a split ledger is no split ledger itself', splitForm);
    default:
      throw new BadLedgerUrl(within);
  }
}

function sqliteUrl(path: string, within: string): StoreUrl {
  if (path === '') throw new BadLedgerUrl(within);
  const alone = 'Write sqlite:PATH alone.';
  if (/^\/\/(?!\/)/.test(path))
    throw new BadLedgerUrl(within, 'a SQLite file is on this machine, and has no host', alone);
  const [setting] = /\?[a-z]+=.*$/.exec(path) ?? [];
  if (setting === undefined) return { scheme: 'sqlite', path };
  throw new BadLedgerUrl(within, `a SQLite file takes no settings, found "${setting}"`, alone);
}

/** As a person would type it. */
export function textOf(url: LedgerUrl): string {
  switch (url.scheme) {
    case 'sqlite':
      return `sqlite:${url.path}`;
    case 'kafka':
    case 'esdb':
      return url.url;
    case 'split':
      return `split:${textOf(url.decisions)}+${textOf(url.evidence)}`;
  }
}

/** The same ledger from every folder: a relative path is meant from this one. */
export function absolute<Url extends LedgerUrl>(url: Url, folder: string): Url;
export function absolute(url: LedgerUrl, folder: string): LedgerUrl {
  if (url.scheme === 'sqlite') return { ...url, path: resolve(folder, url.path) };
  if (url.scheme === 'kafka')
    return { ...url, url: withCertificatesIn(url.url, folder), place: placeWithin(url.place, folder) };
  if (url.scheme === 'esdb')
    return { ...url, url: withCertificatesIn(url.url, folder), place: placeWithin(url.place, folder) };
  return { ...url, decisions: absolute(url.decisions, folder), evidence: absolute(url.evidence, folder) };
}

function placeWithin<Place extends { readonly ca: string | null }>(place: Place, folder: string): Place {
  return place.ca === null ? place : { ...place, ca: resolve(folder, place.ca) };
}

/** `ca=` names a file, also where the name of the setting is written with percent signs. */
function withCertificatesIn(url: string, folder: string): string {
  const mark = url.indexOf('?');
  if (mark < 0) return url;
  const [before, query] = [url.slice(0, mark), url.slice(mark + 1)];
  const settings = query.split('&').map((setting) => {
    const ca = new URLSearchParams(setting).get('ca');
    return ca === null ? setting : `ca=${encodeURIComponent(resolve(folder, ca)).replaceAll('%2F', '/')}`;
  });
  return `${before}?${settings.join('&')}`;
}

/** The files that a ledger is in: none of them may be taken for anything else. */
export function filesOf(url: LedgerUrl): readonly string[] {
  if (url.scheme === 'split') return [...filesOf(url.decisions), ...filesOf(url.evidence)];
  return url.scheme === 'sqlite' ? [url.path] : [];
}

/** One name for one place, whatever else a URL says. */
export function placeNamed(url: StoreUrl): string {
  if (url.scheme === 'kafka') return nameOf(url.place);
  if (url.scheme === 'esdb') return nameOfEventStore(url.place);
  return `sqlite:${resolve(url.path)}`;
}

/** Of all its stores. */
export function placesOf(url: LedgerUrl): readonly string[] {
  return storesOf(url).map(placeNamed);
}

export function storesOf(url: LedgerUrl): readonly StoreUrl[] {
  return url.scheme === 'split' ? [url.decisions, url.evidence] : [url];
}

const splitForm =
  'Write split:DECISIONS+EVIDENCE, for example split:sqlite:.icecore/ledger.db+kafka://localhost:9092/lab.';

export class BadLedgerUrl extends IcecoreError {
  override readonly name = 'BadLedgerUrl';

  constructor(
    url: string,
    what = '',
    remedy = 'Write sqlite:PATH, for example sqlite:.icecore/ledger.db, kafka://HOST:PORT/PREFIX, esdb://HOST:PORT/PREFIX, or split:DECISIONS+EVIDENCE with two of these.',
  ) {
    super('usage', `"${url}" is not the URL of a ledger${what === '' ? '' : `: ${what}`}`, {
      facts: { url, allowed: schemes },
      remedy,
    });
  }
}
