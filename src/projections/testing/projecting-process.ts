// A process that projects in one of several modes until it is done or killed. It prints `ready` at its start, a line
// for each batch, and any error.
import { openLedger } from '../../ledger/open.ts';
import { follow, project } from '../projector/projector.ts';

export type ProjectionMode = 'catch up' | 'rebuild' | 'follow';

const [, , url = '', folder = '', mode = '', events = '1'] = process.argv;
const ledger = await openLedger(url, { readOnly: true });
const options = {
  limits: { events: Number(events), characters: 1_000_000_000 },
  rebuild: mode === 'rebuild',
  progress: (known: number) => void process.stdout.write(`${known}\n`),
};
process.stdout.write('ready\n');
if (mode === 'follow') for await (const _ of follow(ledger, folder, options)) process.stdout.write('caught up\n');
else await project(ledger, folder, options);
await ledger.close();
