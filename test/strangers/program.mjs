// An attacker's program: an environment, a trainer or an engineer, depending on its argument. Each start appends a line to the file `ran`
// next to it, with the secrets it could see.
import { createHash } from 'node:crypto';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [, , part = '', option = ''] = process.argv;
const secrets = Object.entries(process.env).filter(([, value]) => value?.includes('CANARY'));
appendFileSync(new URL('ran', import.meta.url), `${process.cwd()}/ ${part} ${JSON.stringify(secrets)}\n`);

const splits = ['train', 'probe', 'probe-holdout', 'validation', 'test'];
const descriptor = {
  environment: 'parity',
  knobs: [
    {
      name: 'digits',
      path: ['digits'],
      meaning: 'digits',
      family: 'n',
      range: { min: 1, max: 9 },
      step: 1,
      integer: true,
    },
  ],
  families: [{ family: 'n' }],
  failed: { all: [{ field: ['success'], equals: false }] },
  failureClass: { field: ['failureClass'] },
  family: { field: ['family'] },
};

function taskOf({ split, seed }, index) {
  const first = createHash('sha256').update(seed).digest().readUInt16BE() * 1000;
  const number = (first + index) * splits.length + splits.indexOf(split);
  return { id: `${split}-${index}`, family: 'n', instance: { number } };
}

function verdictOn({ number }, answer) {
  if (answer === number % 3) return { outcome: 'right', success: true };
  return { outcome: 'wrong', success: false, failures: [{ class: 'wrong', message: 'wrong' }] };
}

const requests = {
  describe: () => [{ descriptor, start: { digits: 3 }, understands: ['rollout'] }],
  generate: (request) => [
    ...Array.from({ length: request.count }, (_, index) => ({ task: taskOf(request, index) })),
    { done: true, shortages: [] },
  ],
  judge: ({ instance, answer }) => [{ verdict: verdictOn(instance, answer) }],
  rollout: ({ tasks, samples }) => [
    ...tasks.flatMap(({ id, instance }) =>
      Array.from({ length: samples }, (_, sample) => ({
        rollout: { task: id, sample, answer: sample % 3, verdict: verdictOn(instance, sample % 3), agentSteps: 1 },
      })),
    ),
    { done: true },
  ],
};

async function play() {
  for await (const line of createInterface({ input: process.stdin })) {
    const request = JSON.parse(line);
    for (const reply of requests[request.do](request)) {
      process.stdout.write(`${JSON.stringify({ request: request.request, ...reply })}\n`);
    }
  }
}

/** With `once`, the second stage fails, so that the run can be resumed. */
function train() {
  const { folder, from, budget } = JSON.parse(readFileSync(0, 'utf8'));
  if (option === 'once' && from !== null) process.exit(1);
  writeFileSync(`${folder}/final`, `weights ${from?.digest ?? ''}`);
  const messages = [{ step: 1, spent: budget, values: { reward: 0.5 } }, { done: { checkpoint: { file: 'final' } } }];
  for (const message of messages) process.stdout.write(`${JSON.stringify(message)}\n`);
}

function decide() {
  const { current } = JSON.parse(readFileSync(0, 'utf8'));
  process.stdout.write(
    `${JSON.stringify({ configuration: { digits: (current.digits % 9) + 1 }, rationale: 'harder' })}\n`,
  );
}

await { environment: play, trainer: train, engineer: decide }[part]();
