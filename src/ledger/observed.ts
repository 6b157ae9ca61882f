// A ledger whose appends and reads are seen by OpenTelemetry, for any store. Without an SDK the ledger stays as it is.
import { isObserved, measure, traced, tracedPages } from '../base/tracing.ts';
import type { Ledger } from './ledger.ts';

export function observed(ledger: Ledger): Ledger {
  if (!isObserved()) return ledger;
  const { append, read, readAll } = ledger;
  const [store = ''] = ledger.url.split(':', 1);
  const of = { 'icecore.store': store };
  return Object.assign(ledger, {
    append: (stream, events, options) =>
      traced(
        'icecore.ledger.append',
        { ...of, ...named(stream), 'icecore.events': events.length },
        async (operation) => {
          const appended = await append.call(ledger, stream, events, options);
          const existed = appended.existed.filter(Boolean).length;
          operation.add({ 'icecore.events.existed': existed });
          await measure('icecore.ledger.append.events', '{event}', events.length - existed, of);
          return appended;
        },
      ),
    read: (stream, options) =>
      tracedPages('icecore.ledger.read', { ...of, ...named(stream) }, read.call(ledger, stream, options), sizeOf),
    readAll: (options) => tracedPages('icecore.ledger.read', of, readAll.call(ledger, options), sizeOf),
  } satisfies Partial<Ledger>);
}

function named(stream: string): { readonly 'icecore.stream': string; readonly 'icecore.stream.kind': string } {
  return { 'icecore.stream': stream, 'icecore.stream.kind': stream.split('-', 1)[0] ?? '' };
}

function sizeOf(events: readonly unknown[]): number {
  return events.length;
}
