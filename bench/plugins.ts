// The arithmetic example and an engineer for it as plugins in this process compared with the same as child programs: generating tasks, judging
// answers, playing, and proposing, by wall time.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { openCommandEngineer } from '../src/lab/engineers/command.ts';
import type { Answer, Engineer, Fact, ProposalRequest, ShownContext } from '../src/lab/engineers/engineer.ts';
import { openCommand } from '../src/lab/environments/command/open.ts';
import type { Environment, Task, Try } from '../src/lab/environments/environment.ts';
import { allowed } from '../src/lab/programs/testing/allowed.ts';
import { defineEngineer } from '../src/library/plugins/define.ts';
import '../tools/own-name.ts';
import { type Contender, type Done, sideBySide, timed } from './measure.ts';
import { type Report, rateLine, ratioLine } from './report.ts';

const rounds = 5;
const count = 5_000;
const least = 10;
const proposals = 20;
const program = fileURLToPath(new URL('../examples/arithmetic/environment.py', import.meta.url));
const engineerProgram = fileURLToPath(new URL('../examples/engineers/easier.py', import.meta.url));

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
      await proposing(inProcess),
    ];
  } finally {
    await Promise.all([child.close(), inProcess.close()]);
  }
}

type Work = (environment: Environment, seed: string) => Promise<Done>;

async function report(what: string, child: Environment, inProcess: Environment, work: Work): Promise<Report> {
  return compared(what, [
    { name: 'child program', run: (round) => work(child, `bench-${round}`) },
    { name: 'in process', run: (round) => work(inProcess, `bench-${round}`) },
  ]);
}

async function compared(what: string, contenders: Contender[]): Promise<Report> {
  const [program, plugin] = await sideBySide(contenders, rounds);
  return {
    title: `the arithmetic example, ${what}: the median of ${rounds} rounds`,
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

/** The engineer of examples/engineers/easier.py in TypeScript. */
const easier = defineEngineer({
  name: 'easier',
  summary: 'the more a family is solved, the more data it gets, until it is mastered',
  reads: ['behaviour'],
  propose({ current, context, descriptor }) {
    const facts = context?.modules.find(({ module }) => module === 'behaviour')?.facts ?? [];
    const solved = new Map(facts.map((fact): [string | null, Fact] => [fact.family, fact]));
    const configuration = structuredClone(current);
    const reasons: { knob: string; cites: string[]; reason: string }[] = [];
    for (const { knobs } of descriptor.sharesSum ?? []) {
      const shares: { place: Record<string, number>; key: string; factor: number }[] = [];
      for (const { name, path, family } of descriptor.knobs) {
        const fact = solved.get(family);
        if (!knobs.includes(name) || fact === undefined) continue;
        const factor = Number(fact.value) < 0.9 ? 0.25 + Number(fact.value) : 1;
        const place = path.slice(0, -1).reduce<unknown>(childOf, configuration);
        shares.push({ place: place as Record<string, number>, key: path.at(-1) ?? '', factor });
        reasons.push({ knob: name, cites: [fact.evidenceId], reason: `${Number(fact.value) * 100}% are solved` });
      }
      const before = shares.reduce((sum, { place, key }) => sum + (place[key] ?? 0), 0);
      const after = shares.reduce((sum, { place, key, factor }) => sum + (place[key] ?? 0) * factor, 0);
      for (const { place, key, factor } of shares)
        place[key] = (place[key] ?? 0) * (after > 0 ? (factor * before) / after : 1);
    }
    const predictions = facts.map(({ family, value }) => ({
      family: family ?? '',
      measure: 'valid',
      value: Number(value),
    }));
    return { configuration, reasons, predictions };
  },
});

function childOf(parent: unknown, key: string): unknown {
  return (parent as Record<string, unknown>)[key];
}

async function proposing({ descriptor, start }: Environment): Promise<Report> {
  const command = ['python3', engineerProgram] as const;
  const child = openCommandEngineer({ command, reads: ['behaviour'], allow: () => allowed(command) });
  const inProcess = await easier.open({ plugin: 'bench' });
  const request: ProposalRequest = {
    ...{ descriptor, stage: 1, stages: 3, current: start, first: start, context: contextOn(descriptor.families ?? []) },
    ...{ checkpoint: null, sample: 0, seed: 'bench' },
  };
  const work = (engineer: Pick<Engineer, 'propose'>) => () =>
    timed(async () => {
      for (let i = 0; i < proposals; i++) proposalIn(await engineer.propose(request));
      return proposals;
    });
  try {
    return await compared('proposals of an engineer', [
      { name: 'child program', run: work(child) },
      { name: 'in process', run: work(inProcess) },
    ]);
  } finally {
    await Promise.all([child.close(), inProcess.close()]);
  }
}

function proposalIn(answer: Answer): void {
  if (!('proposal' in answer)) throw new Error(`the engineer proposed nothing: ${answer.rejected.reason}`);
}

function contextOn(families: readonly { readonly family: string }[]): ShownContext {
  const facts = families.map(
    ({ family }, i): Fact => ({ evidenceId: `B${family}.valid`, family, measure: 'valid', value: (i + 1) / 10 }),
  );
  return {
    ...{ digest: '0'.repeat(64), text: '', form: { modules: ['behaviour'] } },
    modules: [{ module: 'behaviour', facts, exemplars: [] }],
    evidenceIds: new Set(facts.map(({ evidenceId }) => evidenceId)),
  };
}
