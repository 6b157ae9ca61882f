// An arm as it is told, from its design or from its record.
import type { AblatedArm } from '../../../schemas/ablation-output.ts';
import type { EventData } from '../../../schemas/catalogue.ts';
import { formName } from '../history/runs.ts';

type Recorded = EventData['AblationStarted']['arms'][number];

export function armOf({
  arm,
  engineer,
  contextForm: form,
  without = [],
  baseline,
  notApplicable = [],
}: Recorded): AblatedArm {
  return {
    arm,
    engineer: engineer.name,
    model: engineer.model ?? null,
    form: form === null ? null : formName(form),
    modules: form === null ? null : [...form.modules],
    without: [...without],
    baseline,
    notApplicable: [...notApplicable],
    reads: engineer.reads === undefined ? null : [...engineer.reads],
  };
}
