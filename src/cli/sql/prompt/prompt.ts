// The prompt of `icecore sql`: reads statements and commands and has them done, until somebody leaves.
//
// It edits by itself, with Node's readline only to tell keys apart. Node's own prompt (node:repl) was tried: it draws a
// statement of several lines wrong as soon as one is wider than the terminal, runs what is typed ahead while a statement is
// still running, writes its history file whole, so that prompts side by side wipe out each other's, and answers to commands
// about JavaScript. A readline interface edits one line; statements of SQL have several, pasted ones above all.
import { exitCodeOf, PipeClosed, type StopSignal } from '../../io.ts';
import { Canvas, Teletype } from './canvas.ts';
import { completed } from './completion.ts';
import type { Desk } from './desk.ts';
import { type Around, Editor } from './editor.ts';
import { columned, greeting, howToLeave, unended } from './help.ts';
import { type History, openHistory } from './history.ts';
import { Keyboard } from './keyboard.ts';
import { Session } from './session.ts';
import { unless } from './stop.ts';
import { suggestions } from './suggestions.ts';
import type { Surroundings } from './terminal.ts';

/** Returns the exit code. Whoever reads what it prints may go away: that ends it, and is no failure. */
export async function prompt(desk: Desk, surroundings: Surroundings): Promise<number> {
  const { terminal, signal, historyFile } = surroundings;
  const { output } = terminal;
  const keyboard = new Keyboard(terminal.input);
  const surface = terminal.isDumb ? new Teletype(output) : new Canvas(output, terminal.paint);
  const stopListening = terminal.onResize(keyboard.resized);
  signal.addEventListener('abort', keyboard.end);
  try {
    await output.write(greeting);
    const history = openHistory(historyFile);
    const session = new Session(desk, surroundings, keyboard);
    const editor = new Editor({ ...around(desk, surroundings, keyboard), surface, entries: history.entries });
    await converse(editor, session, surroundings, history);
    return signal.aborted ? exitCodeOf(signal.reason as StopSignal) : 0;
  } catch (fault) {
    if (fault instanceof PipeClosed) return 0;
    throw fault;
  } finally {
    signal.removeEventListener('abort', keyboard.end);
    stopListening();
    keyboard.close();
    await surface.close().catch(() => {});
  }
}

async function converse(
  editor: Editor,
  session: Session,
  { terminal, signal, tell }: Surroundings,
  history: History,
): Promise<void> {
  let keeps = true;
  while (!signal.aborted) {
    const entry = await editor.read();
    if (entry.text.trim() !== '' && keeps) {
      try {
        history.add(entry.text.trim());
      } catch (fault) {
        keeps = false;
        await tell(fault);
      }
    }
    if (entry.kind === 'left') return;
    if (entry.kind === 'dropped' && entry.text.trim() === '') await terminal.output.write(howToLeave);
    if (entry.kind === 'asked' && (await session.run(entry.text)) === 'leave') return;
  }
}

function around(desk: Desk, { terminal }: Surroundings, keyboard: Keyboard): Omit<Around, 'surface' | 'entries'> {
  const { output } = terminal;
  return {
    keyboard,
    complete: async (before) => {
      try {
        return await keyboard.during((stop) =>
          unless(stop, async () => completed(before, await suggestions(before, desk))),
        );
      } catch {
        // What stands in the way of completing stands in the way of asking, which tells it.
        return null;
      }
    },
    list: (choices) => output.write(columned(choices, output.columns)),
    remind: () => output.write(unended),
    suspend: async () => {
      keyboard.rest();
      await terminal.suspend();
      keyboard.listen();
    },
  };
}
