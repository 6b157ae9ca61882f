// Does what was asked, piece by piece: statements go to the desk, commands are the prompt's own. A fault is told, and the
// next piece is done; a Ctrl-C stops the one that runs and leaves out those after it.

import { counted, duration } from '../../../base/quantity.ts';
import { PipeClosed } from '../../io.ts';
import { type Dotted, formatFrom, limitFrom, parsed, switchFrom } from './commands.ts';
import type { Desk, Settings } from './desk.ts';
import { helpText } from './help.ts';
import type { Keyboard } from './keyboard.ts';
import { type Piece, read } from './statements.ts';
import { unless } from './stop.ts';
import type { Surroundings } from './terminal.ts';

type After = 'go on' | 'stopped' | 'leave';

export class Session {
  readonly #desk: Desk;
  readonly #surroundings: Surroundings;
  readonly #keyboard: Keyboard;
  #settings: Settings;
  #isTimed = false;

  constructor(desk: Desk, surroundings: Surroundings, keyboard: Keyboard) {
    this.#desk = desk;
    this.#surroundings = surroundings;
    this.#keyboard = keyboard;
    this.#settings = desk.settings;
  }

  async run(text: string): Promise<'go on' | 'leave'> {
    const { pieces } = read(text);
    for (const [i, piece] of pieces.entries()) {
      const after = await this.#do(piece);
      if (after === 'leave') return 'leave';
      if (after === 'stopped') {
        await this.#say(stoppedBefore(pieces.length - i - 1));
        break;
      }
    }
    return 'go on';
  }

  async #do(piece: Piece): Promise<After> {
    let isStopped = false;
    try {
      return await this.#keyboard.during(async (ctrlC) => {
        const stop = AbortSignal.any([ctrlC, this.#surroundings.signal]);
        stop.addEventListener('abort', () => {
          isStopped = true;
        });
        const after =
          piece.kind === 'command' ? await this.#command(piece.text, stop) : await this.#ask(piece.text, stop);
        return isStopped ? 'stopped' : after;
      });
    } catch (fault) {
      if (fault instanceof PipeClosed) throw fault;
      if (isStopped) return 'stopped';
      await this.#surroundings.tell(fault);
      return 'go on';
    }
  }

  async #ask(sql: string, stop: AbortSignal): Promise<After> {
    const from = performance.now();
    await this.#desk.ask(sql, this.#settings, stop);
    if (this.#isTimed) await this.#say(`${duration((performance.now() - from) / 1000)}\n`);
    return 'go on';
  }

  async #command(line: string, stop: AbortSignal): Promise<After> {
    const { name, argument } = parsed(line);
    if (name === '.exit') return 'leave';
    const said = await unless(stop, async () => await this.#answer({ name, argument }));
    if (said !== null) await this.#say(said.endsWith('\n') ? said : `${said}\n`);
    return 'go on';
  }

  async #answer({ name, argument }: Dotted): Promise<string> {
    if (name === '.tables') return await this.#desk.tables();
    if (name === '.schema') return await this.#desk.schema(argument);
    if (name === '.format') this.#settings = { ...this.#settings, format: formatFrom(argument, this.#desk.formats) };
    if (name === '.limit') this.#settings = { ...this.#settings, rows: limitFrom(argument) };
    if (name === '.timing') this.#isTimed = switchFrom(argument, this.#isTimed);
    return name === '.help' ? helpText(this.#desk.formats, this.#surroundings.terminal.output) : this.#set();
  }

  #set(): string {
    const { format, rows } = this.#settings;
    const shown = rows === null ? 'all rows' : `up to ${counted(rows, 'row')}`;
    return `format ${format}, ${shown}, timing ${this.#isTimed ? 'on' : 'off'}`;
  }

  #say(text: string): Promise<void> {
    return this.#surroundings.terminal.output.write(text);
  }
}

function stoppedBefore(left: number): string {
  return left === 0 ? 'stopped\n' : `stopped; ${counted(left, 'statement')} after it not run\n`;
}
