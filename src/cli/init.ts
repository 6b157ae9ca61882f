// What `icecore init` does.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { IcecoreError } from '../../schemas/errors.ts';
import type { InitResult } from '../../schemas/output.ts';
import { openLedger } from '../ledger/open.ts';
import { configIn, configName, writeConfig } from './config.ts';
import type { Context } from './context.ts';
import { ensureHome, findHome, findPlace, type Home, homeName } from './home.ts';
import { visible } from './output/visible.ts';

export async function init(context: Context): Promise<number> {
  const { io, flags } = context;
  const config = flags.ledger === undefined ? null : configToWrite(io.cwd, flags.ledger);
  const home = homeHere(io);
  await mentionHomeAbove(context, home);
  const { ledger } = findPlace({ cwd: io.cwd, env: { ...io.env, ICECORE_HOME: home.path } }, flags);
  const existed = existsSync(ledger.path);
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

/** Like a repository of git's, a home is made in this folder, whatever lies above it. */
function homeHere({ env, cwd }: Context['io']): Pick<Home, 'path'> {
  return env['ICECORE_HOME'] ? findHome({ env, cwd }) : { path: join(cwd, homeName) };
}

async function mentionHomeAbove(context: Context, home: Pick<Home, 'path'>): Promise<void> {
  const above = findHome(context.io);
  if (!above.exists || above.path === home.path) return;
  await context.say(`note: from here on, this home hides the one at ${above.path}`);
}

/** The settings to write; null where they say the same already. */
function configToWrite(cwd: string, ledger: string): string | null {
  const present = configIn(cwd);
  if (present?.ledger === ledger) return null;
  if (present?.ledger === undefined) return join(cwd, configName);
  throw new IcecoreError('conflict', `${present.path} already names the ledger ${present.ledger}`, {
    facts: { path: present.path, found: present.ledger, wanted: ledger },
    remedy: 'Change it there, or call icecore init in another folder.',
  });
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
