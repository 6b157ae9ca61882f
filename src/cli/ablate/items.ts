// The rollouts that stand for many in what an engineer was shown: the items of a context that can be left out one by one.
import type { Blobs } from '../../ledger/blobs/blobs.ts';
import { historyUntil } from '../../producers/ablation/arm-history.ts';
import type { Replayed } from '../../producers/ablation/design.ts';
import { buildContext } from '../../producers/contexts/build.ts';
import { type Form, formNamed } from '../../producers/contexts/forms.ts';
import { textReader } from '../../producers/run/texts.ts';

/** Their evidence ids, of the first form that was named, or of that of the run. */
export async function itemsOf(
  { history, settings, stages }: Replayed,
  forms: readonly Form[] | null,
  blobs: () => Promise<Blobs>,
): Promise<readonly string[]> {
  const descriptor = history.started?.data.descriptor;
  const [stage] = stages;
  if (descriptor === undefined || stage === undefined) return [];
  const { shown } = await buildContext({
    descriptor,
    history: historyUntil(history, stage),
    stage,
    form: forms?.[0] ?? formNamed(settings.context),
    budget: settings.contextTokens,
    textOf: textReader(blobs),
  });
  return shown.modules.flatMap(({ exemplars }) => exemplars.map(({ evidenceId }) => evidenceId));
}
