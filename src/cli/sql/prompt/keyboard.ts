// What is typed, in order, from the moment the prompt is there: keys that come while a statement runs wait until somebody
// asks for them. Node's readline tells keys apart; Ctrl-C stops what runs, and is a key like others where nothing does.
import { emitKeypressEvents, type Key } from 'node:readline';
import type { Readable } from 'node:stream';

export type Press =
  | { readonly kind: 'key'; readonly name: string; readonly text: string }
  /** Text that arrived at once: it is inserted as it is. */
  | { readonly kind: 'paste'; readonly text: string }
  | { readonly kind: 'resize' }
  /** Nothing will be typed any more. */
  | { readonly kind: 'end' };

export interface Keys extends Readable {
  setRawMode?(raw: boolean): unknown;
}

export class Keyboard {
  readonly #input: Keys;
  readonly #waiting: Press[] = [];
  #taker: ((press: Press) => void) | null = null;
  #running: AbortController | null = null;
  #pasted: string | null = null;
  #isWithinChunk = false;

  constructor(input: Keys) {
    this.#input = input;
    // Before and after the listener that takes a chunk apart into keys.
    input.on('data', this.#beginChunk);
    input.on('keypress', this.#onKey);
    emitKeypressEvents(input);
    input.on('data', this.#endChunk);
    input.on('end', this.end);
    input.on('error', this.end);
    this.listen();
  }

  listen(): void {
    this.#input.setRawMode?.(true);
    this.#input.resume();
  }

  /** The terminal is as it was before. */
  rest(): void {
    this.#input.setRawMode?.(false);
    this.#input.pause();
  }

  close(): void {
    this.#input.off('data', this.#beginChunk);
    this.#input.off('data', this.#endChunk);
    this.#input.off('keypress', this.#onKey);
    this.#input.off('end', this.end);
    this.#input.off('error', this.end);
    this.rest();
  }

  /** There is more to come at once: nothing needs to be drawn yet. */
  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  next(): Promise<Press> {
    return new Promise((resolve) => {
      this.#taker = resolve;
      this.#hand();
    });
  }

  resized = (): void => this.#put({ kind: 'resize' });

  end = (): void => this.#put({ kind: 'end' });

  /** Does something that Ctrl-C stops. What was typed ahead of the Ctrl-C goes with it, as in a terminal. */
  async during<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const running = new AbortController();
    this.#running = running;
    try {
      return await work(running.signal);
    } finally {
      this.#running = null;
    }
  }

  #onKey = (said: string | undefined, key: Key): void => {
    const name = nameOf(key);
    if (this.#pasted !== null && name !== 'paste-end') this.#pasted += said ?? key.sequence ?? '';
    else if (name === 'paste-start') this.#pasted = '';
    else if (name === 'paste-end') this.#endPaste();
    else if (name === 'ctrl-c' && this.#running !== null) this.#interrupt(this.#running);
    else this.#type({ kind: 'key', name, text: typedText(said, key) });
  };

  /** A tab with more behind it in one go was not typed: somebody pasted indented lines. */
  #type(press: Press): void {
    const last = this.#waiting.at(-1);
    if (this.#isWithinChunk && last?.kind === 'key' && last.name === 'tab') {
      this.#waiting.splice(-1, 1, { kind: 'paste', text: '\t' });
    }
    this.#put(press);
  }

  #beginChunk = (): void => {
    this.#isWithinChunk = true;
  };

  #endChunk = (): void => {
    this.#isWithinChunk = false;
    this.#hand();
  };

  #endPaste(): void {
    if (this.#pasted !== null) this.#put({ kind: 'paste', text: this.#pasted });
    this.#pasted = null;
  }

  #interrupt(running: AbortController): void {
    this.#waiting.length = 0;
    running.abort();
  }

  #put(press: Press): void {
    this.#waiting.push(press);
    this.#hand();
  }

  #hand(): void {
    const taker = this.#taker;
    if (taker === null || this.#isWithinChunk) return;
    const press = this.#waiting.shift();
    if (press === undefined) return;
    this.#taker = null;
    taker(press);
  }
}

/** `ctrl-left`, `meta-b`, `up`, `x`. */
function nameOf({ ctrl, meta, name }: Key): string {
  return `${ctrl === true ? 'ctrl-' : ''}${meta === true ? 'meta-' : ''}${name ?? ''}`;
}

function typedText(said: string | undefined, { ctrl, meta, sequence = '' }: Key): string {
  if (ctrl === true || meta === true || said === undefined) return '';
  return sequence.startsWith('\u001b') ? '' : said;
}
