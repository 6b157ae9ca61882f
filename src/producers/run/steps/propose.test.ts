// The question to an engineer after a stage and its record: the context, and the checkpoint that was asked.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunSettings } from '../../../../schemas/run-file.ts';
import { streamOf } from '../../../../schemas/streams.ts';
import { descriptor } from '../../../../testbed/lake/configuration.ts';
import { openBlobs } from '../../../ledger/blobs/open.ts';
import { sha256 } from '../../../ledger/identity/ids.ts';
import { buildContext } from '../../contexts/build.ts';
import { formNamed } from '../../contexts/forms.ts';
import { readHistory } from '../../history/reading.ts';
import { idOf } from '../ids.ts';
import type { Orchestration, RunEnd } from '../orchestrate.ts';
import { textReader } from '../question.ts';
import { runTiny, type TinyPlace, tinyPlace, tinySettings } from '../testing/tiny.ts';

const parent = 'shared000000';
let place: TinyPlace;

/** After the first stage each run continues separately. */
beforeAll(async () => {
  place = await tinyPlace();
  await runTiny(place, { run: parent, settings: tinySettings({ engineer: 'fixed' }), until: before('propose') });
}, 30_000);
afterAll(() => place.close());

function before(step: string): NonNullable<Orchestration['until']> {
  return ({ do: next }) => next === step;
}

async function forked(run: string, engineer: RunSettings['engineer'], step: string): Promise<RunEnd> {
  const { stages } = await readHistory(place.ledger, parent);
  const { revision = 0, digest = '' } = stages[0]?.completed ?? {};
  const about = { parent: { run: parent, stage: 1, revision, digest } };
  return await runTiny(place, { run, settings: tinySettings({ engineer, name: run }), about, until: before(step) });
}

/** It changes nothing, and records its context. */
const tellingAll = [
  process.execPath,
  '-e',
  `const { current, context } = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
   const facts = context.modules.flatMap(({ facts }) => facts.map(({ evidenceId }) => evidenceId));
   console.log(JSON.stringify({ configuration: current, reasons: [], rationale: JSON.stringify({ ...context, modules: facts }) }));`,
];

describe('the context of a resumed decision', () => {
  it('is the recorded one, even if this version would build it differently', async () => {
    const run = 'upgraded0000';
    const { history } = await forked(run, tellingAll, 'show');
    const { context, contextTokens } = tinySettings();
    const { recorded } = await buildContext({
      ...{ descriptor, history, stage: 1, form: formNamed(context), budget: contextTokens },
      textOf: textReader(async () => null),
    });
    const [gone = '', moved = '', ...others] = Object.keys(recorded.evidenceIds);
    const { [gone]: _, [moved]: was, ...kept } = recorded.evidenceIds;
    const evidenceIds = { ...kept, [moved]: { ...was, module: 'another', events: [], family: null } };
    const text = 'As it was built once.\n';
    const data = { ...recorded, builder: 'icecore-context/0', text: { text }, digest: sha256(text), evidenceIds };
    const id = idOf(run, { type: 'ContextRecorded', stage: 1, index: 0 });
    const at = new Date().toISOString();
    const event = {
      id,
      type: 'ContextRecorded',
      version: 1,
      at,
      actor: 'producer/contexts',
      run,
      stage: 2,
      causes: [],
    };
    await place.ledger.append(streamOf.run(run), [{ ...event, data }], { expect: 'exists' });

    const after = (await forked(run, tellingAll, 'adopt')).history.stages[0];
    const proposed = after?.proposals[0]?.data;
    expect(proposed?.context).toMatchObject({ event: id, digest: sha256(text) });
    const shown = JSON.parse(proposed?.rationale ?? '{}');
    expect(shown).toMatchObject({ text, digest: sha256(text) });
    expect(shown.evidenceIds.toSorted()).toEqual([...others, moved].toSorted());
    expect(shown.modules.length).toBeGreaterThan(0);
    expect(others).toEqual(expect.arrayContaining(shown.modules));
  }, 30_000);
});

describe('the checkpoint in a proposal', () => {
  it('of the engineer checkpoint is the one that the stage trained', async () => {
    const { history } = await forked('asks00000000', 'checkpoint', 'adopt');
    const [first] = history.stages;
    const trained = first?.training?.data.checkpoint;
    expect(trained?.reference).toBe(trained?.digest);
    expect(first?.proposals[0]?.data.engineer.checkpoint).toEqual(trained);
  });

  it('of the engineer base is recorded by its digest', async () => {
    const { history } = await forked('asksbase0000', 'base', 'adopt');
    const asked = history.stages[0]?.proposals[0]?.data.engineer.checkpoint;
    expect(asked?.reference).toMatch(/^[0-9a-f]{64}$/);
    expect(asked?.stage).toBeUndefined();
    const store = await openBlobs(`folder:${place.folder}/blobs`);
    expect(sha256(await store.get(asked?.reference ?? ''))).toBe(asked?.digest);
    await store.close();
  });

  it('is missing if the engineer asks none', async () => {
    const { history } = await forked('rules0000000', 'rules', 'adopt');
    expect(history.stages[0]?.proposals[0]?.data.engineer).not.toHaveProperty('checkpoint');
  });
});
