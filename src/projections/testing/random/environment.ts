// Environments of random histories: families and knobs with arbitrary names, and configurations of them.
import type { EventData } from '../../../../schemas/catalogue.ts';
import type { Draw } from './words.ts';
import { type Configuration, configurationOf } from './world.ts';

type Descriptor = NonNullable<EventData['RunStarted']['descriptor']>;
type Knob = Descriptor['knobs'][number];

export interface Environment {
  readonly name: string;
  readonly families: readonly string[];
  readonly descriptor: Descriptor;
}

export function randomEnvironment(draw: Draw): Environment {
  const families = [...new Set(draw.many(3, () => draw.name()))];
  const shares = draw.chance(50);
  const own = families.flatMap((family) => [
    ...(shares ? [randomKnob(draw, family, 'data')] : []),
    ...[...new Set(draw.many(2, () => draw.name()))].map((word) => randomKnob(draw, family, word)),
  ]);
  const global = [...new Set(draw.many(2, () => draw.name()))].map((word) => randomKnob(draw, null, word));
  const knobs = [...new Map([...own, ...global].map((knob) => [knob.name, knob])).values()];
  const shared = knobs.filter(({ name, family }) => name === `${family}.data`);
  const name = draw.name();
  return {
    name,
    families,
    descriptor: {
      environment: name,
      knobs: knobs.map((knob, place) => ({ ...knob, path: [`k${place}`] })),
      ...(shared.length > 0 ? { sharesSum: [{ knobs: shared.map((knob) => knob.name), total: 1 }] } : {}),
      families: families.map((family) => ({ family, ...draw.optional(50, { meaning: draw.text() }) })),
      failed: { all: [{ field: ['success'], equals: false }] },
      failureClass: { field: ['failureClass'] },
      family: { field: ['family'] },
    },
  };
}

function randomKnob(draw: Draw, family: string | null, word: string): Knob {
  const harder = draw.chance(50);
  return {
    name: family === null || draw.chance(10) ? word : `${family}.${word}`,
    path: [],
    meaning: draw.text(),
    family,
    range: { min: 0, max: 10 },
    step: draw.pick([0.1, 1, 1 / 3]),
    ...(harder ? { harder: draw.pick(['more', 'less'] as const) } : {}),
    ...(harder ? draw.optional(50, { provokes: [draw.name()] }) : {}),
  };
}

export function randomConfiguration(draw: Draw, { descriptor }: Environment): Configuration {
  const shares = new Set(descriptor.sharesSum?.flatMap(({ knobs }) => knobs));
  return configurationOf(
    draw.some(descriptor.knobs, 90).map(({ name, family }) => ({
      knob: name,
      family,
      value: shares.has(name) ? draw.below(4) / 4 : draw.pick([0, 0.1, 0.2, 1 / 3, 0.1 + 0.2, 0.3, 2, 10]),
    })),
  );
}

/** A few changed knobs. */
export function changed(draw: Draw, environment: Environment, before: Configuration | null): Configuration {
  if (before === null || draw.chance(10)) return randomConfiguration(draw, environment);
  return configurationOf(
    before.knobs.map((one) => (draw.chance(35) ? { ...one, value: draw.pick([0, 0.1, 0.25, 0.3, 1, 2, 9.5]) } : one)),
  );
}
