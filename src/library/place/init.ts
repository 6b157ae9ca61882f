// `init`: creates a workspace and a ledger, and writes into icecore.config.json where they are: what was asked for and is not there
// yet, all but passwords. What is there and says something else is left to people.

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

/** With the ledger of the session, or another one: `split`. */
export async function init(session: Session, options: InitOptions = {}): Promise<InitResult> {
  const wanted = wantedOf(session, options);
  const workspace = workspaceForInit(session);
  const place = placeOf(session, workspace, wanted);
  const settings = settingsToWrite(session, wanted, place);
  await mentionWhatIsLeft(session, workspace, place, wanted);
  const blobs = wanted.blobs === null ? null : absoluteBlobs(wanted.blobs, session.cwd);
  if (blobs !== null) await requireBlobs(blobs);
  const made = await makeLedger(session, workspace, place.url).catch((error: unknown) => {
    throw options.split === true && isAway(error) ? notStarted(error) : error;
  });
  const config = writeSettings(session, settings);
  const environment = [...variablesFor(parseLedgerUrl(place.url), blobs)];
  return { workspace: workspace.path, ledger: place.url, ...made, blobs, config, environment };
}

function placeOf(session: Session, workspace: WorkspaceFolder, { ledger }: Wanted): LedgerPlace {
  const named = ledger === null ? {} : { ledger: textOf(ledger.url) };
  return findPlace({ ...session, ...named, env: { ...session.env, ICECORE_WORKSPACE: workspace.path } }).ledger;
}

/** Whoever names no servers may not know that they have to be there. */
function notStarted({ kind, message, facts, remedy }: IcecoreError): IcecoreError {
  const start = 'docker compose up --wait, with the docker-compose.yml of icecore, starts both stores.';
  return new IcecoreError(kind, message, { facts, remedy: `${start} ${remedy}` });
}

/** A folder is made by the first blob; whoever has a server for them has it now. */
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

/** What was used in this folder until now, by way of a folder above it, and what beats the settings. */
async function mentionWhatIsLeft(
  session: Session,
  workspace: WorkspaceFolder,
  wanted: LedgerPlace,
  asked: Wanted,
): Promise<void> {
  const { ICECORE_LEDGER: named, ...env } = session.env;
  const { workspace: above, config, ledger: before } = findPlace({ env, cwd: session.cwd });
  const isInUse = isUsed(before, config);
  if (asked.ledger !== null && isInUse && before.url !== wanted.url) {
    await session.notify({
      kind: 'note',
      text: `note: from here on, this folder uses ${wanted.url}, no longer ${before.url}`,
    });
  } else if (above.exists && above.path !== workspace.path) {
    await session.notify({ kind: 'note', text: `note: from here on, this workspace hides the one at ${above.path}` });
  }
  if (asked.ledger !== null && named) {
    await session.notify({
      kind: 'note',
      text: `note: ICECORE_LEDGER names ${named} and beats ${jsonConfigName} until it is unset`,
    });
  }
  if (asked.blobs !== null && env['ICECORE_BLOBS']) {
    await session.notify({
      kind: 'note',
      text: `note: ICECORE_BLOBS names ${blobsUrl(session)} and beats ${jsonConfigName} until it is unset`,
    });
  }
}

/** Where a new workspace stores its events and blobs; in its own folder where nothing is named. */
export interface InitOptions {
  /** Two stores, by the URL of the one for run events and of the one for evidence; true: where docker-compose.yml has them. */
  readonly split?: true | readonly string[];
  /** The name of the ledger in both stores of docker-compose.yml. */
  readonly name?: string;
  /** The URL of a store for checkpoints and long texts. */
  readonly blobs?: string;
}

/** As icecore.config.json has it. */
type LedgerSetting = string | { readonly decisions: string; readonly evidence: string };

interface Wanted {
  /** Null where none was named. */
  readonly ledger: { readonly url: LedgerUrl; readonly setting: LedgerSetting } | null;
  readonly blobs: string | null;
}

/** Where docker-compose.yml has the two stores of a ledger. */
export function composedPlaces(name: string): readonly [decisions: string, evidence: string] {
  return [`esdb://localhost:2113/${name}?tls=false`, `kafka://localhost:9092/${name}`];
}

/** Throws where one thing is asked for twice, and what no URL can be. */
function wantedOf({ ledger }: Pick<Session, 'ledger'>, { split, name, blobs }: InitOptions): Wanted {
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

/** What is to be written. Throws where the folder uses another ledger, or other blobs. */
function settingsToWrite(session: Session, wanted: Wanted, place: LedgerPlace): Settings {
  const { cwd, env } = session;
  const present = configIn(cwd, env);
  requireWritable(session, wanted, present);
  if (wanted.ledger !== null) refuseToSwitch(session, wanted.ledger, place);
  if (wanted.blobs !== null && present?.blobs !== undefined) refuseToSwitchBlobs(present, wanted.blobs, present.blobs);
  return {
    ...(wanted.ledger === null || present?.ledger !== undefined ? {} : { ledger: wanted.ledger.setting }),
    ...(wanted.blobs === null || present?.blobs !== undefined ? {} : { blobs: wanted.blobs }),
  };
}

/** Code is written by people, and what nobody looks at is not written either. */
function requireWritable(session: Session, wanted: Wanted, present: Config | null): void {
  if (wanted.ledger === null && wanted.blobs === null) return;
  if (session.config === false) {
    throw new IcecoreError(
      'usage',
      'init: --ledger and --blobs are written into the settings, and --no-config leaves those alone',
      {
        remedy: 'Leave --no-config out, or name the ledger with every command.',
      },
    );
  }
  const says =
    (present?.ledger !== undefined || wanted.ledger === null) &&
    (present?.blobs !== undefined || wanted.blobs === null);
  if (present?.isCode !== true || says) return;
  throw new IcecoreError('conflict', `${present.path} is code, which init does not write`, {
    facts: { path: present.path },
    remedy: 'Write the ledger or the blobs into it yourself; then icecore init creates them.',
  });
}

/** The file that was written; null where there was nothing to write. */
function writeSettings(session: Session, settings: Settings): string | null {
  if (Object.keys(settings).length === 0) return null;
  const path = join(session.cwd, jsonConfigName);
  writeConfig(path, settings, session);
  return path;
}

/** Events that went to the wrong ledger cannot be taken out again, so a folder in use changes ledgers by hand only. */
function refuseToSwitch(session: Session, { url, setting }: NonNullable<Wanted['ledger']>, place: LedgerPlace): void {
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
      `To write to it and change nothing here: icecore event append --ledger ${shellWord(named)} FILE, which makes it.`,
  });
}

/** Blobs that were put elsewhere would be missing. */
function refuseToSwitchBlobs({ path, folder }: Config, wanted: string, found: string): void {
  if (absoluteBlobs(found, folder) === absoluteBlobs(wanted, dirname(path))) return;
  throw new IcecoreError('conflict', `${path} already names the blobs ${found}`, {
    facts: { path, found, wanted },
    remedy: `Bring them there first, with icecore ledger copy and --to-blobs; then write ${JSON.stringify({ blobs: wanted })} to ${path}.`,
  });
}
