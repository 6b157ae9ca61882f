// `init`: creates a workspace and a ledger, and writes new settings to icecore.config.json, except passwords. Existing settings
// that differ are never changed.

import { dirname, join } from 'node:path';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { InitResult } from '../../../schemas/output.ts';
import { shellWord } from '../../base/shell-word.ts';
import { openBlobsIfThere, variablesOfBlobs } from '../../ledger/blobs/open.ts';
import { isAway } from '../../ledger/errors.ts';
import { isLedgerThere, openLedger } from '../../ledger/open.ts';
import {
  contactsOfLedger,
  driverOf,
  type LedgerUrl,
  parseLedgerUrl,
  type StoreUrl,
  storesOf,
  textOf,
} from '../../ledger/stores.ts';
import { blobsUrl } from '../opening/blobs.ts';
import { noticingWaits } from '../opening/ledger.ts';
import type { Session } from '../session.ts';
import { absoluteBlobs, type Config, configIn, jsonConfigName } from './config.ts';
import { isUsed, usedHere } from './missing.ts';
import { ensureWorkspace, findPlace, type LedgerPlace, workspaceForInit } from './place.ts';
import type { WorkspaceFolder } from './workspace-folder.ts';
import { type Settings, writeConfig } from './write-config.ts';

/** Uses the ledger of the session, or `split`. */
export async function init(session: Session, options: InitOptions = {}): Promise<InitResult> {
  const request = initRequestOf(session, options);
  const workspace = workspaceForInit(session);
  const place = placeOf(session, workspace, request);
  const settings = settingsToWrite(session, request, place);
  await mentionWhatIsLeft(session, workspace, place, request);
  const blobs = request.blobs === null ? null : absoluteBlobs(request.blobs, session.cwd);
  if (blobs !== null) await requireBlobs(blobs);
  const made = await makeLedger(session, workspace, place.url).catch((error: unknown) => {
    throw options.split === true && isAway(error) ? notStarted(error) : error;
  });
  const config = writeSettings(session, settings);
  const environment = [...variablesFor(parseLedgerUrl(place.url), blobs)];
  return { workspace: workspace.path, ledger: place.url, ...made, blobs, config, environment };
}

function placeOf(session: Session, workspace: WorkspaceFolder, { ledger }: InitRequest): LedgerPlace {
  const named = ledger === null ? {} : { ledger: textOf(ledger.url) };
  return findPlace({ ...session, ...named, env: { ...session.env, ICECORE_WORKSPACE: workspace.path } }).ledger;
}

/** A user who named no servers may not know that they have to run. */
function notStarted({ kind, message, facts, remedy }: IcecoreError): IcecoreError {
  const start = 'docker compose up --wait, with the docker-compose.yml of icecore, starts both stores.';
  return new IcecoreError(kind, message, { facts, remedy: `${start} ${remedy}` });
}

/** A folder is created with the first blob; a server must be reachable now. */
async function requireBlobs(url: string): Promise<void> {
  await (await openBlobsIfThere(url))?.close();
}

async function makeLedger(
  session: Session,
  workspace: WorkspaceFolder,
  url: string,
): Promise<Pick<InitResult, 'createdWorkspace' | 'createdLedger' | 'ledgerId'>> {
  const onWait = noticingWaits(session);
  const existed = await isLedgerThere(url, { onWait });
  const createdWorkspace = ensureWorkspace(workspace);
  const ledger = await openLedger(url, { create: true, onWait });
  const ledgerId = ledger.id;
  await ledger.close();
  return { createdWorkspace, createdLedger: !existed, ledgerId };
}

/** Notes what this folder used until now by way of a parent folder, and which variables override the settings. */
async function mentionWhatIsLeft(
  session: Session,
  workspace: WorkspaceFolder,
  place: LedgerPlace,
  request: InitRequest,
): Promise<void> {
  const { ICECORE_LEDGER: named, ...env } = session.env;
  const { workspace: above, config, ledger: before } = findPlace({ env, cwd: session.cwd });
  const isInUse = isUsed(before, config);
  if (request.ledger !== null && isInUse && before.url !== place.url) {
    await session.notify({
      kind: 'note',
      text: `note: from here on, this folder uses ${place.url}, no longer ${before.url}`,
    });
  } else if (above.exists && above.path !== workspace.path) {
    await session.notify({ kind: 'note', text: `note: from here on, this workspace hides the one at ${above.path}` });
  }
  if (request.ledger !== null && named) {
    await session.notify({
      kind: 'note',
      text: `note: ICECORE_LEDGER names ${named} and beats ${jsonConfigName} until it is unset`,
    });
  }
  if (request.blobs !== null && env['ICECORE_BLOBS']) {
    await session.notify({
      kind: 'note',
      text: `note: ICECORE_BLOBS names ${blobsUrl(session)} and beats ${jsonConfigName} until it is unset`,
    });
  }
}

/** Where a new workspace stores its events and blobs (default: in its own folder). */
export interface InitOptions {
  /** Two stores, by the URL of the one for run events and of the one for evidence; true: the stores of docker-compose.yml. */
  readonly split?: true | readonly string[];
  /** The name of the ledger in both stores of docker-compose.yml. */
  readonly name?: string;
  /** The URL of a store for checkpoints and long texts. */
  readonly blobs?: string;
}

/** As written in icecore.config.json. */
type LedgerSetting = string | { readonly decisions: string; readonly evidence: string };

interface InitRequest {
  /** Null if none was named. */
  readonly ledger: { readonly url: LedgerUrl; readonly setting: LedgerSetting } | null;
  readonly blobs: string | null;
}

/** The two stores of docker-compose.yml. */
export function composedPlaces(name: string): readonly [decisions: string, evidence: string] {
  return [`esdb://localhost:2113/${name}?tls=false`, `kafka://localhost:9092/${name}`];
}

/** Throws on contradictory options and invalid URLs. */
function initRequestOf({ ledger }: Pick<Session, 'ledger'>, { split, name, blobs }: InitOptions): InitRequest {
  if (split !== undefined && ledger !== undefined)
    throw misuse('found --ledger and --split, allowed: one of them', 'Both say where the ledger is.');
  if (name !== undefined && split !== true)
    throw misuse('--name goes with --split alone', 'A URL already contains the name, after the host.');
  const url = split === undefined ? ledger : splitText(split === true ? composedPlaces(name ?? 'lab') : split);
  return { ledger: url === undefined ? null : named(parseLedgerUrl(url)), blobs: blobs ?? null };
}

function splitText(places: readonly string[]): string {
  const [decisions, evidence] = places;
  if (decisions === undefined || evidence === undefined || places.length > 2) {
    const found = places.length === 1 ? 'one URL' : `${places.length} URLs`;
    throw misuse(
      `--split: found ${found}, allowed: two URLs, for decisions and for evidence, or none`,
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

/** Settings get displayed, copied and committed. */
function refusePassword(store: StoreUrl): void {
  const password = driverOf(store).password(store);
  if (password === null) return;
  throw misuse(
    `found a password in the URL of ${textOf(store)}, allowed: none, since it would be written into the settings`,
    `Leave it out, and set ${password.variable} in the environment of every command.`,
  );
}

/** The environment variables that are required to reach the ledger or the blobs. */
export function variablesFor(url: LedgerUrl, blobs: string | null): readonly string[] {
  const ofBlobs = blobs === null ? [] : variablesOfBlobs(blobs).required;
  return [...new Set([...contactsOfLedger(url).flatMap(({ variables }) => variables), ...ofBlobs])];
}

function misuse(what: string, remedy: string): IcecoreError {
  return new IcecoreError('usage', `init: ${what}`, { facts: { command: 'init' }, remedy });
}

/** The settings to write. Throws if the folder already uses another ledger or other blobs. */
function settingsToWrite(session: Session, request: InitRequest, place: LedgerPlace): Settings {
  const { cwd, env } = session;
  const present = configIn(cwd, env);
  requireWritable(session, request, present);
  if (request.ledger !== null) refuseToSwitch(session, request.ledger, place);
  if (request.blobs !== null && present?.blobs !== undefined)
    refuseToSwitchBlobs(present, request.blobs, present.blobs);
  return {
    ...(request.ledger === null || present?.ledger !== undefined ? {} : { ledger: request.ledger.setting }),
    ...(request.blobs === null || present?.blobs !== undefined ? {} : { blobs: request.blobs }),
  };
}

/** `init` does not edit code, nor a file that --no-config ignores. */
function requireWritable(session: Session, request: InitRequest, present: Config | null): void {
  if (request.ledger === null && request.blobs === null) return;
  if (session.config === false) {
    throw new IcecoreError(
      'usage',
      'init: --ledger and --blobs are written to the settings, which --no-config ignores',
      {
        remedy: 'Leave --no-config out, or name the ledger with every command.',
      },
    );
  }
  const says =
    (present?.ledger !== undefined || request.ledger === null) &&
    (present?.blobs !== undefined || request.blobs === null);
  if (present?.isCode !== true || says) return;
  throw new IcecoreError('conflict', `${present.path} is code, which init does not write`, {
    facts: { path: present.path },
    remedy: 'Write the ledger or the blobs into it yourself; then icecore init creates them.',
  });
}

/** The file that was written; null if there was nothing to write. */
function writeSettings(session: Session, settings: Settings): string | null {
  if (Object.keys(settings).length === 0) return null;
  const path = join(session.cwd, jsonConfigName);
  writeConfig(path, settings, session);
  return path;
}

/** Events in the wrong ledger cannot be removed, so the ledger of a folder in use changes by hand only. */
function refuseToSwitch(
  session: Session,
  { url, setting }: NonNullable<InitRequest['ledger']>,
  place: LedgerPlace,
): void {
  const used = usedHere(session, place);
  if (used === null) return;
  const present = configIn(session.cwd, session.env);
  const path = present?.path ?? join(session.cwd, jsonConfigName);
  const found = present?.ledger;
  const what =
    found === undefined
      ? `this folder already uses the ledger ${used.url}`
      : `${path} already names the ledger ${found}`;
  const named = textOf(url);
  throw new IcecoreError('conflict', what, {
    facts: { path, found: found ?? used.url, wanted: named },
    remedy:
      `To use the other one here from now on, write ${JSON.stringify({ ledger: setting })} to ${path}. ` +
      `To write to it and change nothing here: icecore event append --ledger ${shellWord(named)} FILE, which creates it.`,
  });
}

/** Blobs stored elsewhere would be missing. */
function refuseToSwitchBlobs({ path, folder }: Config, wanted: string, found: string): void {
  if (absoluteBlobs(found, folder) === absoluteBlobs(wanted, dirname(path))) return;
  throw new IcecoreError('conflict', `${path} already names the blobs ${found}`, {
    facts: { path, found, wanted },
    remedy: `Copy them first, with icecore ledger copy --to-blobs; then write ${JSON.stringify({ blobs: wanted })} to ${path}.`,
  });
}
