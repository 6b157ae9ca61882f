// What `icecore trust` does: allows what a settings file, a workspace or a host is asked about, lists what is allowed, and
// revokes it.

import { statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { TrustResult } from '../../../schemas/output.ts';
import { isFolder } from '../../base/folders.ts';
import { realPathOf } from '../../base/real-path.ts';
import { shellLine } from '../../base/shell-word.ts';
import { visible } from '../../base/visible.ts';
import { type Column, table } from '../../document/layout.ts';
import { LedgerMissing } from '../../ledger/errors.ts';
import { openLedger } from '../../ledger/open.ts';
import { absolute, filesOf, type LedgerUrl, parseLedgerUrl, placeNamed, storesOf } from '../../ledger/stores.ts';
import { type Consent, Consents, type GivenConsent, type ProgramConsent } from '../../library/consent/consents.ts';
import {
  commandForPath,
  consentToConfig,
  consentToWorkspace,
  linesOfConfig,
  Untrusted,
} from '../../library/consent/gate.ts';
import {
  commandForPrograms,
  consentFor,
  programLine,
  programsNamedBy,
  withRealPaths,
} from '../../library/consent/programs.ts';
import { serverIn } from '../../library/consent/requests.ts';
import { configIn, configPathIn, isConfigName, modelsIn, requestsOf } from '../../library/place/config.ts';
import { findPlace, requestsOfHome } from '../../library/place/place.ts';
import { upward, workspaceName } from '../../library/place/workspace-folder.ts';
import type { Context } from '../context.ts';
import { askYesNo, canAsk, linesOfQuestion, type Question, these } from './question.ts';

export interface TrustOptions {
  readonly host?: string;
  readonly withoutTls?: true;
  readonly yes?: true;
  readonly list?: true;
  readonly revoke?: true;
}

/** Something that can be allowed: what it asks for, and the consents that allow it. */
interface Offer extends Question {
  readonly consents: readonly Consent[];
  readonly command: string;
}

export async function trust(context: Context, path: string | undefined, options: TrustOptions): Promise<number> {
  refuseContradictions(path, options);
  const consents = new Consents(context.io.env);
  if (options.list === true) return await report(context, 'listed', consents.all());
  if (options.revoke === true) return await report(context, 'revoked', revoked(context, consents, path, options.host));
  const wanted =
    options.host === undefined ? await allowed(context, path, options) : [hostConsent(options.host, options)];
  for (const consent of wanted) consents.give(consent);
  if (wanted.some(({ kind }) => kind === 'config'))
    await runTrusted(context, path === undefined ? context.io.cwd : folderOf(resolve(context.io.cwd, path)));
  return await report(
    context,
    'trusted',
    wanted.flatMap((consent) => consents.find(consent) ?? []),
  );
}

/** Code runs once as soon as it is allowed, so that whoever only looks knows what it says. */
async function runTrusted({ io, session, say }: Context, cwd: string): Promise<void> {
  const config = (await session.plugins.runConfigIn({ env: io.env, cwd }))?.config ?? null;
  if (config === null) return;
  const names = config.plugins.map(({ name }) => name);
  await say(`${config.path} registers ${names.length === 0 ? 'no plugins' : `the plugins ${names.join(', ')}`}`);
}

function refuseContradictions(path: string | undefined, { host, withoutTls, yes, list, revoke }: TrustOptions): void {
  const actions = [
    list === true ? '--list' : [],
    revoke === true ? '--revoke' : [],
    yes === true ? '--yes' : [],
  ].flat();
  if (actions.length > 1) throw misuse(`found ${actions.join(' and ')}, allowed: one of them`);
  if (path !== undefined && host !== undefined) throw misuse('found a path and --host, allowed: one of them');
  if (list === true && (path ?? host) !== undefined) throw misuse('--list stands alone');
  if (withoutTls === true && host === undefined) throw misuse('--without-tls goes with --host alone');
}

function hostConsent(text: string, { withoutTls }: TrustOptions): Consent {
  return { kind: 'host', host: requiredHost(text), ...(withoutTls === true ? { withoutTls } : {}) };
}

function requiredHost(text: string): string {
  const host = serverIn(text);
  if (host !== null) return host;
  throw misuse(
    `--host: found "${text}", allowed: a host like api.example.org or localhost:8000, with a path where only what is below it is meant, or a URL`,
  );
}

/** Shows what is asked for, and asks. Throws `untrusted` where nobody says yes. */
async function allowed(context: Context, path: string | undefined, { yes }: TrustOptions): Promise<readonly Consent[]> {
  const { io, say } = context;
  const offers = await offersAt(context, path);
  const consents = offers.flatMap((offer) => offer.consents);
  const count = offers.flatMap((offer) => (offer.consents.length === 0 ? [] : offer.requests)).length;
  const isAsked = yes !== true && consents.length > 0 && canAsk(io);
  if (!isAsked) for (const line of linesOfQuestion(offers, io.stderr)) await say(line);
  if (yes === true || consents.length === 0) return consents;
  if (isAsked && (await askYesNo(io, offers, `Trust ${these(count)} from now on?`))) return consents;
  const commands = offers.map((offer) => `${offer.command} --yes`);
  throw new IcecoreError('untrusted', 'nothing was trusted: nobody at a terminal said yes', {
    facts: { requests: offers.flatMap((offer) => offer.requests), commands },
    remedy: `If you trust it: ${commands.join(' && ')}`,
  });
}

/** What can be allowed at a path, or what was found from the current folder upward. */
async function offersAt(context: Context, path: string | undefined): Promise<readonly Offer[]> {
  const { io } = context;
  const places = path === undefined ? foundFrom(io.cwd) : placesAt(resolve(io.cwd, path));
  const files = places.map((place) => (isConfigName(basename(place)) ? configOffer(io, place) : homeOffer(io, place)));
  const offers = [...files, ...(await ledgerOffers(context, path))];
  if (offers.length > 0) return offers;
  const where = path === undefined ? `in ${io.cwd} or above it` : `at ${resolve(io.cwd, path)}`;
  throw new IcecoreError('not-found', `there is no icecore.config file and no ${workspaceName} ${where}`, {
    remedy: `Name one: icecore trust PATH. A host is trusted with icecore trust --host NAME.`,
  });
}

function foundFrom(cwd: string): readonly string[] {
  const folders = [...upward(cwd)];
  const config = folders.map(configPathIn).find((path) => path !== null);
  const home = folders.map((folder) => join(folder, workspaceName)).find(isFolder);
  return [config ?? [], home ?? []].flat();
}

function placesAt(path: string): readonly string[] {
  if (isNamed(path)) return isThere(path) ? [path] : [];
  if (!isFolder(path)) return [];
  return [configPathIn(path) ?? [], join(path, workspaceName)].flat().filter(isThere);
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

function configOffer(io: Context['io'], path: string): Offer {
  const config = configIn(dirname(path), io.env);
  if (config === null) return { heading: path, requests: [], consents: [], command: commandForPath(path) };
  const all = requestsOf(config, io.env);
  const requests = linesOfConfig(config, all);
  const command = commandForPath(path);
  if (requests.length === 0) return { heading: path, requests: [asksForNothing], consents: [], command };
  return { heading: path, requests, consents: [consentToConfig(config, all)], command };
}

function homeOffer(io: Context['io'], path: string): Offer {
  const requests = requestsOfHome(io, path);
  const command = commandForPath(path);
  if (requests.length === 0) return { heading: path, requests: [asksForNothing], consents: [], command };
  return { heading: path, requests, consents: [consentToWorkspace(path, requests)], command };
}

const asksForNothing = 'asks for nothing that needs to be allowed';

/** The programs that the ledger in use names, as they would run in that folder; none where it may not be read yet. */
async function ledgerOffers(context: Context, path: string | undefined): Promise<readonly Offer[]> {
  const { io, session, signal } = context;
  const cwd = path === undefined ? io.cwd : folderOf(resolve(io.cwd, path));
  try {
    const { config, ledger } = findPlace({ ...session, cwd });
    const opened = await openLedger(ledger.url, { readOnly: true, signal });
    try {
      const { registry } = await session.plugins.current();
      const programs = await programsNamedBy(opened, { env: io.env, cwd, registry }, modelsIn(config));
      if (programs.length === 0) return [];
      return [
        {
          heading: `${opened.url} names what would run, or be read, in ${cwd}:`,
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
    // What is allowed here may be what the ledger needs to be read at all.
    if (!(fault instanceof Untrusted || fault instanceof LedgerMissing))
      await context.say(`The programs that the ledger names are not known: ${fault.message}`);
    return [];
  }
}

function folderOf(path: string): string {
  return isNamed(path) ? dirname(path) : path;
}

/** The path of a settings file or a workspace, and not of a folder with either. */
function isNamed(path: string): boolean {
  return isConfigName(basename(path)) || basename(path) === workspaceName;
}

/** What is allowed no longer. A path stands for its file with any content, and for the programs of the ledger that is there or in it. */
function revoked(
  { io, flags }: Context,
  consents: Consents,
  path: string | undefined,
  host: string | undefined,
): readonly GivenConsent[] {
  const named = host === undefined ? null : requiredHost(host);
  const paths = (path === undefined ? foundFrom(io.cwd) : [resolve(io.cwd, path)]).map((one) => realPathOf(one));
  const ledger =
    path === undefined && flags.ledger !== undefined ? absolute(parseLedgerUrl(flags.ledger), io.cwd) : null;
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
  return meant;
}

/** None where the URL cannot be read. */
function filesNamedBy({ ledger, url }: ProgramConsent): readonly string[] {
  if (ledger === '') return [url];
  try {
    return filesOf(parseLedgerUrl(url));
  } catch {
    return [];
  }
}

/** Whatever else the two URLs say. */
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

async function report(
  context: Context,
  action: TrustResult['action'],
  consents: readonly GivenConsent[],
): Promise<number> {
  const rows = consents.map(rowOf);
  if (context.flags.json) {
    const as_of = new Date().toISOString();
    await context.printJson({ action, as_of, total: rows.length, rows, truncated: false } satisfies TrustResult);
    return 0;
  }
  if (rows.length === 0) await context.say(nothing[action]);
  const columns: readonly Column[] = ['kind', 'name', 'detail', 'since'].map((title) => ({
    title,
  }));
  const cells = rows.map(({ kind, name, detail, at }) => [kind, visible(name), visible(detail), at]);
  if (rows.length > 0) await context.print(table(columns, cells, context.io.stdout));
  return 0;
}

const nothing: Readonly<Record<TrustResult['action'], string>> = {
  listed: 'nothing is trusted yet',
  trusted: 'nothing here needs to be trusted',
  revoked: 'nothing of that was trusted',
};

function rowOf(consent: GivenConsent): TrustResult['rows'][number] {
  const { kind, at } = consent;
  switch (consent.kind) {
    case 'config':
      return { kind, name: consent.path, detail: `sha256 ${consent.digest.slice(0, 12)}`, at };
    case 'host':
      return { kind, name: consent.host, detail: consent.withoutTls === true ? 'also without TLS' : 'with TLS', at };
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
  return new IcecoreError('usage', `trust: ${what}`, { remedy: 'icecore trust --help shows what it takes.' });
}
