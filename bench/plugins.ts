// The arithmetic example as a plugin in this process compared with the same as a child program: generating tasks, judging answers, and
// engineers' proposals, by wall time.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { openCommand } from '../src/lab/environments/command/open.ts';
import type { Environment, Task, Try } from '../src/lab/environments/environment.ts';
import { allowed } from '../src/lab/programs/testing/allowed.ts';
import '../tools/own-name.ts';
import { type Contender, type Done, sideBySide } from './measure.ts';
import { type Report, rateLine, ratioLine } from './report.ts';

const rounds = 5;
const count = 5_000;
const least = 10;
const program = fileURLToPath(new URL('../examples/arithmetic/environment.py', import.meta.url));

export async function pluginsBench(): Promise<Report[]> {
  if (spawnSync('python3', ['--version']).status !== 0) return [];
  const child = await openCommand({
    program: allowed(['python3', program]),
    variables: { PYTHONDONTWRITEBYTECODE: '1' },
  });
  const { arithmetic } = await import('../examples/arithmetic/environment.ts');
  const inProcess = await arithmetic.open({ knobs: [] });
  try {
    return [
      await report('tasks made', child, inProcess, generating),
      await report('answers judged', child, inProcess, judging),
      await report('rollouts played and judged', child, inProcess, playing),
    ];
  } finally {
    await Promise.all([child.close(), inProcess.close()]);
  }
}

type Work = (environment: Environment, seed: string) => Promise<Done>;

async function report(what: string, child: Environment, inProcess: Environment, work: Work): Promise<Report> {
  const contenders: Contender[] = [
    { name: 'child program', run: (round) => work(child, `bench-${round}`) },
    { name: 'in process', run: (round) => work(inProcess, `bench-${round}`) },
  ];
  const [program, plugin] = await sideBySide(contenders, rounds);
  return {
    title: `${what} of the arithmetic example, the median of ${rounds} rounds`,
    lines: [
      rateLine('child program', program?.perSecond ?? 0),
      rateLine('in process', plugin?.perSecond ?? 0),
      ratioLine('in process to child program', plugin?.ratio ?? 0, least),
    ],
    data: { rounds, child: program?.perSecond, inProcess: plugin?.perSecond, ratio: plugin?.ratio },
  };
}

async function generating(environment: Environment, seed: string): Promise<Done> {
  const begun = performance.now();
  let units = 0;
  for await (const _ of environment.generate({ configuration: environment.start, split: 'train', count, seed }))
    units++;
  return { units, milliseconds: performance.now() - begun };
}

async function judging(environment: Environment, seed: string): Promise<Done> {
  const tries: Try[] = (await tasks(environment, seed)).map((task) => ({ task, answer: '17' }));
  const begun = performance.now();
  let units = 0;
  for await (const _ of environment.judge(tries)) units++;
  return { units, milliseconds: performance.now() - begun };
}

async function playing(environment: Environment, seed: string): Promise<Done> {
  const played = await tasks(environment, seed);
  const { rollout } = environment;
  if (rollout === undefined) throw new Error('the arithmetic example plays its tasks');
  const begun = performance.now();
  let units = 0;
  for await (const _ of rollout.call(environment, { tasks: played, samples: 1, policy: { name: 'pupil' }, seed }))
    units++;
  return { units, milliseconds: performance.now() - begun };
}

async function tasks(environment: Environment, seed: string): Promise<Task[]> {
  const made: Task[] = [];
  const request = { configuration: environment.start, split: 'train', count, seed } as const;
  for await (const task of environment.generate(request)) made.push(task);
  return made;
}
