// The event catalogue as the page docs/events.md: every type of event by stream, with all its fields.
import { z } from 'zod';
import { eventTypes } from '../schemas/catalogue.ts';
import { asSchema, describeSchema, type JsonSchema } from '../schemas/describe-schema.ts';
import { cause, recordedFields } from '../schemas/envelope.ts';
import { condition, descriptor, instance, knob, pick } from '../schemas/environment.ts';
import { currentVersion, type EventType } from '../schemas/family.ts';
import * as parts from '../schemas/parts.ts';
import * as primitives from '../schemas/primitives.ts';
import { type Category, categories } from '../schemas/streams.ts';

/** An object with fewer fields is written out wherever it occurs. */
const fewestFields = 3;

/** Shapes that several types share, described once. */
const shapes = {
  alert: parts.alert,
  answerReference: parts.answerReference,
  blob: primitives.blob,
  cause,
  checkpoint: parts.checkpoint,
  codeVersion: parts.codeVersion,
  component: parts.component,
  condition,
  configuration: parts.configuration,
  cost: parts.cost,
  descriptor,
  engineer: parts.engineer,
  form: parts.form,
  familyMeasurement: parts.familyMeasurement,
  instance,
  knob,
  measurement: parts.measurement,
  pick,
  score: primitives.score,
  source: parts.source,
  suite: parts.suite,
  text: primitives.text,
} as const;

const streams: Record<Category, string> = {
  run: 'the run events, each with the digest of the one before it: `run-<run>`',
  evidence: 'rollouts and failures, in bulk: `evidence-<run>-<stage>-<part>-<attempt>`',
  work: 'who runs a run, and who has which shard: `work-<run>`',
  notes: 'what people say about a run: `notes-<run>`',
  answer: 'one answer of a model, named after the question: `answer-<digest>`',
  ablation: 'the same history replayed with other engineers and contexts: `ablation-<id>`',
  x: 'events of types that a program declared itself: `x-<name>`',
};

const opening = `# Events

Every event that icecore records, with its fields, generated from the schemas by \`npm run schemas\`. Print some with
\`icecore event tail\`; write your own with \`icecore event append\`.

A field marked \`?\` may be absent: the producer does not know it. \`null\` says that there is none. Unknown keys are refused on writing, and
so is a key \`__proto__\`. Every type may have \`measured\`, an object with durations, latencies and host facts. As JSON Schema: \`schemas/json/\`, one file for each type and version, \`event.json\` for any event as written,
\`recorded-event.json\` as read. How rollouts are packed and types change is [at the end](#how-rollouts-are-recorded).`;

const errors = `## Errors

An error is not an answer: \`ProposalErrored\` and \`ArmErrored\` are types of their own, so that counts of answers contain no errors. With
\`--on-error stop\`, the default, a run records \`RunFailed\` instead and decides nothing; the engineer is asked again when the run resumes. With
\`keep\` it records \`ProposalErrored\`, and a \`ConfigAdopted\` by \`errored\`. An \`ArmErrored\` counts until its arm does what the error prevented; an
ablation with such an arm has no \`AblationCompleted\`, unless \`--on-error keep\` ends it.`;

const rolloutForm = `## How rollouts are recorded

One rollout is one event, with its own id, revision and digest, in every store, in exports and in table \`events\`. Only files of a store pack:
SQLite compresses the bodies of up to 256 events that were appended together (about 190 bytes for a rollout of training), and Kafka
compresses batches.

- **Streams.** \`<part>\` is the number of a shard (probe tasks and a sample of training tasks: the evidence for engineers), \`training\`, or the name
  of an evaluation: \`validation\`, \`probe_holdout\`, a suite, with underscores for dashes.
- **Arms** of ablations of depth \`train\` use the ablation's id instead of the run's: \`evidence-<ablation>-<stage>-arm2.validation-0\`. \`ArmTrained\`
  and \`ArmEvaluated\` name them as causes, and an \`EvidenceSealed\` in the ablation's stream seals them. Arms that trained the same share one. At
  depth \`run\` arms are runs.
- **Ids** follow from run, stage, part, attempt and position, so that a resumed run makes the same ones.
- **Failures** of a rollout are in it (\`failures\`); those of shards are also events of type \`FailureRecorded\`.
- **Proofs.** \`TrainingRecorded\` and \`EvaluationRecorded\` name their rollouts among their causes, as a range of a stream with its Merkle root.
  \`EvidenceSealed\` names the same attempts.
- **Recomputing.** \`icecore verify --recompute\` judges the rollouts again and adds them up; an evaluation that names none is unsupported. \`kl\` is
  known to the trainer alone.`;

const typeChange = `## How a type changes

Events are never rewritten, so readers meet every version. Writing is strict. Reading is tolerant: older data is upcast to the current version; events
of a newer version or an unknown type are kept, verified, exported and shown, and answers that leave them out say so. For types of your own
see [ledgers](ledgers.md#your-own-events). To change one of icecore's:

1. **A new version**: \`nextVersion(previous, schema, upcast)\` in the type's file in \`schemas/\`. Older versions stay. A new optional field is a new
   version, too.
2. **A golden file**: \`schemas/golden/TYPE.vN.json\`. Together, the files of a version have all its fields.
3. **The fills**: \`src/projections/tables/*.sql\` and the read model of decisions (\`src/producers/history\`, \`src/projections/model\`) see the current
   version only. Table \`events\` keeps what was recorded.
4. \`npm run schemas\` writes the JSON Schemas, this page and \`schemas/fingerprints.ts\`. Tables that were filled under another fingerprint are
   filled again. If no golden file shows what an upcast changes, add one that does.
5. **A golden ledger**: \`npm run golden-ledger\` (test/golden/README.md). Those of earlier releases stay and must still be readable.

Two versions of icecore may use one ledger: each fills the tables in its own way, and the older one names the types and versions that it does not know.`;

export function eventsPage(): string {
  const types = [...eventTypes.values()];
  const sections = categories.map((category) => streamSection(category, types));
  return `${[opening, overview(types), envelopeSection(), errors, ...sections, rolloutForm, typeChange, shapeSection()].join('\n\n')}\n`;
}

function overview(types: readonly EventType[]): string {
  const rows = types.map(
    ({ type, categories, summary }) => `| [${type}](#${type.toLowerCase()}) | ${categories.join(', ')} | ${summary} |`,
  );
  return ['| type | streams | what happened |', '|---|---|---|', ...rows].join('\n');
}

function envelopeSection(): string {
  const given = 'A writer gives the fields down to `causes`, and `data`; the ledger adds the rest.';
  return `## Every event\n\n${given}\n\n${table(z.looseObject(recordedFields))}`;
}

function streamSection(category: Category, types: readonly EventType[]): string {
  const here = types.filter(({ categories: [first] }) => first === category);
  return [`## Streams of kind ${category}`, `They hold ${streams[category]}.`, ...here.map(typeSection)].join('\n\n');
}

const stageNotes = { always: 'It belongs to a stage.', never: 'Its stage is null.', maybe: 'Its stage may be null.' };

function typeSection(declared: EventType): string {
  const version = currentVersion(declared);
  const about = `Version ${version}. ${stageNotes[declared.stage]}`;
  return `### ${declared.type}\n\n${about}\n\n${table(declared.versions[version - 1] as z.ZodObject)}`;
}

function shapeSection(): string {
  const named = Object.entries(shapes).map(([name, schema]) => `### ${name}\n\n${shape(schema)}`);
  const found = Array.from(repeated, ([name, schema]) => `### ${name}\n\n${tableOf(schema)}`);
  const sections = [...named, ...found];
  return ['## Shapes', 'Shapes that several types share.', ...sections].join('\n\n');
}

function shape(schema: z.ZodType): string {
  const json = z.toJSONSchema(schema) as JsonSchema;
  const about = `${json.description ?? ''}.`;
  const sentence = about.charAt(0).toUpperCase() + about.slice(1);
  return json.type === 'object' ? `${sentence}\n\n${table(schema)}` : sentence;
}

function table(schema: z.ZodType): string {
  return tableOf(z.toJSONSchema(schema) as JsonSchema);
}

function tableOf(schema: JsonSchema): string {
  const rows = rowsOf(schema, '');
  return ['| field | what it holds | |', '|---|---|---|', ...rows].join('\n');
}

function rowsOf(schema: JsonSchema, at: string): string[] {
  const own = Object.entries(schema.properties ?? {}).filter(([key]) => `${at}${key}` !== 'measured');
  return own.flatMap(([key, held]) => {
    const member = asSchema(held);
    const optional = schema.required?.includes(key) ? '' : '?';
    return [
      row(`${at}${key}${optional}`, holds(member), member.description ?? ''),
      ...rowsBelow(member, `${at}${key}`),
    ];
  });
}

/** The fields of an object, of each item of a list, or of each value of a map. */
function rowsBelow(schema: JsonSchema, at: string): string[] {
  if (shapeOf(schema) !== undefined) return [];
  const options = (schema.anyOf ?? [schema]).map(asSchema);
  return options.flatMap((option) => {
    if (shapeOf(option) !== undefined) return [];
    if (option.properties !== undefined) return rowsOf(option, `${at}.`);
    if (option.items !== undefined) return rowsBelow(asSchema(option.items as JsonSchema), `${at}[]`);
    return typeof option.additionalProperties === 'object' ? rowsBelow(option.additionalProperties, `${at}.*`) : [];
  });
}

function holds(schema: JsonSchema): string {
  const shape = shapeOf(schema);
  if (shape !== undefined) return `[${shape}](#${shape.toLowerCase()})`;
  if (schema.anyOf !== undefined) return schema.anyOf.map((option) => holds(asSchema(option))).join(' or ');
  if (schema.type === 'array') return `a list, each: ${holds(asSchema((schema.items ?? {}) as JsonSchema))}`;
  if (schema.properties !== undefined) return 'an object';
  if (typeof schema.additionalProperties === 'object' && describeSchema(schema) !== 'an object') {
    return `by name, each: ${holds(schema.additionalProperties)}`;
  }
  return brief(describeSchema(schema));
}

/** Long phrases of messages are shortened: "a name: at least one character, ..." is a name. */
const brief = (phrased: string): string => phrased.replace(/(?<=^a (?:name|SHA-256 digest)): .*/, '');

const known = new Map(
  Object.entries(shapes).map(([name, schema]) => [keyOf(z.toJSONSchema(schema) as JsonSchema), name]),
);

/** Objects of several fields that are written out in more than one place, by their fields' name. */
const repeated = repeatedObjects();

function repeatedObjects(): ReadonlyMap<string, JsonSchema> {
  const found: { readonly name: string; readonly schema: JsonSchema }[] = [];
  const collect = (schema: JsonSchema, name: string): void => {
    if (known.has(keyOf(schema))) return;
    if (Object.keys(schema.properties ?? {}).length >= fewestFields) found.push({ name, schema });
    for (const [key, held] of Object.entries(schema.properties ?? {})) collect(asSchema(held), key);
    for (const option of schema.anyOf ?? []) collect(asSchema(option), name);
    if (schema.items !== undefined) collect(asSchema(schema.items as JsonSchema), name);
    if (typeof schema.additionalProperties === 'object') collect(schema.additionalProperties, name);
  };
  for (const { versions } of eventTypes.values())
    for (const [key, held] of Object.entries(
      (z.toJSONSchema(versions.at(-1) as z.ZodType) as JsonSchema).properties ?? {},
    ))
      collect(asSchema(held), key);
  const names = new Map<string, JsonSchema>();
  for (const [key, same] of Map.groupBy(found, ({ schema }) => keyOf(schema))) {
    const [first, second] = same;
    if (first === undefined || second === undefined || names.has(first.name)) continue;
    known.set(key, first.name);
    names.set(first.name, first.schema);
  }
  return names;
}

function shapeOf(schema: JsonSchema): string | undefined {
  return known.get(keyOf(schema));
}

function keyOf({ description, $schema, ...says }: JsonSchema): string {
  return JSON.stringify(says);
}

/** General descriptions are replaced by the name of the shape; specific ones are shown with the field. */
const general = new Set(
  [...Object.values(primitives), ...Object.values(shapes)].map((schema) => z.globalRegistry.get(schema)?.description),
);

function row(field: string, held: string, description: string): string {
  const meaning = general.has(description) ? '' : description;
  return `| \`${field}\` | ${escaped(held)} | ${escaped(meaning)} |`;
}

const escaped = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('\n', ' ');
