// Reads what somebody asks next: a text of as many lines as it takes, edited as one, until Enter finds it whole.
import type { Surface } from './canvas.ts';
import { isCommand } from './commands.ts';
import type { Completed } from './completion.ts';
import type { Keyboard, Press } from './keyboard.ts';
import { cuts, deletions, moves } from './keys.ts';
import { continuation, promptText, type View } from './layout.ts';
import { type Found, found } from './search.ts';
import { read } from './statements.ts';
import { down, inserted, nothing, type Text, up, whole } from './text.ts';

export type Entry =
  | { readonly kind: 'asked'; readonly text: string }
  /** By Ctrl-C. */
  | { readonly kind: 'dropped'; readonly text: string }
  /** By Ctrl-D, or because nothing will be typed any more. */
  | { readonly kind: 'left'; readonly text: string };

export interface Around {
  readonly keyboard: Keyboard;
  readonly surface: Surface;
  /** Oldest first. */
  readonly entries: readonly string[];
  complete(before: string): Promise<Completed | null>;
  /** Prints lines below what is typed. */
  list(choices: readonly string[]): Promise<void>;
  /** Says that a statement is not ended yet. */
  remind(): Promise<void>;
  /** Hands the terminal back to the shell until the program goes on. */
  suspend(): Promise<void>;
}

type After = Entry | undefined;

export class Editor {
  readonly #around: Around;
  /** What was cut out last, over all entries. */
  #cut = '';
  #text: Text = nothing;
  #search: { readonly wanted: string; readonly found: Found | null; readonly before: Text } | null = null;
  /** Which of the older entries is shown; their number where none is. */
  #entry = 0;
  /** What was typed before older entries were looked at. */
  #draft: Text = nothing;

  constructor(around: Around) {
    this.#around = around;
  }

  async read(): Promise<Entry> {
    this.#text = nothing;
    this.#search = null;
    this.#entry = this.#around.entries.length;
    for (;;) {
      if (!this.#around.keyboard.isWaiting) await this.#show();
      const entry = await this.#take(await this.#around.keyboard.next());
      if (entry !== undefined) return entry;
    }
  }

  async #take(press: Press): Promise<After> {
    if (press.kind === 'end') return await this.#leave('left', '');
    if (press.kind === 'paste') return this.#paste(press.text);
    if (press.kind !== 'key') return undefined;
    if (this.#search !== null && this.#searchOn(press.name, press.text)) return undefined;
    const command = this.#commands[press.name];
    if (command !== undefined) return await command();
    this.#edit(press.name, press.text);
    return undefined;
  }

  readonly #commands: Readonly<Record<string, () => Promise<After>>> = {
    return: () => this.#enter(),
    enter: () => this.#enter(),
    'meta-return': async () => this.#insert('\n'),
    'meta-enter': async () => this.#insert('\n'),
    up: async () => this.#up(),
    down: async () => this.#down(),
    'ctrl-p': async () => this.#older(),
    'ctrl-n': async () => this.#newer(),
    pageup: async () => this.#older(),
    pagedown: async () => this.#newer(),
    'ctrl-r': async () => this.#beginSearch(),
    'ctrl-y': async () => this.#insert(this.#cut),
    'ctrl-c': () => this.#leave('dropped', '^C'),
    'ctrl-d': () => this.#endOrDelete(),
    'ctrl-l': () => this.#around.surface.clear().then(() => undefined),
    'ctrl-z': () => this.#suspend(),
    tab: () => this.#tab(),
  };

  #edit(name: string, said: string): void {
    const move = moves[name];
    const deletion = deletions[name];
    const cut = cuts[name];
    if (move !== undefined) this.#text = move(this.#text);
    else if (deletion !== undefined) this.#text = deletion(this.#text).left;
    else if (cut !== undefined) {
      const { left, cut: taken } = cut(this.#text);
      this.#text = left;
      if (taken !== '') this.#cut = taken;
    } else this.#insert(said);
  }

  #insert(said: string): undefined {
    if (said !== '') this.#text = inserted(said)(this.#text);
  }

  #paste(said: string): undefined {
    this.#search = null;
    this.#insert(said);
  }

  async #enter(): Promise<After> {
    const { text } = this.#text;
    const { rest } = read(text);
    if (rest === '') return await this.#leave('asked', '');
    if (wantsOut(this.#text)) return await this.#aside(() => this.#around.remind());
    return this.#insert('\n');
  }

  async #endOrDelete(): Promise<After> {
    if (this.#text.at === this.#text.text.length) return await this.#leave('left', '');
    this.#edit('delete', '');
    return undefined;
  }

  async #leave(kind: Entry['kind'], behind: string): Promise<Entry> {
    this.#search = null;
    await this.#around.surface.settle(this.#view(), behind);
    return { kind, text: this.#text.text };
  }

  async #tab(): Promise<After> {
    const { text, at } = this.#text;
    const before = text.slice(0, at);
    if (/(?:^|\n)[ \t]*$/.test(before)) return this.#insert('  ');
    const completed = await this.#around.complete(before);
    if (completed === null) return undefined;
    this.#text = { text: completed.text + text.slice(at), at: completed.text.length };
    const { choices } = completed;
    if (completed.text !== before || choices.length === 0) return undefined;
    return await this.#aside(() => this.#around.list(choices));
  }

  /** Something is printed below, and what is typed is shown again below that. */
  async #aside(print: () => Promise<void>): Promise<undefined> {
    await this.#around.surface.settle(this.#view());
    await print();
  }

  async #suspend(): Promise<undefined> {
    await this.#aside(() => this.#around.suspend());
  }

  #up(): undefined {
    const above = up(this.#text);
    if (above === null) return this.#older();
    this.#text = above;
  }

  #down(): undefined {
    const below = down(this.#text);
    if (below === null) return this.#newer();
    this.#text = below;
  }

  #older(): undefined {
    const { entries } = this.#around;
    const older = entries[this.#entry - 1];
    if (older === undefined) return;
    if (this.#entry === entries.length) this.#draft = this.#text;
    this.#entry -= 1;
    this.#text = whole(older);
  }

  #newer(): undefined {
    const { entries } = this.#around;
    if (this.#entry === entries.length) return;
    this.#entry += 1;
    const newer = entries[this.#entry];
    this.#text = newer === undefined ? this.#draft : whole(newer);
  }

  #beginSearch(): undefined {
    this.#search = { wanted: '', found: null, before: this.#text };
  }

  /** True where the key was for the search; any other ends it with what it found, and does what it does. */
  #searchOn(name: string, said: string): boolean {
    const search = this.#search;
    if (search === null) return false;
    const { wanted, before } = search;
    if (name === 'ctrl-r') this.#find(wanted, search.found?.entry);
    else if (name === 'backspace') this.#find(wanted.slice(0, -1));
    else if (said !== '' && name !== 'return' && name !== 'enter' && name !== 'tab') this.#find(wanted + said);
    else if (name === 'ctrl-c' || name === 'ctrl-g') {
      this.#search = null;
      this.#text = before;
    } else {
      this.#search = null;
      return false;
    }
    return true;
  }

  #find(wanted: string, before = this.#around.entries.length): void {
    const search = this.#search;
    if (search === null) return;
    const next = wanted === '' ? null : (found(this.#around.entries, wanted, before) ?? search.found);
    this.#search = { ...search, wanted, found: next };
    if (next === null) return;
    this.#entry = next.entry;
    this.#text = { text: next.text, at: next.at };
  }

  #show(): Promise<void> {
    return this.#around.surface.show(this.#view());
  }

  #view(): View {
    const first = this.#search === null ? promptText : `search "${this.#search.wanted}"> `;
    return { text: this.#text, prompts: [first, ...read(this.#text.text).marks.map(continuation)] };
  }
}

/** An empty line at the end, or a command there, is what people write who think that the statement was ended. */
function wantsOut({ text, at }: Text): boolean {
  const [, last] = /\n([^\n]*)$/.exec(text) ?? [];
  return last !== undefined && at === text.length && (last.trim() === '' || isCommand(last));
}
