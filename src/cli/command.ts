// Defines commands of icecore as plugins do, with the full context of the command line.
import { type DefineCommand, defineCommand as define } from '../library/plugins/command.ts';
import type { Context } from './context.ts';

export * from '../library/plugins/command.ts';

export const defineCommand: DefineCommand<Context> = define;
