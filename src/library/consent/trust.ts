// `trust`: allows settings files, workspaces, ledgers and hosts on this machine.
import { statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { TrustResult } from '../../../schemas/output.ts';
import { isFolder } from '../../base/folders.ts';
import { realPathOf } from '../../base/real-path.ts';
import { shellLine } from '../../base/shell-word.ts';
import { LedgerMissing } from '../../ledger/errors.ts';
import { openLedger } from '../../ledger/open.ts';
import { absolute, filesOf, type LedgerUrl, parseLedgerUrl, placeNamed, storesOf } from '../../ledger/stores.ts';
import { listOf } from '../listing.ts';
import { configIn, configPathIn, isConfigName, modelsIn, requestsOf } from '../place/config.ts';
import { findPlace, requestsOfWorkspace } from '../place/place.ts';
import { upward, workspaceName } from '../place/workspace-folder.ts';
import type { Session } from '../session.ts';
import { type Consent, Consents, type GivenConsent, type HostConsent, type ProgramConsent } from './consents.ts';
import { commandForPath, consentToConfig, consentToWorkspace, linesOfConfig, Untrusted } from './gate.ts';
import { commandForPrograms, consentFor, programLine, programsNamedBy, withRealPaths } from './programs.ts';
import { isLoopback, serverIn } from './requests.ts';

/** Something that can be allowed: its requests, and the consents that allow them. */
export interface TrustRequest {
  /** What it belongs to, in icecore's words. */
  readonly heading: string;
  readonly requests: readonly string[];
  /** Empty if nothing needs to be allowed. */
  readonly consents: readonly Consent[];
  /** What to type to allow it. */
  readonly command: string;
}

/** A server to which settings files may send keys named *_API_KEY. */
export interface HostToTrust {
  /** NAME, NAME:PORT or a URL. */
  readonly host: string;
  /** Also without TLS, where others on the network can read what is sent. */
  readonly withoutTls?: boolean;
}

/** Everything this user has allowed. */
export function trusted({ env }: Pick<Session, 'env'>): TrustResult {
  return resultOf('listed', new Consents(env).all());
}

/** Allows requests, or a host, from now on. */
export async function trust(session: Session, wanted: readonly TrustRequest[] | HostToTrust): Promise<TrustResult> {
  const consents = new Consents(session.env);
  const requests = 'host' in wanted ? [] : wanted;
  const given = 'host' in wanted ? [hostConsent(wanted)] : requests.flatMap((request) => request.consents);
  for (const consent of given) consents.give(consent);
  for (const request of requests) await runTrusted(session, request);
  return resultOf(
    'trusted',
    given.flatMap((consent) => consents.find(consent) ?? []),
  );
}

/** Runs the code of newly allowed settings once, so that commands that only read know its result. */
async function runTrusted(
  { plugins, env, signal, notify }: Session,
  { heading, consents }: TrustRequest,
): Promise<void> {
  if (!consents.some(({ kind }) => kind === 'config')) return;
  const config = (await plugins.runConfigIn({ env, cwd: dirname(heading), signal }))?.config ?? null;
  if (config === null) return;
  const names = config.plugins.map(({ name }) => name);
  const what = names.length === 0 ? 'no plugins' : `the plugins ${names.join(', ')}`;
  await notify({ kind: 'note', text: `${config.path} registers ${what}` });
}

function hostConsent({ host, withoutTls = false }: HostToTrust): Consent {
  return { kind: 'host', host: requiredHost(host), ...(withoutTls ? { withoutTls } : {}) };
}

function requiredHost(text: string): string {
  const host = serverIn(text);
  if (host !== null) return host;
  throw misuse(
    `--host: found "${text}", allowed: a host like api.example.org or localhost:8000, with a path to allow only URLs below it, or a URL`,
  );
}

/** The requests at a path, or of the files found from the current folder upward. Throws if nothing is found. */
export async function trustRequests(session: Session, path?: string): Promise<readonly TrustRequest[]> {
  const places = path === undefined ? foundFrom(session.cwd) : placesAt(resolve(session.cwd, path));
  const files = places.map((place) =>
    isConfigName(basename(place)) ? configOffer(session, place) : workspaceOffer(session, place),
  );
  const offers = [...files, ...(await ledgerOffers(session, path))];
  if (offers.length > 0) return offers;
  const where = path === undefined ? `in ${session.cwd} or above it` : `at ${resolve(session.cwd, path)}`;
  throw new IcecoreError('not-found', `there is no icecore.config file and no ${workspaceName} ${where}`, {
    remedy: `Name one: icecore trust PATH. To trust a host: icecore trust --host NAME.`,
  });
}

function foundFrom(cwd: string): readonly string[] {
  const folders = [...upward(cwd)];
  const config = folders.map(configPathIn).find((path) => path !== null);
  const workspace = folders.map((folder) => join(folder, workspaceName)).find(isFolder);
  return [config ?? [], workspace ?? []].flat();
}

function placesAt(path: string): readonly string[] {
  if (isNamed(path)) return isThere(path) ? [path] : [];
  if (!isFolder(path)) return [];
  return [configPathIn(path) ?? [], join(path, workspaceName)].flat().filter(isThere);
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

function configOffer(session: Session, path: string): TrustRequest {
  const config = configIn(dirname(path), session.env);
  if (config === null) return { heading: path, requests: [], consents: [], command: commandForPath(path) };
  const all = requestsOf(config, session.env);
  const requests = linesOfConfig(config, all);
  const command = commandForPath(path);
  if (requests.length === 0) return { heading: path, requests: [asksForNothing], consents: [], command };
  return { heading: path, requests, consents: [consentToConfig(config, all)], command };
}

function workspaceOffer(session: Session, path: string): TrustRequest {
  const requests = requestsOfWorkspace(session, path);
  const command = commandForPath(path);
  if (requests.length === 0) return { heading: path, requests: [asksForNothing], consents: [], command };
  return { heading: path, requests, consents: [consentToWorkspace(path, requests)], command };
}

const asksForNothing = 'needs no permission';

/** The programs that the current ledger names, as they would run in that folder; none if the ledger may not be read yet. */
async function ledgerOffers(session: Session, path: string | undefined): Promise<readonly TrustRequest[]> {
  const { signal } = session;
  const cwd = path === undefined ? session.cwd : folderOf(resolve(session.cwd, path));
  try {
    const { config, ledger } = findPlace({ ...session, cwd });
    const opened = await openLedger(ledger.url, { readOnly: true, signal });
    try {
      const { registry } = await session.plugins.current();
      const programs = await programsNamedBy(opened, { env: session.env, cwd, registry }, modelsIn(config));
      if (programs.length === 0) return [];
      return [
        {
          heading: `${opened.url} names programs or files to use in ${cwd}:`,
          requests: programs.map(programLine),
          consents: programs.map((program) => consentFor(opened, program, 'trusted')),
          command: commandForPrograms(opened.url),
        },
      ];
    } finally {
      await opened.close();
    }
  } catch (fault) {
    if (!(fault instanceof IcecoreError)) throw fault;
    // The ledger may need what is being allowed here.
    if (!(fault instanceof Untrusted || fault instanceof LedgerMissing))
      await session.notify({
        kind: 'note',
        text: `Cannot read which programs the ledger names: ${fault.message}`,
      });
    return [];
  }
}

function folderOf(path: string): string {
  return isNamed(path) ? dirname(path) : path;
}

/** Whether the path is a settings file or a workspace, not a folder that contains one. */
function isNamed(path: string): boolean {
  return isConfigName(basename(path)) || basename(path) === workspaceName;
}

/** What to revoke. */
export interface RevokeOptions {
  /** A settings file, a workspace, or a folder with either; by default what is found from the current folder upward. */
  readonly path?: string;
  readonly host?: string;
}

/** Returns what is revoked. A path covers its file with any content, and the programs of the ledger there. */
export function revokeTrust(session: Session, { path, host }: RevokeOptions = {}): TrustResult {
  const consents = new Consents(session.env);
  const named = host === undefined ? null : requiredHost(host);
  const paths = (path === undefined ? foundFrom(session.cwd) : [resolve(session.cwd, path)]).map((one) =>
    realPathOf(one),
  );
  const ledger =
    path === undefined && session.ledger !== undefined ? absolute(parseLedgerUrl(session.ledger), session.cwd) : null;
  const isMeant = (consent: GivenConsent): boolean => {
    if (named !== null)
      return consent.kind === 'host' && (consent.host === named || consent.host.startsWith(`${named}/`));
    if (ledger !== null) return consent.kind === 'program' && isSamePlace(consent.url, ledger);
    if (consent.kind === 'host') return false;
    const files = consent.kind === 'program' ? filesNamedBy(consent) : [consent.path];
    return paths.some((real) => files.some((file) => file === real || file.startsWith(`${real}/`)));
  };
  const meant = consents.all().filter(isMeant);
  for (const consent of meant) consents.revoke(consent);
  return resultOf('revoked', meant);
}

/** None if the URL cannot be parsed. */
function filesNamedBy({ ledger, url }: ProgramConsent): readonly string[] {
  if (ledger === '') return [url];
  try {
    return filesOf(parseLedgerUrl(url));
  } catch {
    return [];
  }
}

/** Compares locations and ignores the other parts of the URLs. */
function isSamePlace(url: string, ledger: LedgerUrl): boolean {
  try {
    return String(realPlaces(parseLedgerUrl(url))) === String(realPlaces(ledger));
  } catch {
    return false;
  }
}

function realPlaces(ledger: LedgerUrl): readonly string[] {
  return storesOf(withRealPaths(ledger)).map(placeNamed);
}

function resultOf(action: TrustResult['action'], consents: readonly GivenConsent[]): TrustResult {
  return { action, ...listOf(consents.map(rowOf)) };
}

function rowOf(consent: GivenConsent): TrustResult['rows'][number] {
  const { kind, at } = consent;
  switch (consent.kind) {
    case 'config':
      return { kind, name: consent.path, detail: `sha256 ${consent.digest.slice(0, 12)}`, at };
    case 'host':
      return { kind, name: consent.host, detail: detailOf(consent), at };
    case 'workspace':
      return { kind, name: consent.path, detail: '', at };
    case 'program':
      return {
        kind,
        name: shellLine(consent.command),
        detail: `${consent.url}, in ${consent.folder}`,
        at,
      };
  }
}

function misuse(what: string): IcecoreError {
  return new IcecoreError('usage', `trust: ${what}`, { remedy: 'icecore trust --help shows the arguments.' });
}

/** Nobody else can read what is sent within this machine, so it needs no TLS. */
function detailOf({ host, withoutTls }: HostConsent): string {
  const [server = ''] = host.split('/');
  if (isLoopback(server)) return 'on this machine, also without TLS';
  return withoutTls === true ? 'also without TLS' : 'with TLS';
}
