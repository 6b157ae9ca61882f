import { describe, expect, it } from 'vitest';
import { descriptorOf, Recording, wholeRun } from '../../analysis/history/testing/recording.ts';
import { type EvidenceRun, shownRun, summariesOf, writeEvidence } from '../../analysis/why/testing/evidence-run.ts';
import { displayWidth } from '../../base/terminal.ts';
import { type Place, placeWhere, placeWith } from '../runs/testing/looking.ts';
import { json, lines, ownColour, steering } from '../testing/harness.ts';
import { faultsAgainst } from '../testing/published.ts';

async function placeShown(shown: EvidenceRun = {}): Promise<Place> {
  return await placeWhere(async (ledger) => {
    const recording = shownRun(shown);
    await recording.writeTo(ledger);
    await writeEvidence(ledger, recording.run);
  });
}

describe('icecore why', () => {
  it('prints one knob as a tree: change, evidence, a drawn rollout and the results of its family', async () => {
    const { look } = await placeShown();
    const { code, stdout, stderr } = await look('why', '--verbose', 'shown-run@2', '8.hole');
    expect(code).toBe(0);
    expect(stdout.replace(/context [0-9a-f]{12}/, 'context X')).toBe(`shown-run@2  stage complete
  decided by gpt (gpt-5.4), 2026-07-01 12:00
  "Make 8 learnable."
  shown combined, context X: 8 evidence ids
  afterwards, all families: validation 35.0 [29, 42] → 45.0 [38, 52] %, +10.0 points, intervals overlap

changed: 1 knob
└─ 8.hole 0.3 → 0.2 (-2 knob steps, easier)
   │  "Too hard."
   │  rests on 2 pieces of evidence about its family
   ├─ B8.valid  12.5 % [10, 50], 4 of 32 on probe; after stage 2 28.1 % [10, 50], 9 of 32 on probe
   ├─ FC8.hole  failures 80.0 %, 16 of 20 on probe; after stage 2 55.0 %, 11 of 20 on probe
   ├─ F1  a rollout of family 8 in stage 1: hole in step 2; icecore event show evidence-shown-run-1-0-0@0
   │  "fell in"
   │  ┌──┐
   │  │a▾│ step 2
   │  └──┘
   └─ afterwards, family 8: validation 20.0 [13, 29] → 40.0 [31, 50] %, +20.0 points, intervals do not overlap
      probe pool 12.5 [10, 50] → 28.1 [10, 50] %, +15.6 points, intervals overlap
      learning signal 20.0 [11, 33] → 40.0 [28, 54] %, +20.0 points, intervals overlap

a: an agent, A: its goal, ░: a hole, a digit: steps waited, ╳: a failure (arrows in the frame: its row and column). Each row has two lines. Moves: U up, D down, L left, R right, W wait; [ ]: the move that fails.
`);
    const typed = lines(stderr).flatMap((line) => /icecore (.+)$/.exec(line)?.[1] ?? []);
    expect(typed.map((line) => line.split(' ')[0])).toEqual(['compare', 'context', 'event']);
    for (const line of typed) expect(await look(...line.split(' '))).toMatchObject({ code: 0 });
  });

  it('reads a number after the run as a family, and prints how to name the stage', async () => {
    const { look } = await placeShown();
    const [title, hint] = lines((await look('why', 'shown-run@2', '8')).stdout);
    expect(title).toMatch(/^shown-run@2, family 8: 8\.hole 0\.3 → 0\.2 /);
    expect(hint).toBe('8 is a family here; a stage is named with @: shown-run@2');
    expect((await look('why', 'shown-run@2')).stdout).not.toContain('is a family');
  });

  it('explains the scores of a proposal', async () => {
    const { look } = await placeWith(wholeRun());
    expect((await look('why', '--verbose', 'quiet-otter@2')).stdout).toMatch(
      /citation score 0\.75 \(how much of the cited evidence is about the changed family; 1 is best\)/,
    );
  });

  it('explains the last decision of the last run or of a run, or that of a stage, and suggests one knob in detail', async () => {
    const { look } = await placeShown();
    const result = await look('why', '--verbose');
    expect(result.stdout).toMatch(
      /^└─ 8\.hole .*\n {3}│ {2}"Too hard\."\n {3}│ {2}cites B8\.valid, FC8\.hole: rests on/m,
    );
    for (const run of ['latest', 'shown', 'shown-run@2'])
      expect((await look('why', '--verbose', run)).stdout).toBe(result.stdout);
    const deeper = /icecore (why shown-run@2 8\.hole)$/m.exec(result.stderr)?.[1] ?? '';
    expect((await look(...deeper.split(' '))).stdout).toContain('step 2');
    expect((await look('why', '--verbose', '--quiet')).stderr).toBe('');
  });

  it('suggests a failed rollout only if the evidence of a knob has one, and names the split of its rates', async () => {
    const { look } = await placeWith(wholeRun());
    const { stdout, stderr } = await look('why');
    expect(stdout).toMatch(/^After training stage \d, all families: valid .* % on validation \(/m);
    expect(stderr).not.toContain('with a failed rollout');
    const shown = await placeShown();
    expect((await shown.look('why')).stderr).toContain('with a failed rollout');
    const { stdout: knob } = await shown.look('why', 'shown-run@2', '8.hole');
    expect(knob).toMatch(/^Cites B8\.valid 13 % \(4 of 32 on probe\), /m);
    expect(knob).toMatch(/^After training stage \d, family 8: valid 20 → 40 % on validation \(/m);
  });

  it('does not count the shown knob among those kept on purpose', async () => {
    const kept = [{ knob: '4.hole', family: '4', cites: ['B4.valid'], reason: 'It works.' }];
    const { look } = await placeShown({ kept });
    expect((await look('why', 'shown-run@2')).stdout).toContain('Also 1 knob kept on purpose');
    const { stdout } = await look('why', 'shown-run@2', '4.hole');
    expect(stdout).toContain('\n4.hole stays 0.1, unchanged since the start.\n');
    expect(stdout).not.toContain('kept on purpose');
  });

  it('suggests a query for the failed rollouts of the family if none is cited', async () => {
    const { look } = await placeWith(wholeRun());
    const { stdout, stderr } = await look('why', 'latest@2', '5.hole');
    expect(stdout).toContain('No failed rollout');
    const query = /icecore sql "(.*)"$/m.exec(stderr)?.[1] ?? '';
    expect(query).toContain("family = '5' AND NOT success");
    expect(await look('sql', query)).toMatchObject({ code: 0 });
  });

  it('prints the failed step of a rollout that cannot be drawn, and the command that prints its event', async () => {
    const [rates] = summariesOf(4);
    const { look } = await placeWhere(async (ledger) => {
      const recording = shownRun({ isSealed: true, summaries: rates === undefined ? [] : [rates] });
      await recording.writeTo(ledger);
      await writeEvidence(ledger, recording.run, { answer: undefined });
    });
    const { stdout, stderr } = await look('why', 'shown-run@2', '8.hole');
    expect(stdout).toContain(
      [
        'As an example, a failed rollout of family 8 not shown to the engineer: stage 1, hole in step 2',
        '  step 2: hole: fell in',
        '  icecore event show evidence-shown-run-1-0-0@0',
      ].join('\n'),
    );
    expect(stderr).not.toContain('icecore sql');
  });

  it('prints below a drawing an unwrapped command with the --ledger of the call', async () => {
    const { cwd, look, within } = await placeShown();
    const ledger = ['--ledger', `sqlite:${cwd}/.icecore/ledger.db`];
    const { stdout } = await look('why', ...ledger, 'shown-run@2', '8.hole');
    const [, footer = ''] = /^ {2}(icecore .*event show.*)$/m.exec(stdout) ?? [];
    expect(footer).toBe(`icecore ${ledger.join(' ')} event show evidence-shown-run-1-0-0@0`);
    expect(await look(...footer.split(' ').slice(1))).toMatchObject({ code: 0 });
    const narrow = await within({ terminal: 40 })('why', ...ledger, 'shown-run@2', '8.hole');
    expect(narrow.stdout.replaceAll(ownColour, '')).toContain(`  ${footer}\n`);
  });

  it('explains the term "estimated worth" if a reason uses it', async () => {
    const reason = 'more data: 39 % of the estimated worth, but 13 % of the data so far';
    const { look } = await placeShown({ change: { reason } });
    for (const argv of [['shown-run@2'], ['shown-run@2', '8.hole']])
      expect((await look('why', ...argv)).stdout).toContain(
        'Estimated worth: how much an engineer expects a family to teach',
      );
    expect((await look('audit', 'shown-run')).stdout).toContain('Estimated worth: ');
    for (const verb of ['why', 'audit'])
      expect((await (await placeShown()).look(verb)).stdout).not.toContain('Estimated worth');
  });

  it('rejects a stage in place of a knob, and suggests RUN@K', async () => {
    const { look } = await placeShown();
    const { code, stderr } = await look('why', 'shown-run', '2');
    expect(code).toBe(2);
    expect(stderr).toContain('For stage 2: icecore why shown-run@2');
    expect((await look('why', '2')).stderr).toContain('Stage 2 of the last run is latest@2.');
  });

  it('suggests the command that prints the recorded context', async () => {
    const otherwise = await placeShown({ form: { name: 'v4', modules: ['objective', 'failures', 'history'] } });
    const typed =
      /what the engineer was shown +\S*icecore (.*)$/m.exec((await otherwise.look('why', '--verbose')).stderr)?.[1] ??
      '';
    expect(typed).toMatch(/^event /);
    expect((await otherwise.look(...typed.split(' '))).stdout).toContain('what was shown');
  });

  it('suggests for an unchanged knob the stage where it changes next', async () => {
    const { look } = await placeShown();
    const first = await look('why', '--verbose', 'shown-run@1', '8.hole');
    expect(first.stdout).toContain('8.hole starts at 0.3; it changes next for stage 2: 0.3 → 0.2');
    expect(first.stderr).toMatch(/when it changes next {2}\S*icecore why shown-run@2 8\.hole$/m);
    const never = await look('why', '--verbose', 'shown-run@2', '4.hole');
    expect(never.stdout).toContain('4.hole stays 0.1, unchanged since the start\n');
    expect(never.stderr).not.toContain('when it');
  });

  it('prints as much detail as --detail says', async () => {
    const { look } = await placeShown();
    const depth = async (number: string): Promise<string> =>
      (await look('why', '--verbose', '--detail', number)).stdout;
    expect(await depth('1')).not.toMatch(/cites|B8\.valid/);
    expect(await depth('2')).not.toMatch(/4 of 32/);
    expect(await depth('3')).toMatch(/4 of 32/);
    expect(await depth('3')).not.toContain('evidence-shown-run');
    expect(await depth('4')).toContain('evidence-shown-run');
    expect(await look('why', '--verbose', '--detail', '9')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--detail: found "9", allowed: 1, 2, 3, 4'),
    });
  });

  it('prints JSON that matches its schema', async () => {
    const { look } = await placeShown();
    for (const argv of [
      ['why'],
      ['why', 'latest@1'],
      ['why', 'latest', '8', '--detail', '4'],
      ['why', 'latest', '4'],
    ]) {
      const result = await look(...argv, '--json');
      expect(faultsAgainst('why', json(result))).toEqual([]);
      expect(result.stderr).toBe('');
    }
    const whole = await placeWith(wholeRun());
    for (const stage of [1, 2, 3]) {
      expect(faultsAgainst('why', json(await whole.look('why', '--verbose', `latest@${stage}`, '--json')))).toEqual([]);
    }
    expect(await look('why', '--verbose', '--format', 'md', '--json')).toMatchObject({ code: 2 });
  });

  it('prints Markdown with escaped texts, and drawings in code blocks', async () => {
    const says = '# <script>alert(1)</script> *no* `tick` |';
    const { look } = await placeShown({ change: { reason: says } });
    const { stdout, stderr } = await look('why', '--verbose', 'shown-run@2', '8.hole', '--format', 'md');
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^# shown-run@2\n\nstage complete\n/);
    expect(stdout).toContain('- **8.hole 0.3 → 0.2 (-2 knob steps, easier)**\n');
    expect(stdout).toContain('    ```text\n    ┌──┐\n    │a▾│ step 2\n    └──┘\n    ```\n');
    expect(stdout).toContain('"# \\<script\\>alert(1)\\</script\\> \\*no\\* \\`tick\\` \\|"');
    expect(stdout).not.toContain('<script>');
  });

  it('fits the terminal, and prints the same text with and without colours', async () => {
    const long = 'They fell into holes at the edge, again and again, whatever way they took. '.repeat(3).trim();
    const { look, within } = await placeShown({ change: { reason: long } });
    const plain = (await within({ terminal: 80, env: { NO_COLOR: '1' } })('why', '--verbose', 'latest', '8.hole'))
      .stdout;
    for (const line of lines(plain)) expect(displayWidth(line), line).toBeLessThanOrEqual(80);
    const coloured = (await within({ terminal: 80 })('why', '--verbose', 'latest', '8.hole')).stdout;
    expect(coloured).toMatch(ownColour);
    expect(coloured.replaceAll(ownColour, '')).toBe(plain);
    expect((await look('why', '--verbose', 'latest', '8.hole')).stdout).not.toMatch(ownColour);
    expect((await look('why', '--verbose')).stdout).toContain(`"${long}"`);
  });

  it('prints the reason of the one knob it explains, and only an unusually long one is cut, with a note', async () => {
    const sentence = 'They fell into holes at the edge, again and again, whatever way they took. ';
    const answer = async (reason: string): Promise<string> => {
      const { look } = await placeShown({ change: { reason } });
      return (await look('why', 'latest', '8.hole')).stdout.replaceAll(/\s+/g, ' ');
    };
    const usual = sentence.repeat(4).trim();
    expect(await answer(usual)).toContain(`"${usual}"`);
    expect(await answer(sentence.repeat(20))).toMatch(/…" The whole reason: --verbose\./);
  });

  it('reports a change without evidence, or with citations that do not support it', async () => {
    const saying = async (cites: string[] | null): Promise<string> => {
      const { look } = await placeShown({ change: { cites, reason: null } });
      return (await look('why', '--verbose', 'latest', '8.hole')).stdout;
    };
    expect(await saying(null)).toContain('no evidence cited');
    expect(await saying(['F9'])).toMatch(
      /cites F9, which was not shown; nothing supports it\n.*F9 {2}not shown: there was no such evidence id/,
    );
    expect(await saying(['B4.valid'])).toMatch(
      /cites evidence about another family; nothing.*\n.*about family 4, another one/,
    );
    expect(await saying(['O.stages-to-go'])).toContain('not about what the policy did (objective)');
  });

  it('explains kept and initial configurations, alerts, rejected answers and clamps', async () => {
    const { look } = await placeWith(wholeRun());
    const kept = (await look('why', '--verbose', 'latest@3')).stdout;
    expect(kept).toContain('kept from stage 2: the answer of gpt was rejected');
    expect(kept).toContain('no knob changed');
    expect(kept).toMatch(/^└─ of gpt, invalid; icecore event show .*\n {3}5\.data: found "much", allowed: a number$/m);
    expect(kept).toContain('stage 2: what was mastered is being forgotten in 3');
    const initial = (await look('why', '--verbose', 'latest@1')).stdout;
    expect(initial).toContain('given, not decided: the run started with this configuration');
    expect((await look('why', '--verbose', 'latest@2')).stdout).toContain(
      'clamped: 0.18 was proposed, 0.2 is used (step)',
    );
  });

  it('names an evidence rollout without drawing it at --detail 3, and reports an erased answer below a drawing', async () => {
    const { look } = await placeShown({ change: { cites: ['F1'] } });
    expect((await look('why', '--verbose', '--detail', '3')).stdout).toMatch(/─ F1 {2}a rollout of family 8$/m);
    const erased = await placeWhere(async (ledger) => {
      await shownRun().writeTo(ledger);
      await writeEvidence(ledger, 'shown-run', { completion: { blob: 'a'.repeat(64), bytes: 9 } });
    });
    expect((await erased.look('why', '--verbose', 'latest', '8.hole')).stdout).toMatch(
      /└──┘\n.*what the policy answered was erased, or its blob is missing$/m,
    );
  });

  it('reports cited figures for which the engineer was shown no rollout', async () => {
    const [behaviour] = summariesOf(4);
    const summaries = behaviour === undefined ? [] : [behaviour];
    const { look } = await placeShown({ summaries, change: { cites: ['B8.valid'] } });
    expect((await look('why', '--verbose', 'latest', '8.hole')).stdout).toMatch(
      /─ B8\.valid .*\n.*─ none of the rollouts behind it was shown\n/,
    );
  });

  it('fails for an unknown run, stage or knob, and suggests similar names', async () => {
    const { look } = await placeShown();
    const wrong: readonly (readonly [argv: readonly string[], code: number, says: string])[] = [
      [['why', 'latest', '8.hol'], 2, 'Did you mean 8.hole'],
      [['why', 'shwn-run'], 1, 'Did you mean shown-run?'],
      [['why', 'whatever-it-was'], 1, 'icecore runs lists them.'],
      [['why', 'shown-run@7'], 2, 'shown-run has no stage 7: 2 stages are complete'],
      [['why', 'shown-run@'], 2, 'RUN or RUN@K'],
      [['why', 'latest', '\u001b[31m'], 2, 'has no knob'],
    ];
    for (const [argv, code, says] of wrong) {
      const ran = await look(...argv);
      expect([argv, ran.code, ran.stdout]).toEqual([argv, code, '']);
      expect(ran.stderr).toContain(says);
      expect(steering(ran.stderr)).toEqual([]);
    }
    const empty = await placeWith();
    expect((await empty.look('why', '--verbose')).stderr).toContain('There are none yet: icecore run starts one.');
  });

  it('escapes control characters in reasons and citations', async () => {
    const rubbish = 'a\u001b[2Jb\u202ec';
    const recording = new Recording('odd');
    recording.add('RunStarted', null, {
      name: 'odd',
      environment: { name: 'lake' },
      descriptor: descriptorOf(['<b>']),
    });
    const { look } = await placeShown({ change: { reason: rubbish, cites: ['F1', rubbish.replaceAll(' ', '')] } });
    for (const argv of [
      ['why'],
      ['why', 'latest', '8.hole'],
      ['why', '--format', 'md', '--detail', '4'],
      ['why', '--json'],
    ]) {
      const ran = await look(...argv);
      expect(ran.code).toBe(0);
      expect(steering(ran.stdout)).toEqual([]);
    }
    const { look: lookAtOdd } = await placeWith(recording);
    expect(await lookAtOdd('why')).toMatchObject({ code: 1, stderr: expect.stringContaining('no decision yet') });
  });
});
