// Spans and metrics for OpenTelemetry. Nothing happens unless the process has configured an SDK: until then the API is not even loaded,
// since loading it takes longer than many commands.
import type { Attributes, Histogram, Span } from '@opentelemetry/api';
import { IcecoreError } from '../../schemas/errors.ts';

type Api = typeof import('@opentelemetry/api');

/** Where every copy of the API keeps what an SDK has registered. */
const registered = Symbol.for('opentelemetry.js.api.1');

/** Whether the process has configured an SDK. */
export function isObserved(): boolean {
  return registered in globalThis;
}

/** What is known of an operation only while it runs. */
export interface Observed {
  add(attributes: Attributes): void;
}

const unobserved: Observed = { add: () => {} };

/** Runs an operation within a span, and measures how long it took as the metric NAME.duration. */
export async function traced<Result>(
  name: string,
  attributes: Attributes,
  body: (observed: Observed) => Promise<Result>,
  spanName = name,
): Promise<Result> {
  if (!isObserved()) return await body(unobserved);
  const api = await loaded();
  return await api.trace.getTracer(scope).startActiveSpan(spanName, { attributes }, async (span) => {
    const operation = new Operation(api, span, name, attributes);
    try {
      return await body(operation);
    } catch (fault) {
      operation.failed(fault);
      throw fault;
    } finally {
      operation.end();
    }
  });
}

/** The pages of a read as one span, which ends with the reading. */
export async function* tracedPages<Page>(
  name: string,
  attributes: Attributes,
  pages: AsyncIterable<Page>,
  sizeOf: (page: Page) => number,
): AsyncGenerator<Page, void, undefined> {
  const api = await loaded();
  const span = api.trace.getTracer(scope).startSpan(name, { attributes });
  const operation = new Operation(api, span, name, attributes);
  let events = 0;
  try {
    for await (const page of pages) {
      events += sizeOf(page);
      yield page;
    }
  } catch (fault) {
    operation.failed(fault);
    throw fault;
  } finally {
    operation.add({ 'icecore.events': events });
    operation.end();
    await measure(`${name}.events`, '{event}', events, withoutIdentities(attributes));
  }
}

/** One value of a histogram. */
export async function measure(name: string, unit: string, value: number, attributes: Attributes = {}): Promise<void> {
  if (isObserved()) histogram(await loaded(), name, unit).record(value, attributes);
}

const scope = 'icecore';

let api: Promise<Api> | null = null;

function loaded(): Promise<Api> {
  api ??= import('@opentelemetry/api');
  return api;
}

function histogram({ metrics }: Api, name: string, unit: string): Histogram {
  return metrics.getMeter(scope).createHistogram(name, { unit });
}

class Operation implements Observed {
  readonly #api: Api;
  readonly #span: Span;
  readonly #name: string;
  readonly #began = performance.now();
  /** Of the metric: few values, since each combination is a series of its own. */
  #attributes: Attributes;

  constructor(api: Api, span: Span, name: string, attributes: Attributes) {
    this.#api = api;
    this.#span = span;
    this.#name = name;
    this.#attributes = withoutIdentities(attributes);
  }

  add(attributes: Attributes): void {
    this.#span.setAttributes(attributes);
  }

  failed(fault: unknown): void {
    const message = fault instanceof Error ? fault.message : String(fault);
    const type = fault instanceof IcecoreError ? fault.kind : fault instanceof Error ? fault.name : '_OTHER';
    this.#span.setStatus({ code: this.#api.SpanStatusCode.ERROR, message });
    this.#span.setAttribute('error.type', type);
    this.#attributes = { ...this.#attributes, 'error.type': type };
  }

  end(): void {
    this.#span.end();
    const seconds = (performance.now() - this.#began) / 1000;
    histogram(this.#api, `${this.#name}.duration`, 's').record(seconds, this.#attributes);
  }
}

/** Streams, runs and stages are without end, so they belong to spans alone. */
const identities = ['icecore.stream', 'icecore.run', 'icecore.stage', 'icecore.events'];

function withoutIdentities(attributes: Attributes): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => !identities.includes(name)));
}
