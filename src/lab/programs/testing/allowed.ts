// Programs that tests start, by default with the test's environment.
import { allowProgram } from '../allow.ts';
import type { AllowedProgram, AllowProgram } from '../program.ts';

export function allowed(
  command: readonly string[],
  folder: string = process.cwd(),
  environment: NodeJS.ProcessEnv = process.env,
): AllowedProgram {
  const set = Object.entries(environment).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return allowProgram({ command: command as AllowedProgram['command'], folder, environment: Object.fromEntries(set) });
}

/** Allows every program, in this folder. */
export function allowingAll(folder: string = process.cwd()): AllowProgram {
  return (_, command) => allowed(command, folder);
}
