// What can be said of the dungeons and their trainer before they are loaded.
const usual = { policy: 'walker', trainer: 'drill', budget: { updates: 32 } } as const;

export const dungeonEntries = {
  dungeon: { name: 'dungeon', summary: 'rooms whose failures say what the policy lacks: a positive control', usual },
  catacomb: { name: 'catacomb', summary: 'the same with failures that say nothing: a negative control', usual },
} as const;

export const drillEntry = {
  name: 'drill',
  summary: 'GRPO for the walker of dungeons',
  environments: Object.values(dungeonEntries).map(({ name }) => name),
  hyperparameters: { rate: { meaning: 'learning rate', start: 0.03, range: [0.001, 1], step: 0.001 } },
} as const;

export const oracleEntry = {
  name: 'oracle',
  summary: 'cheats: practises what a dungeon hides, as an upper bound; in dungeon and catacomb only',
  reads: [],
  upperBoundOf: drillEntry.environments,
} as const;
