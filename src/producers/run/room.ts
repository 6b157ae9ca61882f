// Whether a context can be as short as it has to be. What is never left out is known before anything was trained: a first
// stage of which there is nothing to tell is shown as briefly as any.
import type { RunSettings } from '../../../schemas/run-file.ts';
import { buildContext } from '../contexts/build.ts';
import { formNamed } from '../contexts/forms.ts';
import { emptyHistory, newStage, nowhere, type Recorded, type RunHistory, type StageHistory } from './history.ts';
import type { Lab } from './lab.ts';
import { adoptFirst, start } from './steps/start.ts';

/** Throws ContextTooSmall. */
export async function requireRoom(settings: RunSettings, lab: Lab): Promise<void> {
  const { contextTokens: budget, context } = settings;
  if (budget === 0) return;
  const form = formNamed(context);
  const { descriptor } = lab.environment;
  const history = briefest(settings, lab, form.modules);
  await buildContext({ descriptor, history, stage: 1, form, budget, textOf: async () => null });
}

function briefest(settings: RunSettings, lab: Lab, modules: readonly string[]): RunHistory {
  const empty = emptyHistory('');
  const begun = start({ settings, lab }, {});
  const first = adoptFirst({ settings, lab });
  const summaries = modules.map((module) => ({
    ...nowhere,
    data: { module, facts: [], exemplars: [], text: null },
  }));
  const stage: StageHistory = { ...newStage(1, { ...nowhere, data: {} }), summaries };
  return {
    ...empty,
    started: { ...nowhere, data: begun.data } as Recorded<'RunStarted'>,
    initial: { ...nowhere, data: first.data } as Recorded<'ConfigAdopted'>,
    stages: [stage],
  };
}
