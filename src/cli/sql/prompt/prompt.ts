// The prompt of `icecore sql`: reads and runs statements and commands until the user leaves. Node's readline edits the line; a
// statement of several lines is put together here and is one entry of the history. What is typed while a statement runs is
// shown after it.
import { createInterface, type Interface, type Key } from 'node:readline';
import { type Readable, Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { counted, duration } from '../../../base/quantity.ts';
import type { Sink } from '../../../base/sink.ts';
import { PipeClosed } from '../../../base/sink.ts';
import { exitCodeOf, type StopSignal } from '../../io.ts';
import { Controls, choicesFor, greeting, howToLeave, isCommand, type PromptHost, unended } from './commands.ts';
import { type History, openHistory } from './history.ts';
import { type Piece, read } from './statements.ts';

interface Terminal {
  readonly input: Readable & { setRawMode?(raw: boolean): unknown };
  readonly output: Sink & { readonly rows?: number };
  /** It can only print. */
  readonly isDumb: boolean;
  readonly paint: (prompt: string) => string;
  /** Calls the listener whenever the width changes, until the returned function is called. */
  onResize(listener: () => void): () => void;
}

export interface Surroundings {
  readonly terminal: Terminal;
  /** Where statements are recorded for the next prompt; null for nowhere. */
  readonly historyFile: string | null;
  /** Asks the program to end. */
  readonly signal: AbortSignal;
  /** Shows an error to the user. */
  showFault(fault: unknown): Promise<void>;
}

/** Returns the exit code. A reader of its output that goes away ends it without a failure. */
export async function prompt(host: PromptHost, surroundings: Surroundings): Promise<number> {
  const conversation = new Conversation(host, surroundings);
  const { signal } = surroundings;
  try {
    await conversation.run();
    return signal.aborted ? exitCodeOf(signal.reason as StopSignal) : 0;
  } catch (fault) {
    if (fault instanceof PipeClosed) return 0;
    throw fault;
  } finally {
    conversation.close();
  }
}

const promptText = 'icecore> ';

/** Replaces line breaks of an earlier statement in the one line that readline edits. */
const lineBreak = '⏎';

interface Event {
  /** dropped: by Ctrl-C; left: by Ctrl-D or the end of the input. */
  readonly kind: 'line' | 'dropped' | 'left';
  readonly text: string;
  /** False if it was typed while nothing was shown: it is shown when it is its turn. */
  readonly isSeen: boolean;
}

class Conversation {
  readonly #host: PromptHost;
  readonly #surroundings: Surroundings;
  readonly #controls: Controls;
  readonly #screen: Screen;
  readonly #history: History;
  /** The entries that readline offers, newest first. */
  readonly #entries: string[];
  readonly #readline: Interface;
  readonly #stopListening: () => void;
  readonly #events: Event[] = [];
  #wake: (() => void) | null = null;
  /** The lines of a statement without its semicolon. */
  #begun = '';
  #running: AbortController | null = null;
  #isDropping = false;
  #isLeft = false;
  /** The current search: the text, and the index of the entry that was found. */
  #search: { readonly text: string; readonly index: number } | null = null;
  #isRecorded = true;

  constructor(host: PromptHost, surroundings: Surroundings) {
    const { terminal, historyFile, signal } = surroundings;
    this.#host = host;
    this.#surroundings = surroundings;
    this.#controls = new Controls(host, terminal.output);
    this.#screen = new Screen(terminal.output, () => this.#leave(''));
    this.#history = openHistory(historyFile);
    this.#entries = this.#history.entries.map(inOneLine).reverse();
    // This listener comes before readline's own.
    terminal.input.on('keypress', this.#onKey);
    this.#readline = createInterface({
      input: terminal.input,
      output: this.#screen,
      terminal: true,
      history: this.#entries,
      historySize: Number.MAX_SAFE_INTEGER,
      completer: (line: string, done: (fault: null, found: [string[], string]) => void) => {
        void this.#complete(line).then((found) => done(null, found));
      },
    });
    this.#readline.on('line', this.#onLine);
    this.#readline.on('SIGINT', this.#onCtrlC);
    this.#readline.on('close', () => this.#leave(''));
    this.#keepLinesOutOfHistory();
    this.#stopListening = terminal.onResize(() => this.#screen.emit('resize'));
    signal.addEventListener('abort', this.#onSignal);
  }

  close(): void {
    const { terminal, signal } = this.#surroundings;
    signal.removeEventListener('abort', this.#onSignal);
    this.#stopListening();
    terminal.input.off('keypress', this.#onKey);
    this.#screen.isMuted = true;
    this.#readline.close();
  }

  async run(): Promise<void> {
    await this.#screen.say(greeting);
    for (;;) {
      const event = await this.#next();
      const text = this.#begun + event.text.replaceAll(lineBreak, '\n');
      if (event.kind !== 'line') {
        this.#begun = '';
        await this.#record(text);
        if (event.kind === 'left') return;
        if (text.trim() === '') await this.#screen.say(howToLeave);
        continue;
      }
      const { pieces, rest } = read(text);
      const isOutOfPlace = this.#begun !== '' && (event.text.trim() === '' || isCommand(event.text));
      if (rest !== '' && isOutOfPlace) await this.#screen.say(unended);
      else this.#begun = rest === '' ? '' : `${text}\n`;
      if (rest !== '') continue;
      await this.#record(text);
      if (await this.#runAll(pieces)) return;
    }
  }

  async #next(): Promise<Event> {
    const { paint } = this.#surroundings.terminal;
    const prompt = this.#begun === '' ? promptText : `${read(this.#begun).open}> `.padStart(promptText.length);
    if (this.#events.length === 0) {
      this.#screen.isMuted = false;
      this.#readline.setPrompt(paint(prompt));
      this.#readline.prompt(true);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const event = this.#events.shift() as Event;
    const end = event.kind === 'dropped' ? '^C\n' : '\n';
    await this.#screen.say(event.isSeen ? '' : `${prompt}${event.text}${end}`);
    return event;
  }

  #put(event: Event): void {
    this.#events.push(event);
    this.#screen.isMuted = true;
    this.#wake?.();
  }

  readonly #onLine = (text: string): void => {
    this.#put({ kind: this.#isDropping ? 'dropped' : 'line', text, isSeen: !this.#screen.isMuted });
  };

  readonly #onSignal = (): void => {
    this.#running?.abort();
    this.#leave('');
  };

  #leave(text: string): void {
    if (this.#isLeft) return;
    this.#isLeft = true;
    this.#put({ kind: 'left', text, isSeen: true });
  }

  /** Stops the running statement and drops what was typed ahead; else drops what is typed. */
  readonly #onCtrlC = (): void => {
    this.#readline.write(null, { ctrl: true, name: 'e' });
    if (this.#running === null) {
      this.#screen.write('^C');
      this.#isDropping = true;
      this.#readline.write(null, { name: 'return' });
      this.#isDropping = false;
    } else {
      this.#events.length = 0;
      this.#readline.write(null, { ctrl: true, name: 'u' });
      this.#running.abort();
    }
  };

  readonly #onKey = (_: unknown, { name, ctrl, shift }: Key): void => {
    const { line, cursor } = this.#readline;
    if (ctrl === true && name === 'r') this.#searchFor(line);
    else if (name !== undefined || shift === true) this.#search = null;
    // Readline itself leaves on Ctrl-D only if the line is empty.
    if (ctrl === true && name === 'd' && line !== '' && cursor === line.length) {
      this.#screen.write('\r\n');
      this.#leave(line);
    }
    if (this.#surroundings.terminal.isDumb && name === 'backspace' && line !== '') {
      Object.assign(this.#readline, { line: line.slice(0, -1), cursor: line.length - 1 });
      this.#screen.write('\b \b');
    }
  };

  /** Finds the newest entry that contains the typed text; again, the next older one. */
  #searchFor(line: string): void {
    const { text, index } = this.#search ?? { text: line.toLowerCase(), index: -1 };
    const found = this.#entries.findIndex((entry, i) => i > index && entry.toLowerCase().includes(text));
    if (found < 0) return;
    this.#readline.write(null, { ctrl: true, name: 'e' });
    this.#readline.write(null, { ctrl: true, name: 'u' });
    this.#readline.write(this.#entries[found] ?? '');
    this.#search = { text, index: found };
  }

  /** Readline adds each line; only whole statements are entries. */
  #keepLinesOutOfHistory(): void {
    this.#readline.on('history', (entries: string[]) => {
      if (entries.length > this.#history.entries.length) entries.shift();
    });
  }

  async #record(text: string): Promise<void> {
    const entry = text.trim();
    if (entry === '' || entry === this.#history.entries.at(-1) || !this.#isRecorded) return;
    try {
      this.#entries.unshift(inOneLine(entry));
      this.#history.add(entry);
    } catch (fault) {
      this.#isRecorded = false;
      await this.#surroundings.showFault(fault);
    }
  }

  /** A fault offers nothing: running the statement reports it. */
  async #complete(line: string): Promise<[string[], string]> {
    // Readline takes no keys while it completes, and Ctrl-C must reach the running statement.
    if (this.#running !== null) return [[], ''];
    try {
      // The line before it may not have been handled yet.
      await turn();
      const [choices, typed] = await choicesFor(this.#begun + line, this.#host);
      return [[...choices], typed];
    } catch {
      return [[], ''];
    }
  }

  /** Runs one after the other, reports faults and continues. Returns whether to leave. */
  async #runAll(pieces: readonly Piece[]): Promise<boolean> {
    for (const [i, piece] of pieces.entries()) {
      const outcome = await this.#runOne(piece);
      if (outcome === 'leave') return true;
      if (outcome !== 'stopped') continue;
      const left = pieces.length - i - 1;
      await this.#screen.say(left === 0 ? 'stopped\n' : `stopped; ${counted(left, 'statement')} after it not run\n`);
      break;
    }
    return false;
  }

  async #runOne(piece: Piece): Promise<'done' | 'stopped' | 'leave'> {
    const running = new AbortController();
    this.#running = running;
    const stopped = new Promise<'stopped'>((resolve) => {
      running.signal.addEventListener('abort', () => resolve('stopped'));
    });
    try {
      const work = piece.kind === 'command' ? this.#command(piece.text) : this.#ask(piece.text, running.signal);
      // A command may be left running; a statement reports when it has stopped.
      if (piece.kind === 'command') return await Promise.race([work, stopped]);
      await work;
      return running.signal.aborted ? 'stopped' : 'done';
    } catch (fault) {
      if (fault instanceof PipeClosed) throw fault;
      if (running.signal.aborted) return 'stopped';
      await this.#surroundings.showFault(fault);
      return 'done';
    } finally {
      this.#running = null;
    }
  }

  async #ask(sql: string, signal: AbortSignal): Promise<'done'> {
    const from = performance.now();
    await this.#host.ask(sql, this.#controls.settings, signal);
    if (this.#controls.isTimed) await this.#screen.say(`${duration((performance.now() - from) / 1000)}\n`);
    return 'done';
  }

  async #command(line: string): Promise<'done' | 'leave'> {
    const text = await this.#controls.answer(line);
    if (text === null) return 'leave';
    await this.#screen.say(text.endsWith('\n') ? text : `${text}\n`);
    return 'done';
  }
}

function inOneLine(entry: string): string {
  return entry.replaceAll('\n', lineBreak);
}

/** The terminal that readline writes to; it is muted while a statement runs. */
class Screen extends Writable {
  readonly isTTY = true;
  isMuted = true;
  readonly #sink: Terminal['output'];
  readonly #onGone: () => void;
  #fault: unknown = null;

  constructor(sink: Terminal['output'], onGone: () => void) {
    super({ decodeStrings: false });
    this.#sink = sink;
    this.#onGone = onGone;
  }

  get columns(): number {
    return this.#sink.columns;
  }

  get rows(): number | undefined {
    return this.#sink.rows;
  }

  override write(text: unknown, ...rest: unknown[]): boolean {
    return this.isMuted ? true : Reflect.apply(super.write, this, [text, ...rest]);
  }

  /** Writes after everything that was written before. Throws PipeClosed. */
  async say(text: string): Promise<void> {
    await new Promise<void>((resolve) => Reflect.apply(super.write, this, [text, resolve]));
    if (this.#fault !== null) throw this.#fault;
  }

  override _write(text: string, _: unknown, done: () => void): void {
    this.#sink.write(text).then(done, (fault: unknown) => {
      this.#fault = fault;
      done();
      this.#onGone();
    });
  }
}
