// An engineer that cheats: it reads the hidden hazards from the configuration and practises exactly these. No engineer can
// do better by much, so its difference from the baselines is the headroom of the environment.
import { defineEngineer } from '../../src/library/plugins/index.ts';
import { oracleEntry } from './entries.ts';
import type { DungeonConfiguration } from './environment.ts';
import { forFamilies, forHazards, hiddenHazards, mostPractice } from './rooms.ts';

export const oracle = defineEngineer<DungeonConfiguration>({
  ...oracleEntry,
  propose({ current }) {
    const hidden = hiddenHazards(current.world);
    const families = forFamilies((family) => ({
      ...current.families[family],
      ...forHazards((hazard) => (hazard === hidden[family] ? mostPractice : 0)),
    }));
    return { configuration: { ...current, families }, rationale: 'read from the hidden state of the environment' };
  },
});
