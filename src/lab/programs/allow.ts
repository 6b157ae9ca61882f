// Makes a program one that may run. Only the consent gate of the command line and tests may import this file; the import
// rules see to it.
import type { AllowedProgram } from './program.ts';

export function allowProgram(facts: Pick<AllowedProgram, 'command' | 'folder' | 'environment'>): AllowedProgram {
  return facts as AllowedProgram;
}
