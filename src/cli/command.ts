// What commands of icecore are defined with: the same as those of plugins, with the whole context of the command line.
import { type DefineCommand, defineCommand as define } from '../library/plugins/command.ts';
import type { Context } from './context.ts';

export * from '../library/plugins/command.ts';

export const defineCommand: DefineCommand<Context> = define;
