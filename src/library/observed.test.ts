// Spans and metrics of icecore when a process has configured an OpenTelemetry SDK: here one that keeps them in memory.
import {
  type Attributes,
  type Context,
  type Histogram,
  type Meter,
  metrics,
  type Span,
  type SpanOptions,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { testbed } from '../../testbed/plugin.ts';
import { temporaryFolder } from '../base/testing/temporary-folder.ts';
import { isObserved } from '../base/tracing.ts';
import { answerReply, Endpoint, status } from '../lab/models/testing/endpoint.ts';
import { modelAt, question } from '../lab/models/testing/models.ts';
import * as samples from '../ledger/contract/samples.ts';
import { tinySettings } from '../producers/run/testing/tiny.ts';
import { openWorkspace } from './open.ts';
import type { Workspace } from './workspace.ts';

interface SeenSpan {
  readonly name: string;
  readonly attributes: Record<string, unknown>;
  status: number;
  ended: number;
}

interface SeenValue {
  readonly name: string;
  readonly unit: string | undefined;
  readonly value: number;
  readonly attributes: Attributes;
}

const spans: SeenSpan[] = [];
const values: SeenValue[] = [];

function spanOf(name: string, { attributes = {} }: SpanOptions = {}): Span {
  const seen: SeenSpan = { name, attributes: { ...attributes }, status: 0, ended: 0 };
  spans.push(seen);
  const span: Span = {
    spanContext: () => ({ traceId: '0'.repeat(32), spanId: '0'.repeat(16), traceFlags: 0 }),
    setAttribute: (key, value) => span.setAttributes({ [key]: value }),
    setAttributes(more) {
      Object.assign(seen.attributes, more);
      return span;
    },
    addEvent: () => span,
    addLink: () => span,
    addLinks: () => span,
    setStatus({ code }) {
      seen.status = code;
      return span;
    },
    updateName: () => span,
    end: () => void seen.ended++,
    isRecording: () => true,
    recordException: () => {},
  };
  return span;
}

const tracer: Tracer = {
  startSpan: spanOf,
  startActiveSpan: (name: string, ...more: readonly (SpanOptions | Context | ((span: Span) => unknown))[]) => {
    const body = more.at(-1) as (span: Span) => never;
    return body(spanOf(name, more[0] as SpanOptions));
  },
};

function histogramOf(name: string, unit: string | undefined): Histogram {
  return { record: (value, attributes = {}) => void values.push({ name, unit, value, attributes }) };
}

const meter = { createHistogram: (name, options) => histogramOf(name, options?.unit) } as Meter;

beforeEach(() => {
  spans.length = 0;
  values.length = 0;
  trace.setGlobalTracerProvider({ getTracer: () => tracer });
  metrics.setGlobalMeterProvider({ getMeter: () => meter });
});
afterEach(() => {
  trace.disable();
  metrics.disable();
});

async function opened(): Promise<Workspace> {
  const cwd = temporaryFolder();
  return await openWorkspace({ cwd, env: { HOME: cwd, XDG_CONFIG_HOME: `${cwd}/user` }, plugins: [testbed] });
}

const named = (name: string): readonly SeenSpan[] => spans.filter((one) => one.name === name);

describe('with an SDK', () => {
  it('appends, reads and refreshes are spans that end, with durations and numbers of events', async () => {
    await using workspace = await opened();
    const note = { type: 'RunAnnotated', actor: 'human/ada', run: samples.run, data: { note: 'x' } };
    await workspace.append(samples.notesStream, [note, note]);
    await workspace.sql('FROM notes');
    for await (const _ of workspace.events());
    expect(named('icecore.ledger.append')).toMatchObject([
      {
        attributes: {
          'icecore.store': 'sqlite',
          'icecore.stream': samples.notesStream,
          'icecore.events': 2,
          'icecore.events.existed': 0,
        },
      },
    ]);
    expect(named('icecore.tables.refresh')).toMatchObject([{ attributes: { 'icecore.tables.lag': 2 } }]);
    expect(named('icecore.ledger.read').map(({ attributes }) => attributes['icecore.events'])).toContain(2);
    expect(spans.every(({ ended, status }) => ended === 1 && status === 0)).toBe(true);
    const metric = (name: string): readonly SeenValue[] => values.filter((one) => one.name === name);
    expect(metric('icecore.ledger.append.events')).toMatchObject([{ unit: '{event}', value: 2 }]);
    expect(metric('icecore.ledger.append.duration')).toMatchObject([{ unit: 's', value: expect.any(Number) }]);
    expect(metric('icecore.tables.lag')).toMatchObject([{ value: 2 }]);
    for (const { attributes } of values) expect(attributes).not.toHaveProperty('icecore.stream');
  });

  it('a refused append is a span with its kind of error', async () => {
    await using workspace = await opened();
    const note = { type: 'RunAnnotated', actor: 'human/ada', run: samples.run, data: { note: 'x' } };
    await workspace.append(samples.notesStream, [note]);
    await expect(workspace.append(samples.notesStream, [note], { expect: 'none' })).rejects.toThrow();
    expect(named('icecore.ledger.append').at(-1)).toMatchObject({
      ...{ status: 2, ended: 1 },
      attributes: { 'error.type': 'conflict' },
    });
  });

  it('a training is a span of its run and stage', async () => {
    await using workspace = await opened();
    const { run } = await workspace.run({ ...tinySettings({ stages: 1 }), name: 'mine', jobs: 1 });
    expect(named('icecore.training')).toMatchObject([
      { ended: 1, attributes: { 'icecore.run': run, 'icecore.stage': 1, 'icecore.trainer': 'grpo' } },
    ]);
  }, 60_000);

  it('a call of a model is a span with its tokens, and one that fails has its error', async () => {
    const endpoint = await Endpoint.start();
    try {
      endpoint.replies(answerReply('four'), status(400));
      await modelAt(endpoint.url).ask(question());
      await expect(modelAt(endpoint.url).ask(question('another'))).rejects.toThrow();
    } finally {
      await endpoint.stop();
    }
    const calls = spans.filter(({ name }) => name.startsWith('chat '));
    expect(calls).toMatchObject([
      {
        attributes: {
          'gen_ai.operation.name': 'chat',
          'gen_ai.usage.input_tokens': expect.any(Number),
          'gen_ai.usage.output_tokens': expect.any(Number),
        },
      },
      { status: 2, attributes: { 'error.type': expect.any(String) } },
    ]);
    expect(values.map(({ name }) => name)).toContain('gen_ai.client.token.usage');
  });
});

it('without an SDK nothing is observed', async () => {
  trace.disable();
  metrics.disable();
  await using workspace = await opened();
  await workspace.init();
  for await (const _ of workspace.events());
  expect([spans, values]).toEqual([[], []]);
});

it('an SDK is detected once it is configured', () => {
  expect(isObserved()).toBe(true);
});
