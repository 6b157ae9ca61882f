// What a command line comes to, as the declarations of its command read it.

import { commandOf, parse, valuesOf } from '../command-line.ts';
import { createContext } from '../context.ts';
import { commands } from './commands.ts';
import { silentIo } from './harness.ts';

export async function typedFor<Args, Options>(
  name: string,
  words: readonly string[],
): Promise<{ readonly args: Args; readonly options: Options }> {
  const entry = commands.find(name);
  if (entry === undefined) throw new Error(`there is no command ${name}`);
  const module = await entry.load();
  const command = commandOf(entry, module);
  parse(command, words, false);
  const context = createContext(silentIo('/'), { json: false, quiet: true }, async () => 0);
  return (await valuesOf(command, module, context)) as { readonly args: Args; readonly options: Options };
}
