// Seeing the whole without reading it: how many events there are, and the ledger cut into ranges.
import type { Cursor } from '../cursor.ts';
import type { EventRange, Head } from '../ledger.ts';
import type { Cursors } from '../sqlite/cursors.ts';
import type { Mirror } from './mirror/mirror.ts';

export async function headOf(mirror: Mirror, cursors: Cursors): Promise<Head> {
  const position = await cursors.last();
  return { cursor: cursors.at(position), events: mirror.progress().events };
}

export async function rangesOf(
  mirror: Mirror,
  cursors: Cursors,
  most: number,
  { after, until }: { readonly after?: Cursor; readonly until?: Cursor },
): Promise<readonly EventRange[]> {
  const start = mirror.countTo(await cursors.startOf(after));
  const end = mirror.countTo(await cursors.endOf(until));
  const found: EventRange[] = [];
  let from: Cursor | null = after ?? null;
  for (let count = start; count < end; ) {
    const events = Math.min(most, end - count);
    count += events;
    const to = cursors.at(mirror.positionOf(count));
    found.push({ after: from, until: to, events });
    from = to;
  }
  return found;
}
