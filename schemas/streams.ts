// The names of streams: their kinds, how a name is built, and how it is parsed.

/** The kinds of streams. Each stream has one writer at a time. */
export const categories = ['run', 'evidence', 'work', 'notes', 'answer', 'ablation', 'x'] as const;

/** The kind of a stream; the name of a stream begins with it. */
export type Category = (typeof categories)[number];

const runId = '[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?';

/** The identity of a run or an ablation. icecore's own are 12 characters of Crockford's base 32. */
export const runIdPattern: RegExp = new RegExp(`^${runId}$`);

const count = '(?:0|[1-9][0-9]{0,8})';

/** The part of a stage that an attempt belongs to: a shard, by its number, or another recorder of rollouts, by a word without dashes. */
const part = `(?:${count}|[a-z][a-z0-9._]{0,62})`;

const patterns: Record<Category, string> = {
  run: `run-${runId}`,
  evidence: `evidence-${runId}-${count}-${part}-${count}`,
  work: `work-${runId}`,
  notes: `notes-${runId}`,
  answer: 'answer-[0-9a-f]{64}',
  ablation: `ablation-${runId}`,
  // Streams of plugins; their event types define the content.
  x: `x-${runId}`,
};

export const streamPattern: RegExp = new RegExp(`^(?:${Object.values(patterns).join('|')})$`);

const evidenceParts = new RegExp(`^evidence-(${runId})-(${count})-(${part})-(${count})$`);

/** The parts of the name of a stream, as `parseStream` reads them. */
export type StreamName =
  | { readonly category: 'run' | 'work' | 'notes'; readonly run: string }
  | {
      readonly category: 'evidence';
      readonly run: string;
      readonly stage: number;
      readonly part: string;
      /** The number of the shard; null: the part is not a shard. */
      readonly shard: number | null;
      readonly attempt: number;
    }
  | { readonly category: 'answer'; readonly digest: string }
  | { readonly category: 'ablation'; readonly ablation: string }
  | { readonly category: 'x'; readonly name: string };

/** The kind of a stream by its name; null: not a valid name. */
export function categoryOf(stream: string): Category | null {
  return streamPattern.test(stream) ? (stream.slice(0, stream.indexOf('-')) as Category) : null;
}

/** Parses a stream's name; null: not a valid name. */
export function parseStream(stream: string): StreamName | null {
  const category = categoryOf(stream);
  if (category === null) return null;
  const rest = stream.slice(category.length + 1);
  switch (category) {
    case 'evidence': {
      const [, run = '', stage, part = '', attempt] = evidenceParts.exec(stream) ?? [];
      const shard = isShard(part) ? Number(part) : null;
      return { category, run, stage: Number(stage), part, shard, attempt: Number(attempt) };
    }
    case 'answer':
      return { category, digest: rest };
    case 'ablation':
      return { category, ablation: rest };
    case 'x':
      return { category, name: rest };
    default:
      return { category, run: rest };
  }
}

/** Builds the name of a stream from its parts, by category. The parts are not checked. */
export const streamOf = {
  run: (run: string): string => `run-${run}`,
  evidence: (run: string, stage: number, part: number | string, attempt: number): string =>
    `evidence-${run}-${stage}-${part}-${attempt}`,
  work: (run: string): string => `work-${run}`,
  notes: (run: string): string => `notes-${run}`,
  answer: (digest: string): string => `answer-${digest}`,
  ablation: (ablation: string): string => `ablation-${ablation}`,
  x: (name: string): string => `x-${name}`,
};

/** Whether a part of a stage is a shard. Contexts for engineers are made only from the rollouts of shards. */
export function isShard(part: string): boolean {
  return /^[0-9]/.test(part);
}

/** Whether a part of a stage is its training, or the training of an arm. */
export function isTrainingPart(part: string): boolean {
  return /^(?:arm[0-9]+\.)?training$/.test(part);
}

/**
 * Evidence streams carry a seal instead of a chain: their events come in bulk, and a Merkle root covers them.
 * Everywhere else each event holds the digest of the one before it.
 */
export function isChained(stream: string): boolean {
  return !stream.startsWith('evidence-');
}
