// Reports a fault. People get two lines on standard error: what and where, then what to do. With --json, programs get
// {"error": {kind, message, ...}} on standard output; --quiet then leaves out the prose.
import { describeIssue, IcecoreError, type Issue, UnknownName } from '../../schemas/errors.ts';
import { isObject } from '../../schemas/json-text.ts';
import { escapeControls } from '../base/escape.ts';
import { jsonText } from '../base/printable-json.ts';
import { PipeClosed } from '../base/sink.ts';
import { errorObject, icecoreErrorOf } from '../library/faults.ts';
import type { GlobalFlags } from './globals.ts';
import { exitCodeOf, type Io, type StopSignal } from './io.ts';
import { typedHere } from './program.ts';
import type { Commands } from './registry.ts';

/** The command line that failed, as far as it is known. */
interface Typed {
  readonly words?: readonly string[];
  readonly commands?: Commands | undefined;
}

/** Reports the fault and returns the exit code. */
export async function report(
  fault: unknown,
  io: Io,
  flags: GlobalFlags,
  { words = [], commands }: Typed = {},
): Promise<number> {
  if (fault instanceof PipeClosed) return 0;
  const error = asIcecoreError(fault, io);
  try {
    if (flags.json) await io.stdout.write(`${jsonText({ error: errorObject(error, error.commandRemedy) })}\n`);
    if (!(flags.json && flags.quiet))
      await io.stderr.write(prose(error, { env: io.env, cwd: io.cwd, ledger: flags.ledger }, commands));
    if (io.env['ICECORE_DEBUG'] === '1' && fault instanceof Error) await io.stderr.write(`${fault.stack}\n`);
  } catch (closed) {
    if (!(closed instanceof PipeClosed)) throw closed;
  }
  return exitCode(error, io, words);
}

function prose(error: IcecoreError, io: Parameters<typeof typedHere>[1], commands?: Commands): string {
  const { message, commandRemedy } = error;
  const remedy = commandRemedy === '' ? '' : `  ${escapeControls(typedHere(commandRemedy, io, commands))}\n`;
  return `icecore: ${escapeControls(message)}\n${excerpt(error)}${remedy}`;
}

/** Lines that belong to the message: further issues, the place in the typed text, or what to write into a file. */
function excerpt({ facts }: IcecoreError): string {
  const lines = facts['excerpt'];
  const excerpts = typeof lines !== 'string' || lines === '' ? [] : lines.split('\n');
  return [...issuesAfterFirst(facts), ...excerpts].map((line) => `  ${escapeControls(line)}\n`).join('');
}

/** The number of issues to show; --json has all of them. */
const mostIssues = 6;

/** The message describes the first issue of a value. */
function issuesAfterFirst({ issues }: IcecoreError['facts']): readonly string[] {
  if (!Array.isArray(issues)) return [];
  const further = issues.slice(1).filter(isIssue);
  const left = further.length - mostIssues;
  return [...further.slice(0, mostIssues).map(describeIssue), ...(left > 0 ? [`${left} more: --json`] : [])];
}

/** Issues of several events are about one event each, which their message counts. */
function isIssue(value: unknown): value is Issue {
  return (
    isObject(value) &&
    ['field', 'found', 'allowed'].every((key) => typeof value[key] === 'string') &&
    !('index' in value)
  );
}

function exitCode(error: IcecoreError, io: Io, words: readonly string[]): number {
  if (error.kind === 'usage' || isWrongValue(error, words)) return 2;
  if (error.kind === 'interrupted') return exitCodeOf(stoppedBy(io));
  return 1;
}

/** A typed name that does not exist is a wrong value; the same name in a file or a ledger is a failure. */
function isWrongValue(error: IcecoreError, words: readonly string[]): boolean {
  return error instanceof UnknownName && words.some((word) => word.includes(error.unknown));
}

function stoppedBy(io: Io): StopSignal {
  return io.signal.reason === 'SIGTERM' ? 'SIGTERM' : 'SIGINT';
}

function asIcecoreError(fault: unknown, io: Io): IcecoreError {
  if (fault instanceof IcecoreError) return fault;
  if (io.signal.aborted) return new IcecoreError('interrupted', `stopped by ${stoppedBy(io)}`);
  return icecoreErrorOf(fault);
}
