// Small training programs in sh for tests, each with its own folder.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { allowed } from '../../../programs/testing/allowed.ts';
import { type Followed, followed } from '../../contract/trainer-contract.ts';
import type { Trainer, TrainRequest } from '../../trainer.ts';
import { type CommandTrainerOptions, openCommandTrainer } from '../open.ts';

export function folderFor(): string {
  const folder = mkdtempSync(join(tmpdir(), 'icecore-trainer-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A script; `$F` is its folder. */
export function shell(script: string, options: Partial<CommandTrainerOptions> = {}): Trainer {
  const code = `F=$(dirname "$ICECORE_STAGE_FILE"); ${script}`;
  const trainer = openCommandTrainer({ program: allowed(['sh', '-c', code]), environment: 'coins', ...options });
  onTestFinished(() => trainer.close());
  return trainer;
}

export function request(change: Partial<TrainRequest> = {}): TrainRequest {
  return {
    configuration: { side: 1 },
    budget: { 'agent-steps': 9 },
    seed: 'a',
    from: null,
    folder: folderFor(),
    ...change,
  };
}

/** Runs a training script to its end. */
export function trained(script: string, change: Partial<TrainRequest> = {}): Promise<Followed> {
  return followed(shell(script).train(request(change)));
}

/** The error that training ends with. */
export async function fault<Fault extends Error>(
  kind: abstract new (...all: never[]) => Fault,
  trainer: Trainer,
  change: Partial<TrainRequest> = {},
): Promise<Fault> {
  const ended = await followed(trainer.train(request(change))).catch((error: unknown) => error);
  if (ended instanceof kind) return ended;
  throw new Error(`expected ${kind.name}`, { cause: ended });
}

/** A line that reports an update. */
export const updateLine = (step: number, values = '"reward": 0.5'): string =>
  `echo '{"step": ${step}, "spent": {"agent-steps": ${step}}, "values": {${values}}}'`;

/** Writes a file and reports it as saved. */
export const saves = (name: string): string => `echo ${name} >"$F/${name}"; echo '{"saved": {"file": "${name}"}}'`;

/** A line with a rollout. */
export const tries = (sample: number, step = 1): string =>
  `echo '{"rollout": {"outcome": "heads", "sample": ${sample}, "trainingStep": ${step}}}'`;

export const isDone = `echo '{"done": {}}'`;
