// What `icecore verify` and `icecore ledger prove` do.
import { text } from 'node:stream/consumers';
import { IcecoreError } from '../../../schemas/errors.ts';
import { escapeSteering } from '../../base/printable-json.ts';
import { proveEvent } from '../../ledger/verify/prove.ts';
import type { ProgramOptions } from '../../library/consent/programs.ts';
import { findEvent } from '../../library/opening/finder.ts';
import { withLedgerToRead } from '../../library/opening/ledger.ts';
import { type KeptHead, keptHead } from '../../library/verification/notes.ts';
import { partlyRecorded, verify as verifyLedger } from '../../library/verification/verify.ts';
import type { Context } from '../context.ts';
import { readGiven } from './given.ts';
import { tellVerification } from './verification-text.ts';

export interface VerifyFlags extends ProgramOptions {
  readonly head?: string;
  readonly key?: string;
  readonly resume?: true;
  readonly recompute?: true;
  readonly tables?: true;
}

export async function verify(context: Context, asked: string | undefined, flags: VerifyFlags): Promise<number> {
  requireMeant(asked, flags);
  const kept = flags.head === undefined ? null : await readKeptHead(context, flags.head, flags.key);
  const { head: _, key: __, ...options } = flags;
  const report = await verifyLedger(context.session, {
    ...options,
    ...(asked === undefined ? {} : { run: asked }),
    ...(kept === null ? {} : { head: kept }),
  });
  if (context.flags.json) await context.printJson(report);
  else {
    await tellVerification(context, report);
    // What cannot be read was reported already.
    if (report.faults === 0)
      for (const line of await partlyRecorded(context.session, report.run)) await context.say(line);
  }
  return report.status === 'faulty' ? 1 : 0;
}

const clashes = [
  ['RUN', '--head', 'a head is of everything, and cannot be held against one run'],
  ['RUN', '--resume', 'only a verification of everything can be taken up again'],
  ['RUN', '--tables', 'the tables are of the whole ledger'],
] as const;

/** What cannot be meant together must not be passed over: what is left out would seem to have been checked. */
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
    throw misused('--programs without --recompute: nothing else asks an environment');
  }
  if (env !== undefined && programs !== true)
    throw misused('--env without --programs: no program runs that could get it');
}

function requireHead(head: string | undefined, key: string | undefined, command: string): void {
  if (key !== undefined && head === undefined) throw misused('--key without --head: a head is what is signed', command);
}

function misused(what: string, command = 'verify'): IcecoreError {
  return new IcecoreError('usage', `${command}: ${what}`, {
    facts: { command },
    remedy: `icecore ${command} --help shows its arguments and options.`,
  });
}

/** What `icecore ledger prove` does. */
export async function prove(
  context: Context,
  reference: string,
  { head, key }: Pick<VerifyFlags, 'head' | 'key'>,
): Promise<number> {
  requireHead(head, key, 'ledger prove');
  const kept = head === undefined ? null : await readKeptHead(context, head, key);
  return await withLedgerToRead(context.session, async (ledger) => {
    const proof = await proveEvent(ledger, await findEvent(context.session, ledger, reference), kept?.head ?? null);
    await context.print(`${escapeSteering(JSON.stringify(proof, null, context.flags.json ? 0 : 2))}\n`);
    return 0;
  });
}

async function readKeptHead(context: Context, file: string, keyFile: string | undefined): Promise<KeptHead> {
  const json = file === '-' ? await text(context.io.stdin) : readGiven(context, file);
  const key = keyFile === undefined ? null : { text: readGiven(context, keyFile), name: keyFile };
  return keptHead({ text: json, name: file }, key);
}
