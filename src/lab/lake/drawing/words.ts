// What a drawing says in words: how each agent fared, and what failed.
import { columnOf, type Instance, rowOf } from '../instance.ts';
import type { Failure } from '../judgement.ts';
import { goalLetterOf, letterOf, type Scene } from './scene.ts';
import type { Visit, Walk, Walks } from './walk.ts';

/** So many failures are told, then how many more there are. */
const told = 6;

/** `step 5: vertex-conflict a, b at row 3, column 4`, one a failure. */
export function failureWords({ instance, failures = [] }: Scene): readonly string[] {
  const words = failures.slice(0, told).map((failure) => `${labelOf(failure)}${placeOf(failure, instance)}`);
  const more = failures.length - words.length;
  return more === 0 ? words : [...words, more === 1 ? 'and 1 more failure' : `and ${more} more failures`];
}

/** `step 5: vertex-conflict a, b`. */
function labelOf({ class: name, step, agents }: Failure): string {
  const when = step === 0 ? '' : `step ${step}: `;
  return agents.length === 0 ? `${when}${name}` : `${when}${name} ${agents.map(letterOf).join(', ')}`;
}

function placeOf({ cell }: Failure, { size }: Instance): string {
  return cell === null ? '' : ` at row ${rowOf(cell, size)}, column ${columnOf(cell, size)}`;
}

/** `at A from step 8 on`, or what kept it from there. */
export function faringWords({ agent, goal, visits, moves }: Walk, { holes }: Instance, isAnswered: boolean): string {
  if (!isAnswered) return 'no moves given';
  const last = visits.at(-1) as Visit;
  if (holes[last.cell] === 1) return `in a hole from step ${last.from} on`;
  if (last.cell !== goal) return `does not reach ${goalLetterOf(agent)}`;
  const waits = [...moves.slice(0, last.from)].filter((move) => move === 'W').length;
  const waited = waits === 0 ? '' : `, after ${waits} ${waits === 1 ? 'wait' : 'waits'}`;
  return last.from === 0
    ? `at ${goalLetterOf(agent)} all the time`
    : `at ${goalLetterOf(agent)} from step ${last.from} on${waited}`;
}

/** What its maker calls it; otherwise what it is. */
export function titleOf({ instance: { id, size } }: Scene): string {
  return id ?? `A lake of ${size} x ${size}`;
}

/** `8 x 8, 11 holes, 4 agents, 12 steps`. */
export function summary({ instance: { size, holes, agents }, plan }: Scene, { steps }: Walks): string {
  const count = holes.reduce((sum, hole) => sum + hole, 0);
  const facts = [`${size} x ${size}`, counted(count, 'hole'), counted(agents.length, 'agent')];
  return (plan === undefined ? facts : [...facts, counted(steps, 'step')]).join(', ');
}

/** `valid at cost 34`, where that was judged. */
export function praise({ plan, failures }: Scene, { walks }: Walks): readonly string[] {
  if (plan === undefined || failures?.length !== 0) return [];
  return [`valid at cost ${walks.reduce((sum, { visits }) => sum + (visits.at(-1)?.from ?? 0), 0)}`];
}

/** The whole picture for those who can not see it. */
export function description(scene: Scene, walks: Walks): string {
  const { instance, plan } = scene;
  const { size, agents } = instance;
  const holes = instance.holes.reduce((sum, hole) => sum + hole, 0);
  const lake = `A lake of ${size} x ${size} cells with ${counted(holes, 'hole')} and ${counted(agents.length, 'agent')}.`;
  const people = walks.walks.map((walk) => {
    const { start, goal } = agents[walk.agent] as Instance['agents'][number];
    const way = `Agent ${letterOf(walk.agent)} from ${cellWords(start, size)} to ${cellWords(goal, size)}`;
    if (plan === undefined) return `${way}.`;
    return `${way}: ${walk.moves === '' ? '' : `${walk.moves}, `}${faringWords(walk, instance, walk.agent < plan.length)}.`;
  });
  const verdict = [
    ...praise(scene, walks).map((words) => `The plan is ${words}`),
    ...failureWords(scene).map((words) => `Failure: ${words}`),
  ];
  return [lake, ...people, ...verdict.map((words) => `${words}.`)].join(' ');
}

function cellWords(cell: number, size: number): string {
  return `row ${rowOf(cell, size)}, column ${columnOf(cell, size)}`;
}

function counted(count: number, thing: string): string {
  return `${count === 0 ? 'no' : count} ${thing}${count === 1 ? '' : 's'}`;
}
