// The question on a terminal before a found setting or program is used. It shows every character of a stranger's text, so that none of
// it can look like a line of icecore. Without a terminal the command fails and prints what to type.
import { createInterface } from 'node:readline';
import type { Sink } from '../../base/sink.ts';
import { Consents } from '../../library/consent/consents.ts';
import { legible, Untrusted } from '../../library/consent/gate.ts';
import type { Io } from '../io.ts';

/** Requests under a heading. */
export interface Question {
  /** Written by icecore, though it may name a stranger's path. */
  readonly heading: string | null;
  readonly requests: readonly string[];
}

const indent = '  ';
const furtherIndent = '      ';

export function linesOfQuestion(
  asked: readonly Question[],
  { isTTY, columns }: Pick<Sink, 'isTTY' | 'columns'>,
): string[] {
  const width = isTTY ? columns : Number.POSITIVE_INFINITY;
  return asked.flatMap(({ heading, requests }) => [
    ...(heading === null ? [] : inset(heading, '', width)),
    ...requests.flatMap((request) => inset(request, indent, width)),
  ]);
}

/** The beginning of a request with more lines than this may have scrolled away. */
const mostLines = 3;
const mostBeginnings = 5;

/** The beginning of each long request, for the lines right above the question. */
function beginnings(asked: readonly Question[], { columns }: Pick<Sink, 'columns'>): string[] {
  const requests = asked.flatMap((one) => one.requests);
  const long = requests.filter((request) => inset(request, indent, columns).length > mostLines);
  if (long.length === 0) return [];
  const shown = long.slice(0, mostBeginnings).map((request) => {
    const [first = ''] = inset(request, indent, columns - 4);
    return `${first}...`;
  });
  const more = long.length > shown.length ? [`${indent}and ${long.length - shown.length} more`] : [];
  return ['The long requests above begin with:', ...shown, ...more];
}

/** Wrapped where the line is full and not between words, because a stranger chooses the words. */
function inset(text: string, first: string, columns: number): string[] {
  const width = Math.max(columns, 24) - 1;
  const lines: string[] = [];
  let line = first;
  let room = width - first.length;
  for (const letter of legible(text)) {
    // Terminals differ in the width of characters outside ASCII.
    const wide = letter < '\u0080' ? 1 : 2;
    if (room < wide) {
      lines.push(line);
      line = furtherIndent;
      room = width - furtherIndent.length;
    }
    line += letter;
    room -= wide;
  }
  return [...lines, line];
}

type Terminal = Pick<Io, 'stdin' | 'stderr' | 'signal'>;

/** Whether a person is at both ends of the terminal. */
export function canAsk({ stdin, stderr }: Pick<Io, 'stdin' | 'stderr'>): boolean {
  return stdin.isTTY === true && stderr.isTTY;
}

/** Names the number of requests, since some may have scrolled away. */
export function these(count: number): string {
  return count > 1 ? `these ${count} requests` : 'this';
}

/**
 * Shows the requests and the question on standard error, even with --quiet, and reads one line. Throws the reason of a signal that
 * stops it.
 */
export async function askYesNo(terminal: Terminal, asked: readonly Question[], question: string): Promise<boolean> {
  const { stdin, stderr, signal } = terminal;
  signal.throwIfAborted();
  const lines = [...linesOfQuestion(asked, stderr), ...beginnings(asked, stderr)];
  await stderr.write(`${lines.map((line) => `${line}\n`).join('')}${question} [y/N] `);
  const reader = createInterface({ input: stdin, terminal: false });
  const stop = (): void => reader.close();
  signal.addEventListener('abort', stop, { once: true });
  try {
    const answer = await new Promise<string>((resolve) => {
      reader.once('line', resolve);
      reader.once('close', () => resolve(''));
    });
    signal.throwIfAborted();
    return /^\s*(?:y|yes)\s*$/i.test(answer);
  } finally {
    signal.removeEventListener('abort', stop);
    reader.close();
    stdin.pause();
  }
}

/**
 * Runs the body; if it needs a permission that this user has not given, asks on a terminal and runs it again. The body throws Untrusted
 * before it writes, sends or executes anything, so that it can be repeated.
 */
export async function withConsent<Result>(io: Io, body: () => Promise<Result>): Promise<Result> {
  const asked = new Set<string>();
  for (;;) {
    try {
      return await body();
    } catch (fault) {
      if (!(fault instanceof Untrusted) || !canAsk(io)) throw fault;
      if (fault.consents.length === 0 || asked.has(fault.message)) throw fault;
      asked.add(fault.message);
      const { heading, allowed: requests } = fault;
      const isAllowed = await askYesNo(
        io,
        [{ heading, requests }],
        `Allow ${these(requests.length)}, now and from now on?`,
      );
      if (!isAllowed) throw fault;
      const consents = new Consents(io.env);
      for (const consent of fault.consents) consents.give(consent);
    }
  }
}
