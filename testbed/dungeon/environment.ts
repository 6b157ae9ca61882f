// Two environments for controls of ablations. In `dungeon`, the class of a failure says which hazard the policy cannot
// pass; success rates do not. `catacomb` has the same rooms, rules and policy, but the classes are drawn at random and
// carry nothing. Nothing that engineers are shown says which of the two it is.
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { parseJson } from '../../schemas/json-text.ts';
import { type ConfigurationOf, defineEnvironment, type KnobDefinition } from '../../src/library/plugins/index.ts';
import { roomDrawing } from './drawing.ts';
import { dungeonEntries } from './entries.ts';
import {
  actions,
  type Family,
  families,
  forFamilies,
  forHazards,
  type Hazard,
  hazardNames,
  hazards,
  type Room,
  roomFor,
  walked,
  wayThrough,
} from './rooms.ts';
import { surenessOf, untrained, walk, weightsSchema } from './walker.ts';

export type DungeonConfiguration = ConfigurationOf<Family, Hazard | 'length', 'world'>;

const room: z.ZodType<Room> = z.strictObject({
  hazards: z.array(z.enum(hazardNames)).max(6),
  number: z.int().min(0),
});
const answer = z.string().regex(new RegExp(`^[${Object.values(actions).join('')}]{0,12}$`));

const classes = hazardNames.map((hazard) => hazards[hazard].failure);
type FailureClass = (typeof classes)[number] | 'unreadable';

const failureClasses = {
  ...Object.fromEntries(hazardNames.map((hazard) => [hazards[hazard].failure, hazards[hazard].meaning])),
  unreadable: 'gave an answer that is no sequence of actions',
} as Record<FailureClass, string>;

function practiceOf(hazard: Hazard): KnobDefinition {
  return {
    meaning: `share of the training rooms that practise one hazard: ${hazard}`,
    ...{ range: [0, 1] as const, step: 0.05, cells: [0] },
    teaches: [hazards[hazard].failure],
  };
}

const usualRooms = { share: 1 / Object.keys(families).length, length: 4 };

const checkpointSchema = z.object({ state: weightsSchema });

/** What a verdict says about a walk that ended at this hazard of a room. */
type Reason = (room: Room, at: number) => FailureClass;

function dungeonNamed({ name, usual }: (typeof dungeonEntries)[keyof typeof dungeonEntries], reason: Reason) {
  return defineEnvironment({
    ...{ name, version: '1', summary: 'rooms with hazards that the policy does not know', usual },
    families,
    knobs: {
      length: {
        meaning: 'hazards in a room that is not for practice',
        ...({ range: [3, 6], step: 1, integer: true, harder: 'more', cells: [usualRooms.length] } as const),
        provokes: classes,
      },
      ...forHazards(practiceOf),
    },
    settings: {
      world: { meaning: 'which dungeon it is', range: [0, 1_000_000_000], step: 1, integer: true, optional: true },
    },
    start: {
      families: forFamilies(() => ({ ...usualRooms, ...forHazards(() => 0) })),
      world: 0,
    },
    outcomes: { through: 'the room was passed', stopped: 'the room was not passed' },
    failureClasses,
    facts: { hazards: 'the number of hazards of the room' },
    drawings:
      '> is each end of the room, o is a hazard that was passed, x the one that ended the walk, . one that was not reached',
    instance: room,
    answer,
    generate: ({ family, knobs, settings: { world }, random }) => roomFor({ family, knobs, world, random }),
    factsOf: ({ hazards: { length } }) => ({ hazards: length }),
    judge({ instance, answer: given }) {
      if (given === null) return { outcome: 'stopped', failures: [{ class: 'unreadable' }], reward: 0 };
      const result = walked(instance, given);
      if (result.passed) return { outcome: 'through', reward: 1 };
      const failure = reason(instance, result.at);
      const message = `at step ${result.step} it ${failureClasses[failure]}`;
      return { outcome: 'stopped', failures: [{ class: failure, step: result.step, message }], reward: 0 };
    },
    draw({ instance, answer: given }) {
      const read = answer.safeParse(given);
      return roomDrawing(instance, given === undefined ? undefined : read.success ? read.data : null);
    },
    solve: ({ instance }) => wayThrough(instance),
    async player({ checkpoint }) {
      const weights =
        checkpoint === undefined
          ? untrained()
          : checkpointSchema.parse(parseJson(await readFile(checkpoint, 'utf8'))).state;
      return ({ instance, random }) => {
        const { answer: given, choices } = walk(weights, instance, random);
        return { answer: given, agentSteps: Math.max(choices.length, 1), sureness: surenessOf(choices) };
      };
    },
  });
}

export const dungeon = dungeonNamed(
  dungeonEntries.dungeon,
  ({ hazards: all }, at) => hazards[all[at] as Hazard].failure,
);

/** The classes follow from the number of the room, which is random and has nothing to do with its hazards. */
export const catacomb = dungeonNamed(
  dungeonEntries.catacomb,
  ({ number }, at) => classes[(number + at) % classes.length] as FailureClass,
);
