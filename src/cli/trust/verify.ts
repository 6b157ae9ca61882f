// What `icecore verify` and `icecore ledger prove` do.
import { text } from 'node:stream/consumers';
import { IcecoreError } from '../../../schemas/errors.ts';
import type { ProgramOptions } from '../../library/consent/programs.ts';
import { type ProveOptions, prove as proveEvent } from '../../library/verification/seals.ts';
import { partlyRecorded, verify as verifyLedger } from '../../library/verification/verify.ts';
import type { Context } from '../context.ts';
import { givenText, printWhole } from './seal.ts';
import { printVerification } from './verification-text.ts';

/** Files: a head that was stored elsewhere, and the key that must have signed it. */
interface HeadFlags {
  readonly head?: string;
  readonly key?: string;
}

export interface VerifyFlags extends ProgramOptions, HeadFlags {
  readonly resume?: true;
  readonly recompute?: true;
  readonly tables?: true;
  readonly verbose?: true;
}

export async function verify(context: Context, asked: string | undefined, flags: VerifyFlags): Promise<number> {
  requireMeant(asked, flags);
  const { head: _, key: __, verbose = false, ...options } = flags;
  const report = await verifyLedger(context.session, {
    ...options,
    ...(await givenHead(context, flags)),
    ...(asked === undefined ? {} : { run: asked }),
  });
  if (context.flags.json) await context.printJson(report);
  else {
    await printVerification(context, report, verbose);
    if (report.faults === 0)
      for (const line of await partlyRecorded(context.session, report.run)) await context.say(line);
  }
  return report.status === 'faulty' ? 1 : 0;
}

const clashes = [
  ['RUN', '--head', 'a head covers the whole ledger, not one run'],
  ['RUN', '--resume', 'only a verification of the whole ledger can be resumed'],
  ['RUN', '--tables', 'the tables cover the whole ledger'],
] as const;

/** Contradictory options are refused: an ignored one would seem to have been checked. */
function requireMeant(
  asked: string | undefined,
  { head, key, resume, recompute, programs, tables, env }: VerifyFlags,
): void {
  const given = {
    RUN: asked,
    '--head': head,
    '--resume': resume,
    '--tables': tables,
  };
  for (const [one, other, why] of clashes) {
    if (given[one] !== undefined && given[other] !== undefined) throw misused(`${one} and ${other}: ${why}`);
  }
  requireHead(head, key, 'verify');
  if (programs === true && recompute !== true) {
    throw misused('--programs without --recompute: only recomputing runs environments');
  }
  if (env !== undefined && programs !== true)
    throw misused('--env without --programs: no program runs that could get them');
}

function requireHead(head: string | undefined, key: string | undefined, command: string): void {
  if (key !== undefined && head === undefined) throw misused('--key without --head: only heads are signed', command);
}

function misused(what: string, command = 'verify'): IcecoreError {
  return new IcecoreError('usage', `${command}: ${what}`, {
    facts: { command },
    remedy: `icecore ${command} --help shows its arguments and options.`,
  });
}

/** What `icecore ledger prove` does. */
export async function prove(context: Context, reference: string, flags: HeadFlags): Promise<number> {
  requireHead(flags.head, flags.key, 'ledger prove');
  await printWhole(context, await proveEvent(context.session, reference, await givenHead(context, flags)));
  return 0;
}

async function givenHead(context: Context, { head: file, key }: HeadFlags): Promise<ProveOptions> {
  if (file === undefined) return {};
  const json = file === '-' ? await text(context.io.stdin) : (await givenText(context, file)).text;
  return { head: { text: json, name: file, key: key === undefined ? undefined : await givenText(context, key) } };
}
