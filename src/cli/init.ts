// What `icecore init` does.
import { IcecoreError } from '../../schemas/errors.ts';
import type { InitResult } from '../../schemas/output.ts';
import { visible } from '../base/visible.ts';
import { openBlobsIfThere } from '../ledger/blobs/open.ts';
import { isAway } from '../ledger/errors.ts';
import { isLedgerThere, openLedger } from '../ledger/open.ts';
import { parseLedgerUrl, textOf } from '../ledger/stores.ts';
import { blobsUrl } from '../library/opening/blobs.ts';
import { noticingWaits } from '../library/opening/ledger.ts';
import { absoluteBlobs, jsonConfigName } from '../library/place/config.ts';
import { isUsed } from '../library/place/missing.ts';
import { ensureHome, findPlace, homeHere, type LedgerPlace } from '../library/place/place.ts';
import type { Workspace } from '../library/place/workspace-folder.ts';
import type { Context } from './context.ts';
import { settingsToWrite, writeSettings } from './init-settings.ts';
import { type InitOptions, variablesFor, type Wanted, wantedOf } from './init-wanted.ts';

export async function init(context: Context, options: InitOptions): Promise<number> {
  const wanted = wantedOf(context.flags, options);
  const home = homeHere(context.io);
  const place = placeOf(context, home, wanted);
  const settings = settingsToWrite(context, wanted, place);
  await mentionWhatIsLeft(context, home, place, wanted);
  if (wanted.blobs !== null) await requireBlobs(absoluteBlobs(wanted.blobs, context.io.cwd));
  const made = await makeLedger(context, home, place.url).catch((error: unknown) => {
    throw options.split === true && isAway(error) ? notStarted(error) : error;
  });
  const config = writeSettings(context.io, settings);
  const blobs = wanted.blobs === null ? null : absoluteBlobs(wanted.blobs, context.io.cwd);
  const environment = variablesFor(parseLedgerUrl(place.url), blobs);
  await tell(context, { home: home.path, ledger: place.url, ...made, blobs, config, environment: [...environment] });
  return 0;
}

function placeOf({ session }: Context, home: Workspace, { ledger }: Wanted): LedgerPlace {
  const named = ledger === null ? {} : { ledger: textOf(ledger.url) };
  return findPlace({ ...session, ...named, env: { ...session.env, ICECORE_HOME: home.path } }).ledger;
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
  context: Context,
  home: Workspace,
  url: string,
): Promise<Pick<InitResult, 'madeHome' | 'madeLedger' | 'ledgerId'>> {
  const onWait = noticingWaits(context.session);
  const existed = await isLedgerThere(url, { onWait });
  const madeHome = ensureHome(home);
  const ledger = await openLedger(url, { create: true, onWait });
  const ledgerId = ledger.id;
  await ledger.close();
  return { madeHome, madeLedger: !existed, ledgerId };
}

/** What was used in this folder until now, by way of a folder above it, and what beats the settings. */
async function mentionWhatIsLeft(context: Context, home: Workspace, wanted: LedgerPlace, asked: Wanted): Promise<void> {
  const { ICECORE_LEDGER: named, ...env } = context.io.env;
  const { home: above, config, ledger: before } = findPlace({ env, cwd: context.io.cwd });
  const isInUse = isUsed(before, config);
  if (asked.ledger !== null && isInUse && before.url !== wanted.url) {
    await context.say(`note: from here on, this folder uses ${wanted.url}, no longer ${before.url}`);
  } else if (above.exists && above.path !== home.path) {
    await context.say(`note: from here on, this home hides the one at ${above.path}`);
  }
  if (asked.ledger !== null && named) {
    await context.say(`note: ICECORE_LEDGER names ${named} and beats ${jsonConfigName} until it is unset`);
  }
  if (asked.blobs !== null && env['ICECORE_BLOBS']) {
    await context.say(
      `note: ICECORE_BLOBS names ${blobsUrl(context.session)} and beats ${jsonConfigName} until it is unset`,
    );
  }
}

async function tell(context: Context, result: InitResult): Promise<void> {
  if (context.flags.json) {
    await context.printJson(result);
    return;
  }
  const { home, ledger, blobs, config, environment } = result;
  const lines = [
    `${result.madeHome ? 'made' : 'found'} the home ${home}`,
    `${result.madeLedger ? 'made' : 'found'} the ledger ${ledger} (${result.ledgerId})`,
    ...(blobs === null ? [] : [`blobs go to ${blobs}`]),
    ...(config === null ? [] : [`wrote ${config}`]),
    ...(environment.length === 0 ? [] : [`not written, and needed by every command: ${environment.join(', ')}`]),
  ];
  await context.print(lines.map((line) => `${visible(line)}\n`).join(''));
  await context.hint('Next: icecore event append events.ndjson, then icecore event tail. For a tour: icecore demo');
}
