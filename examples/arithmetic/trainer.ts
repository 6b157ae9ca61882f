// Trains the pupil of pupil.ts in the process of icecore; trainer.py is the same as a separate program.

import { defineTrainer, type Random } from 'icecore/plugins';
import { arithmetic, type Configuration, drawn, type Family, solution } from './environment.ts';
import { chancesOf, forget, learn, novice, places, skillsSchema, solvedBy } from './pupil.ts';

/** Per update. */
const problems = 8;
const tries = 8;

export const practice = defineTrainer({
  name: 'practice',
  summary: 'trains the pupil of the example',
  on: arithmetic,
  state: skillsSchema,
  begin: novice,
  update({ state: skills, configuration, random }) {
    const { families, negatives } = configuration;
    const practised = new Map<string, number>();
    let agentSteps = 0;
    const groups = Array.from({ length: problems }, () => {
      const family = anyOf(families, random);
      const problem = drawn({ family, knobs: families[family], settings: { negatives }, random });
      const right = solution(problem);
      const chances = chancesOf(skills, family, problem);
      const solved = Array.from({ length: tries }, () => solvedBy(right, chances, random) === String(right));
      const rewards = solved.map(Number);
      learn(skills, family, places(right), rewards);
      practised.set(family, Math.max(practised.get(family) ?? 0, places(right)));
      agentSteps += tries * places(right);
      return { family, rewards, valid: solved.filter(Boolean).length };
    });
    forget(skills, practised);
    return { state: skills, agentSteps, groups };
  },
});

/** With a probability equal to its share. */
function anyOf(families: Configuration['families'], random: Random): Family {
  const names = Object.keys(families) as Family[];
  let rest = random.fraction();
  for (const name of names) {
    rest -= families[name].share;
    if (rest < 0) return name;
  }
  return 'addition';
}
