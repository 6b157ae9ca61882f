// What `icecore trust` prints and asks: requests, and what is trusted.
import { IcecoreError } from '../../../schemas/errors.ts';
import type { TrustResult } from '../../../schemas/output.ts';
import { escapeControls } from '../../base/escape.ts';
import { table } from '../../document/layout.ts';
import {
  trust as giveTrust,
  type HostToTrust,
  revokeTrust,
  type TrustRequest,
  trusted,
  trustRequests,
} from '../../library/consent/trust.ts';
import type { Context } from '../context.ts';
import { askYesNo, canAsk, linesOfQuestion, these } from './question.ts';

export interface TrustOptions extends Partial<HostToTrust> {
  readonly yes?: true;
  readonly list?: true;
  readonly revoke?: true;
}

export async function trust(context: Context, path: string | undefined, options: TrustOptions): Promise<number> {
  refuseContradictions(path, options);
  const result = await done(context, path, options);
  if (context.flags.json) {
    await context.printJson(result);
    return 0;
  }
  const { action, rows } = result;
  if (rows.length === 0) await context.say(nothing[action]);
  const columns = ['kind', 'name', 'detail', 'since'].map((title) => ({ title }));
  const cells = rows.map(({ kind, name, detail, at }) => [kind, escapeControls(name), escapeControls(detail), at]);
  if (rows.length > 0) await context.print(table(columns, cells, context.io.stdout));
  return 0;
}

const nothing: Readonly<Record<TrustResult['action'], string>> = {
  listed: 'nothing is trusted yet',
  trusted: 'nothing here needs to be trusted',
  revoked: 'nothing of that was trusted',
};

async function done(context: Context, path: string | undefined, options: TrustOptions): Promise<TrustResult> {
  const { session } = context;
  const { host, withoutTls, list, revoke, yes } = options;
  if (list === true) return trusted(session);
  if (revoke === true)
    return revokeTrust(session, { ...(path === undefined ? {} : { path }), ...(host === undefined ? {} : { host }) });
  if (host !== undefined) return await giveTrust(session, { host, withoutTls: withoutTls === true });
  const requests = await trustRequests(session, path);
  await requireYes(context, requests, yes === true);
  return await giveTrust(session, requests);
}

function refuseContradictions(path: string | undefined, { host, withoutTls, yes, list, revoke }: TrustOptions): void {
  const actions = [
    list === true ? '--list' : [],
    revoke === true ? '--revoke' : [],
    yes === true ? '--yes' : [],
  ].flat();
  if (actions.length > 1) throw misuse(`found ${actions.join(' and ')}, allowed: one of them`);
  if (path !== undefined && host !== undefined) throw misuse('found a path and --host, allowed: one of them');
  if (list === true && (path ?? host) !== undefined) throw misuse('--list takes no path and no --host');
  if (withoutTls === true && host === undefined) throw misuse('--without-tls needs --host');
}

/** Shows the requests and asks. Throws `untrusted` without a yes. */
async function requireYes({ io, say }: Context, wanted: readonly TrustRequest[], isGiven: boolean): Promise<void> {
  const needed = wanted.filter(({ consents }) => consents.length > 0);
  const isAsked = !isGiven && needed.length > 0 && canAsk(io);
  if (!isAsked) for (const line of linesOfQuestion(wanted, io.stderr)) await say(line);
  if (isGiven || needed.length === 0) return;
  const count = needed.flatMap(({ requests }) => requests).length;
  if (isAsked && (await askYesNo(io, wanted, `Trust ${these(count)} from now on?`))) return;
  const commands = wanted.map(({ command }) => `${command} --yes`);
  throw new IcecoreError('untrusted', 'nothing was trusted: there was no yes from a terminal', {
    facts: { requests: wanted.flatMap(({ requests }) => requests), commands },
    remedy: `If you trust it: ${commands.join(' && ')}`,
  });
}

function misuse(what: string): IcecoreError {
  return new IcecoreError('usage', `trust: ${what}`, { remedy: 'icecore trust --help shows what it takes.' });
}
