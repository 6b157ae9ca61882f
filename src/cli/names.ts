// The names of the commands, for those who need no more of them than that.
export const commandNames = [
  'init',
  'run',
  'fork',
  'context',
  'propose',
  'adopt',
  'stage',
  'annotate',
  'runs',
  'show',
  'diff',
  'tail',
  'event',
  'append',
  'blob',
  'copy',
  'redact',
  'seal',
  'verify',
  'head',
  'doctor',
  'demo',
  'lake',
  'completion',
] as const;

export type CommandName = (typeof commandNames)[number];
