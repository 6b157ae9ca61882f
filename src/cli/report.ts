// Reports a fault. People get two lines on standard error: what and where, then what to do. With --json, programs get
// {"error": {kind, message, ...}} on standard output; --quiet then leaves out the prose.
import { IcecoreError, UnknownName } from '../../schemas/errors.ts';
import { escapeControls } from '../base/escape.ts';
import { jsonText } from '../base/printable-json.ts';
import { PipeClosed } from '../base/sink.ts';
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
    if (flags.json) await io.stdout.write(`${jsonText({ error: errorObject(error) })}\n`);
    if (!(flags.json && flags.quiet)) await io.stderr.write(prose(error, { ...io, ledger: flags.ledger }, commands));
    if (io.env['ICECORE_DEBUG'] === '1' && fault instanceof Error) await io.stderr.write(`${fault.stack}\n`);
  } catch (closed) {
    if (!(closed instanceof PipeClosed)) throw closed;
  }
  return exitCode(error, io, words);
}

/** The error as programs see it. */
function errorObject(error: IcecoreError): Record<string, unknown> {
  const remedy = error.remedy === '' ? {} : { remedy: error.remedy };
  return { kind: error.kind, message: error.message, ...remedy, ...error.facts };
}

function prose(error: IcecoreError, io: Parameters<typeof typedHere>[1], commands?: Commands): string {
  const remedy = error.remedy === '' ? '' : `  ${escapeControls(typedHere(error.remedy, io, commands))}\n`;
  return `icecore: ${escapeControls(error.message)}\n${excerpt(error)}${remedy}`;
}

/** Lines that belong to the message: the place in the typed text, or what to write into a file. */
function excerpt({ facts }: IcecoreError): string {
  const lines = facts['excerpt'];
  if (typeof lines !== 'string' || lines === '') return '';
  return lines
    .split('\n')
    .map((line) => `  ${escapeControls(line)}\n`)
    .join('');
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
  return systemFault(fault) ?? internalFault(fault);
}

/** A refusal of the operating system is about a file of the user, and no bug of icecore. */
function systemFault(fault: unknown): IcecoreError | null {
  const { code, path, syscall } = (fault ?? {}) as NodeJS.ErrnoException;
  const known = systemFaults[code ?? ''];
  if (known === undefined) return null;
  const where = path ?? syscall ?? 'a file';
  return new IcecoreError(known.kind, `${where}: ${known.what}`, {
    facts: { path: where, code },
    remedy: known.remedy,
    cause: fault,
  });
}

const permissions = 'Check its owner and permissions, or name another place.';
const space = 'Free some space and run the same again.';

const systemFaults: Readonly<Record<string, { kind: 'not-found' | 'storage'; what: string; remedy: string }>> = {
  ENOENT: { kind: 'not-found', what: 'there is no such file or folder', remedy: 'Check the path.' },
  ENOTDIR: { kind: 'not-found', what: 'a part of the path is not a folder', remedy: 'Check the path.' },
  EISDIR: { kind: 'storage', what: 'this is a folder', remedy: 'Name a file.' },
  EEXIST: {
    kind: 'storage',
    what: 'something else has this name already',
    remedy: 'Move it away or name another place.',
  },
  EACCES: { kind: 'storage', what: 'permission denied', remedy: permissions },
  EPERM: { kind: 'storage', what: 'permission denied', remedy: permissions },
  EROFS: { kind: 'storage', what: 'the file system is read-only', remedy: 'Name another place.' },
  ENOSPC: { kind: 'storage', what: 'the disk is full', remedy: space },
  EDQUOT: { kind: 'storage', what: 'the disk quota is used up', remedy: space },
  EIO: { kind: 'storage', what: 'the disk reports an error', remedy: 'Check the disk.' },
};

function internalFault(fault: unknown): IcecoreError {
  const said = fault instanceof Error ? `${fault.name}: ${fault.message}` : String(fault);
  return new IcecoreError('internal', `something went wrong inside icecore (${said})`, {
    remedy: 'Please report it, with what ICECORE_DEBUG=1 adds.',
    cause: fault,
  });
}
