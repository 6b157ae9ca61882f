// Runs that something else than icecore trains: only these are driven stage by stage.

import { IcecoreError } from '../../../../schemas/errors.ts';
import type { RunSettings } from '../../../../schemas/run-file.ts';
import { shellWord } from '../../../ledger/shell-word.ts';
import { commandIn, nameIn } from '../../../producers/programs.ts';
import { isExternal } from '../../../producers/trainers/external.ts';

export function requireElsewhere({ name, trainer }: RunSettings): void {
  if (isExternal(trainer)) return;
  const words = commandIn(trainer)?.join(' ') ?? nameIn(trainer);
  throw new IcecoreError('usage', `${name} is trained by ${words}, not by you`, {
    facts: { name, trainer },
    remedy: `Go on with icecore resume ${shellWord(name)}`,
  });
}
