// Metrics for Prometheus.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export class Metrics {
  readonly #registry = new Registry();
  readonly requests = new Counter({
    ...{ name: 'icecore_requests_total', help: 'Answered requests', labelNames: ['route', 'status'] as const },
    registers: [this.#registry],
  });
  readonly seconds = new Histogram({
    ...{ name: 'icecore_request_seconds', help: 'Time until the answer began', labelNames: ['route'] as const },
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60],
    registers: [this.#registry],
  });
  readonly ingested = new Counter({
    ...{ name: 'icecore_ingested_bytes_total', help: 'Bytes of events that clients sent', registers: [this.#registry] },
  });
  readonly dropped = new Counter({
    ...{ name: 'icecore_dropped_total', help: 'Clients that did not read', registers: [this.#registry] },
  });
  readonly tableEvents = new Gauge({
    ...{ name: 'icecore_table_events', help: 'Events in the SQL tables', registers: [this.#registry] },
  });
  readonly refreshSeconds = new Gauge({
    ...{
      name: 'icecore_refresh_seconds',
      help: 'Duration of the last refresh of the tables',
      registers: [this.#registry],
    },
  });

  /** Values that are read when they are asked for. */
  watch(name: string, help: string, read: () => number): void {
    new Gauge({
      ...{ name: `icecore_${name}`, help, registers: [this.#registry] },
      collect() {
        this.set(read());
      },
    });
  }

  /** Memory, processor time and delays of the event loop. */
  watchProcess(): void {
    collectDefaultMetrics({ register: this.#registry });
  }

  async text(): Promise<string> {
    return await this.#registry.metrics();
  }

  get contentType(): string {
    return this.#registry.contentType;
  }
}
