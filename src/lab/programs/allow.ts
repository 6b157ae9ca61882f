// Marks a program as allowed to run. Only the command line's consent gate and tests may import this file; the import
// rules enforce that.
import type { AllowedProgram } from './program.ts';

export function allowProgram(facts: Pick<AllowedProgram, 'command' | 'folder' | 'environment'>): AllowedProgram {
  return facts as AllowedProgram;
}
