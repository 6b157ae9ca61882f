// icecore import: what was recorded elsewhere, into the ledger at hand.
import type { CommandFamily } from '../command.ts';

export const command: CommandFamily = {
  examples: [['icecore import bundle first-run.icecore.tar.zst', 'Open a run that was packed elsewhere']],
  members: [
    {
      name: 'bundle',
      summary: 'Open a run that icecore export bundle packed',
      load: () => import('./import/bundle.ts'),
    },
  ],
};
