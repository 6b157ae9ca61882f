// The cost of recording every rollout of a training: the same training with and without, in processor time, because both use all cores; and the
// size of a rollout in the ledger and in the tables.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openLedger } from '../src/ledger/open.ts';
import { trainingPart } from '../src/producers/evidence/parts.ts';
import { Reports } from '../src/producers/evidence/reported.ts';
import { openTrainingEvidence } from '../src/producers/evidence/training.ts';
import { project } from '../src/projections/projector/projector.ts';
import { openGrpo } from '../testbed/grpo/grpo.ts';
import { inFolder } from './folder.ts';
import { type Contender, type Done, sideBySide } from './measure.ts';
import { type Line, type Report, ratioLine } from './report.ts';
import { configurationOf } from './training/held-out.ts';

const rounds = 5;
const decisions = 400_000;
const threads = 2;
const configuration = { ...configurationOf({ sizes: [3, 4, 5, 6, 7, 8], hole: 0.15, wait: 0.25 }) };
const seed = 'icecore-bench-recording-1';
const least = 0.85;
const most = { ledger: 250, whole: 400 } as const;

interface Bytes {
  rollouts: number;
  ledger: number;
  tables: number;
}

export async function recordingBench(): Promise<Report[]> {
  const bytes: Bytes = { rollouts: 0, ledger: 0, tables: 0 };
  const contenders: Contender[] = [
    { name: 'not recorded', run: () => training(null) },
    { name: 'recorded', run: (round) => training(bytes, round === 0) },
  ];
  const [without, recorded] = await sideBySide(contenders, rounds);
  const inLedger = Math.round(bytes.ledger / bytes.rollouts);
  const whole = Math.round((bytes.ledger + bytes.tables) / bytes.rollouts);
  const lines = [
    ratioLine('recorded to not recorded', recorded?.ratio ?? 0, least),
    bytesLine('a rollout in SQLite', inLedger, most.ledger),
    bytesLine('a rollout with tables', whole, most.whole),
  ];
  const title = `agent steps per second of processor time in training, every rollout recorded in SQLite, the median of ${rounds} rounds`;
  const rates = { without: without?.perSecond, recorded: recorded?.perSecond, ratio: recorded?.ratio };
  return [{ title, lines, data: { rounds, rollouts: bytes.rollouts, ...rates, inLedger, whole } }];
}

async function training(bytes: Bytes | null, isMeasured = false): Promise<Done> {
  return await inFolder(async (folder) => {
    const trainer = openGrpo({ threads });
    const url = `sqlite:${join(folder, 'ledger.db')}`;
    const ledger = await openLedger(url, { create: true });
    const common = { environment: 'lake', split: 'train', policy: 'neural' } as const;
    const place = { run: '0bench0bench', stage: 1, part: trainingPart };
    const provenance = { ...place, actor: 'producer/rollouts', isReproducible: true };
    const check = async (): Promise<void> => {};
    const reports = new Reports({ fencingToken: 1, check, finishedAt: async () => [], write: check });
    const evidence = await openTrainingEvidence({ ledger, check, reports }, provenance);
    const request = { configuration, from: null, budget: { 'agent-steps': decisions }, seed, folder };
    const done = { units: 0, milliseconds: 0 };
    let begun: NodeJS.CpuUsage | null = null;
    try {
      const trained = trainer.train({ ...request, ...(bytes === null ? {} : { rollouts: common }) });
      for (;;) {
        const next = await trained.next();
        begun ??= process.cpuUsage();
        if (next.done === true) {
          done.units = next.value.spent['agent-steps'] ?? 0;
          if (bytes !== null) await evidence.sealed(next.value.rollouts ?? 0);
          const { user, system } = process.cpuUsage(begun);
          done.milliseconds = (user + system) / 1000;
          if (isMeasured && bytes !== null) bytes.rollouts = next.value.rollouts ?? 0;
          break;
        }
        if (next.value.kind === 'rollouts') await evidence.record(next.value.from, next.value.rollouts);
      }
    } finally {
      await trainer.close();
      await ledger.close();
    }
    if (isMeasured && bytes !== null) {
      bytes.ledger = bytesOf(join(folder, 'ledger.db'));
      const read = await openLedger(url, { readOnly: true });
      const { path } = await project(read, join(folder, 'tables'));
      await read.close();
      bytes.tables = statSync(path).size;
    }
    return done;
  });
}

/** After its log is written back. */
function bytesOf(path: string): number {
  const db = new DatabaseSync(path);
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  db.close();
  return statSync(path).size;
}

function bytesLine(what: string, bytes: number, most: number): Line {
  return { what, value: `${bytes} B`, target: `at most ${most} B`, met: bytes <= most };
}
