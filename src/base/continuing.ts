// The command that continues a run. Errors, results and `icecore show` name the same one.
import { shellWord } from './shell-word.ts';

interface ContinuedRun {
  /** Its trainer is started by the user. */
  readonly isTrainedElsewhere: boolean;
  /** The training of its last stage is recorded, and the next stage is not decided. */
  readonly isTrained: boolean;
}

export function commandToContinue(name: string, { isTrainedElsewhere, isTrained }: ContinuedRun): string {
  const verb = isTrainedElsewhere ? (isTrained ? 'stage finish' : 'stage start') : 'resume';
  return `icecore ${verb} ${shellWord(name)}`;
}
