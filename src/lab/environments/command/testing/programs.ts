// Small environment programs for tests: correct ones, with overrides.
import { onTestFinished } from 'vitest';
import type { Descriptor } from '../../../../../schemas/environment.ts';
import { allowed } from '../../../programs/testing/allowed.ts';
import type { Environment, Task } from '../../environment.ts';
import { type CommandOptions, openCommand } from '../open.ts';

export const descriptor: Descriptor = {
  environment: 'coins',
  knobs: [
    { name: 'side', path: ['side'], meaning: '', family: null, range: { min: 0, max: 1 }, step: 1, integer: true },
  ],
  families: [{ family: 'coin' }],
  outcomes: ['heads', 'tails'].map((outcome) => ({ outcome, meaning: '' })),
  failureClasses: [{ class: 'tails', meaning: '' }],
  failed: { all: [{ field: ['success'], equals: false }] },
  failureClass: { field: ['failureClass'] },
  family: { field: ['family'] },
};

const description = { descriptor, start: { side: 0 } };

/**
 * A JavaScript program that describes itself, generates tasks and accepts every answer. `otherwise` lists replacement
 * methods by request, such as `judge(r) { process.exit(3); }`.
 */
export function program(otherwise = ''): [string, ...string[]] {
  const code = `
    const { writeSync } = require('node:fs');
    const print = (text) => { for (let rest = Buffer.from(text); rest.length > 0; ) {
      try { rest = rest.subarray(writeSync(1, rest)); } catch (error) { if (error.code !== 'EAGAIN') throw error; }
    } };
    const say = (reply) => print(JSON.stringify(reply) + '\\n');
    const description = ${JSON.stringify(description)};
    const task = (i) => ({ id: 't' + i, family: 'coin', instance: { number: i }, facts: { pid: process.pid } });
    const heads = { outcome: 'heads', success: true, metrics: { pid: process.pid } };
    const answers = {
      describe(r) { say({ request: r.request, ...description }); },
      generate(r) {
        for (let i = 0; i < r.count; i++) say({ request: r.request, task: task(i) });
        say({ request: r.request, done: true });
      },
      judge(r) { say({ request: r.request, verdict: heads }); },
      ${otherwise}
    };
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const r = JSON.parse(line);
      answers[r.do](r);
    });`;
  return [process.execPath, '-e', code];
}

/** Opens a program and closes it after the test. */
export async function opened(otherwise = '', options: Partial<CommandOptions> = {}): Promise<Environment> {
  const environment = await openCommand({ program: allowed(program(otherwise)), ...options });
  onTestFinished(() => environment.close());
  return environment;
}

export const request = (count: number) => ({ configuration: { side: 0 }, split: 'train' as const, count, seed: 'a' });

export const task: Task = { id: 't', family: 'coin', instance: { number: 1 }, facts: {} };
