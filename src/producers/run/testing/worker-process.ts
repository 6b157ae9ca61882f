// A worker of a tiny run, or the orchestrator of one whose policy is a model. It prints its progress, and can be killed
// or suspended.
import { parseArgs } from 'node:util';
import { modelEntriesOf } from '../../../lab/models/entries.ts';
import { usualLimits } from '../../evidence/reported.ts';
import type { WorkProgress } from '../shards/worker.ts';
import { skewClock } from './clock.ts';
import { spokenSettings } from './spoken.ts';
import { runTiny, tinyPlace } from './tiny.ts';
import { workTiny } from './work-tiny.ts';

const { values } = parseArgs({
  options: {
    folder: { type: 'string', default: '' },
    run: { type: 'string', default: '' },
    lease: { type: 'string', default: '60' },
    skew: { type: 'string', default: '0' },
    /** The maximum number of rollouts of a reported attempt. */
    rollouts: { type: 'string', default: '5' },
    /** What it orchestrates, as JSON: settings, and the models of the project. */
    orchestrates: { type: 'string' },
  },
});
const { folder, run, lease, skew, rollouts, orchestrates } = values;
skewClock(Number(skew));
const place = await tinyPlace(folder);
const tell = async (progress: WorkProgress): Promise<void> => {
  const says = progress.kind === 'shard-lost' ? { kind: progress.kind, says: progress.fault.message } : progress;
  const { history: _, ...shown } = says as Readonly<Record<string, unknown>>;
  process.stdout.write(`${JSON.stringify(shown)}\n`);
};
const limits = { ...usualLimits, rollouts: Number(rollouts) };
const common = { run, leaseSeconds: Number(lease), limits, tell };
if (orchestrates === undefined) await workTiny(place, common);
else {
  const { settings, models } = JSON.parse(orchestrates) as { settings: object; models: unknown };
  await runTiny(place, { ...common, settings: spokenSettings(settings), entries: modelEntriesOf(models) });
}
await place.ledger.close();
