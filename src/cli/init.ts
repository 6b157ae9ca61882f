// What `icecore init` does.
import { join } from 'node:path';
import { IcecoreError } from '../../schemas/errors.ts';
import type { InitResult } from '../../schemas/output.ts';
import { isLedgerThere, openLedger } from '../ledger/open.ts';
import { shellWord } from '../ledger/shell-word.ts';
import { configIn, configName, writeConfig } from './config.ts';
import type { Context } from './context.ts';
import { ensureHome, findPlace, type Home, homeHere, type LedgerPlace } from './home.ts';
import { isUsed, usedHere } from './missing.ts';
import { visible } from './output/visible.ts';

export async function init(context: Context): Promise<number> {
  const { io, flags } = context;
  const home = homeHere(io);
  const { ledger } = findPlace({ cwd: io.cwd, env: { ...io.env, ICECORE_HOME: home.path } }, flags);
  const config = flags.ledger === undefined ? null : configToWrite(io.cwd);
  if (flags.ledger !== undefined) refuseToSwitch(context, flags.ledger, ledger);
  await mentionWhatIsLeft(context, home, ledger);
  const existed = await isLedgerThere(ledger.url);
  const madeHome = ensureHome(home);
  const opened = await openLedger(ledger.url, { create: true });
  const ledgerId = opened.id;
  await opened.close();
  if (config !== null && flags.ledger !== undefined) writeConfig(config, flags.ledger);
  const result: InitResult = {
    home: home.path,
    madeHome,
    ledger: ledger.url,
    ledgerId,
    madeLedger: !existed,
    config,
  };
  await tell(context, result);
  return 0;
}

/** The settings to write; null where there are some: they name this very ledger, or init has refused. */
function configToWrite(cwd: string): string | null {
  return configIn(cwd)?.ledger === undefined ? join(cwd, configName) : null;
}

/** Events that went to the wrong ledger cannot be taken out again, so a folder in use changes ledgers by hand only. */
function refuseToSwitch({ io }: Context, named: string, wanted: LedgerPlace): void {
  const used = usedHere(io, wanted);
  if (used === null) return;
  const path = join(io.cwd, configName);
  const found = configIn(io.cwd)?.ledger;
  const what =
    found === undefined
      ? `this folder already uses the ledger ${used.url}`
      : `${path} already names the ledger ${found}`;
  throw new IcecoreError('conflict', what, {
    facts: { path, found: found ?? used.url, wanted: named },
    remedy:
      `To use the other one here from now on, write ${JSON.stringify({ ledger: named })} to ${path}. ` +
      `To write to it and change nothing here: icecore append --ledger ${shellWord(named)} FILE, which makes it.`,
  });
}

/** What was used in this folder until now, by way of a folder above it. */
async function mentionWhatIsLeft(context: Context, home: Home, wanted: LedgerPlace): Promise<void> {
  const { ICECORE_LEDGER: named, ...env } = context.io.env;
  const { home: above, config, ledger: before } = findPlace({ env, cwd: context.io.cwd }, {});
  const isInUse = isUsed(before, config);
  if (wanted.from === '--ledger' && isInUse && before.url !== wanted.url) {
    await context.say(`note: from here on, this folder uses ${wanted.url}, no longer ${before.url}`);
  } else if (above.exists && above.path !== home.path) {
    await context.say(`note: from here on, this home hides the one at ${above.path}`);
  }
  if (wanted.from === '--ledger' && named) {
    await context.say(`note: ICECORE_LEDGER names ${named} and beats ${configName} until it is unset`);
  }
}

async function tell(context: Context, result: InitResult): Promise<void> {
  if (context.flags.json) {
    await context.printJson(result);
    return;
  }
  const lines = [
    `${result.madeHome ? 'made' : 'found'} the home ${result.home}`,
    `${result.madeLedger ? 'made' : 'found'} the ledger ${result.ledger} (${result.ledgerId})`,
    ...(result.config === null ? [] : [`wrote ${result.config}`]),
  ];
  await context.print(lines.map((line) => `${visible(line)}\n`).join(''));
  await context.say('Next: icecore append events.ndjson, then icecore tail. For a tour: icecore demo');
}
