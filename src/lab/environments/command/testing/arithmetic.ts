// The arithmetic example for tests: opened, with answers to its problems. Requires Python.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { allowed } from '../../../programs/testing/allowed.ts';
import type { Environment, Task } from '../../environment.ts';
import { openCommand } from '../open.ts';

export const hasPython: boolean = spawnSync('python3', ['--version']).status === 0;

const program = fileURLToPath(new URL('../../../../../examples/arithmetic/environment.py', import.meta.url));

export function openArithmetic(): Promise<Environment> {
  return openCommand({ program: allowed(['python3', program]), variables: { PYTHONDONTWRITEBYTECODE: '1' } });
}

export function rightAnswer({ instance }: Task): number {
  const [first, ...others] = instance['numbers'] as number[];
  const operators = instance['operators'] as string[];
  const terms = [first as number];
  for (const [i, number] of others.entries()) {
    if (operators[i] === '*') terms.push((terms.pop() as number) * number);
    else terms.push(operators[i] === '+' ? number : -number);
  }
  return terms.reduce((sum, term) => sum + term);
}
