// The catalogue as a page for people, docs/events.md: every type of event by the stream it stands in, with all its fields.
import { z } from 'zod';
import { eventTypes } from '../schemas/catalogue.ts';
import { cause, recordedFields } from '../schemas/envelope.ts';
import { condition, descriptor, instance, knob, pick } from '../schemas/environment.ts';
import { currentVersion, type EventType } from '../schemas/family.ts';
import * as parts from '../schemas/parts.ts';
import { asSchema, type JsonSchema, phrase } from '../schemas/phrase.ts';
import * as primitives from '../schemas/primitives.ts';
import { type Category, categories } from '../schemas/streams.ts';

/** What several types are made of: described once, named wherever it stands. */
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
  run: 'the decisions of a run, each holding the digest of the one before it: `run-<run>`',
  evidence: 'rollouts and failures, in bulk: `evidence-<run>-<stage>-<part>-<attempt>`',
  work: 'who runs a run, and who has which shard: `work-<run>`',
  notes: 'what people say about a run: `notes-<run>`',
  answer: 'one answer of a model, named after the question: `answer-<digest>`',
  ablation: 'the same history replayed with other engineers and contexts: `ablation-<id>`',
  x: 'events of types that a program declared itself: `x-<name>`',
};

const opening = `# Events

What can be recorded, generated from the schemas by \`node tools/schemas.ts\`. A field marked \`?\` may be absent: the
producer does not know. \`null\` says that there is none. Every key not listed is refused on writing, and so is a key named
\`__proto__\` at any depth. The same as JSON Schema: \`schemas/json/\`, one file for each type and version, \`event.json\` for
any of them as written, \`recorded-event.json\` as read.`;

const errors = `## Errors

An error is not an answer. What keeps an engineer from answering is recorded as \`ProposalErrored\` or, in an ablation, as
\`ArmErrored\`: types of their own, so that whatever counts answers (tables, folds, readers in other languages) counts no errors,
also where it does not know these types. With \`--on-error stop\`, the default, a run records neither: it records
\`RunFailed\` and decides nothing, so that the engineer is asked again when the run resumes. With \`keep\` it records
\`ProposalErrored\`, and a \`ConfigAdopted\` by \`errored\`. An \`ArmErrored\` holds until its arm does what the error kept it
from; an ablation with one that holds has no \`AblationCompleted\`, unless its arms are to be left as they are.`;

const rolloutForm = `## How rollouts are recorded

One rollout is one event, with an id, a revision and a digest of its own: at the ledger's port, as a message in Kafka, in exports
and in table \`events\`. Nothing groups rollouts into larger events, because then a reader, a proof or a redaction would have
to know a second unit beside the event. Only the files of a store pack: SQLite compresses the bodies of up to 256 events that
were appended together, and keeps a small row for each; a Kafka broker compresses batches; EventStoreDB is for evidence of
moderate volume. In SQLite a rollout of training takes about 190 bytes so, where a row with its body took 1,200, and recording it
costs the training about a fifth of its processor time. The rest follows from that:

- **Streams.** \`<part>\` is a shard by its number (the probe pool and a sample of the training, which engineers are shown evidence
  of), \`training\`, or the name of an evaluation: \`validation\`, \`probe_holdout\`, a suite. Dashes become underscores, as dashes
  separate the parts of a stream's name. Each has one writer. What engineers are shown is added up from shards alone.
- **Arms** of ablations of depth \`train\` have the ablation where a run has itself, and parts of their own:
  \`evidence-<ablation>-<stage>-arm2.validation-0\`. \`ArmTrained\` and \`ArmEvaluated\` name them among their causes, and an
  \`EvidenceSealed\` in the stream of the ablation seals them. Arms that trained the same share one. At depth \`run\` arms are runs.
- **Ids** follow from run, stage, part, attempt and place, so that whoever was stopped makes the same again, and nothing is
  stored twice.
- **Failures** of a rollout stand in it (\`failures\`); those of shards follow as a \`FailureRecorded\` of their own.
- **Proofs.** \`TrainingRecorded\` and \`EvaluationRecorded\` name their rollouts among their causes, as a span of a stream with the
  Merkle root over it. \`EvidenceSealed\` names the same attempts beside the shards', so that one rollout is proven against its
  seal as any event is.
- **Evaluations are sums.** \`icecore verify --recompute\` judges the rollouts they name again and adds them up again; one that
  names none is unsupported. The learning signal, the curve and the entropy of a training are added up in the same way; the
  divergence from its beginning (\`kl\`) is known to the trainer alone.
- **Redaction.** A text that is a blob is erased as in any event; the digest and the proof stay.
- **SQL.** Table \`rollouts\` is filled from the events, one row each, in batches of files that DuckDB reads by itself; column \`part\` tells what they are of. \`failures\` has the
  failures of both forms.
- **\`icecore why\`** ends at the rollouts of shards, by their ids; the place of an event names its stream and revision.
- **Reading backwards** reads events from the end of a stream or of the ledger; a pack is unpacked once and read from its end.`;

const typeChange = `## How a type changes

Events are never rewritten, so a reader meets every version of a type that was ever written. Writing is strict: only types and
versions of the catalogue. Reading is tolerant: data of an older version is upcast to the current one; an event of a newer
version, or of a type that is not known, is kept as it is, verified, exported and shown, and every answer that leaves it out
says so. Types of your own: [ledgers.md](ledgers.md#your-own-events). To change a type:

1. **A new version.** \`nextVersion(previous, schema, upcast)\` in the type's file in \`schemas/\`: the schema of the new data, and a
   function from the previous data to the new. Older versions stay as they are. A new optional field is a new version, too.
2. **A golden file** for the new version, \`schemas/golden/TYPE.vN.json\`; together the files of a version have each of its fields.
   The files of older versions are examples for the upcast.
3. **The fills** in \`src/projections/tables/*.sql\` and the read model of decisions, \`src/producers/history\` with its rows in
   \`src/projections/model\`, see data of the current version only, whatever version was recorded. Table
   \`events\` alone keeps what was recorded.
4. \`npm run schemas\` writes the JSON Schemas, this page and \`schemas/fingerprints.ts\`. The fingerprint of a type covers the
   schemas of all its versions and what its upcasts make of the golden files, and of these without each part that may be
   absent. Tables that were filled by another fingerprint are filled again by the next command that asks them. An upcast whose change
   none of the examples shows leaves the fingerprint as it is: add an example that shows it.
5. **A golden ledger**: \`npm run golden-ledger\` (test/golden/README.md). Those of earlier releases stay, and must still read.

Two versions of icecore may work on one ledger. Each fills the tables in its own way before it answers, so each is right; the one
that does not know an event counts it in table \`events\` and names its type and version on standard error. Whoever uses both by
turns pays for it with a refill each time.`;

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
  const about = `${declared.summary} Version ${version}. ${stageNotes[declared.stage]}`;
  return `### ${declared.type}\n\n${about}\n\n${table(declared.versions[version - 1] as z.ZodObject)}`;
}

function shapeSection(): string {
  const sections = Object.entries(shapes).map(([name, schema]) => `### ${name}\n\n${shape(schema)}`);
  return ['## Shapes', 'What several types are made of.', ...sections].join('\n\n');
}

function shape(schema: z.ZodType): string {
  const json = z.toJSONSchema(schema) as JsonSchema;
  const about = `${json.description ?? ''}.`;
  const sentence = about.charAt(0).toUpperCase() + about.slice(1);
  return json.type === 'object' ? `${sentence}\n\n${table(schema)}` : sentence;
}

function table(schema: z.ZodType): string {
  const rows = rowsOf(z.toJSONSchema(schema) as JsonSchema, '');
  return ['| field | what it holds | |', '|---|---|---|', ...rows].join('\n');
}

function rowsOf(schema: JsonSchema, at: string): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, held]) => {
    const member = asSchema(held);
    const optional = schema.required?.includes(key) ? '' : '?';
    return [
      row(`${at}${key}${optional}`, holds(member), member.description ?? ''),
      ...rowsBelow(member, `${at}${key}`),
    ];
  });
}

/** The fields of what is held: of an object, of each item of a list, of each value of a map. */
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
  if (typeof schema.additionalProperties === 'object' && phrase(schema) !== 'an object') {
    return `by name, each: ${holds(schema.additionalProperties)}`;
  }
  return brief(phrase(schema));
}

/** What a message says in full is said in the reference once: "a name: at least one character, ..." is a name. */
const brief = (phrased: string): string => phrased.replace(/(?<=^a (?:name|SHA-256 digest)): .*/, '');

const known = new Map(
  Object.entries(shapes).map(([name, schema]) => [keyOf(z.toJSONSchema(schema) as JsonSchema), name]),
);

function shapeOf(schema: JsonSchema): string | undefined {
  return known.get(keyOf(schema));
}

function keyOf({ description, $schema, ...says }: JsonSchema): string {
  return JSON.stringify(says);
}

/** What a word means wherever it stands is said by its name; beside a field stands what it means there. */
const general = new Set(
  [...Object.values(primitives), ...Object.values(shapes)].map((schema) => z.globalRegistry.get(schema)?.description),
);

function row(field: string, held: string, description: string): string {
  const meaning = general.has(description) ? '' : description;
  return `| \`${field}\` | ${escaped(held)} | ${escaped(meaning)} |`;
}

const escaped = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('\n', ' ');
