import { filledText, path } from '../../library/plugins/values.ts';
import { argument, defineCommand, flag, option } from '../command.ts';

export const command = defineCommand({
  config: 'run',
  notes: `
Import runs from a file with one JSON object per line. Every object has the members "run" (a name) and "stage" (from 1). The
member "at" (a time with an offset) is optional. The object is one of:

  a rollout         success or outcome; family?, task?, split?, policy?, reward?, failure?, prompt?,
                    completion?, answer?, expected?, seed?, trainingStep?, metrics?
  a configuration   config, numbers by knob; by? (human or engineer), engineer?, reasons? by knob, rationale?
  a measurement     measure, value; family?, suite? (validation), count?, of?, low?, high?

One line of each:

  {"run": "mine", "stage": 2, "family": "hard", "task": "t7", "split": "validation", "success": false}
  {"run": "mine", "stage": 2, "config": {"hard.data": 0.6}, "reasons": {"hard.data": "too easy"}}
  {"run": "mine", "stage": 2, "measure": "valid", "value": 0.43, "family": "hard"}

A knob is family.knob, or a name alone if it concerns all families. {"hard": {"data": 0.6}} means the same as
{"hard.data": 0.6}.

--map names a JSON file for records of another shape. It says where each member is:

  {"run": "experiment.name", "success": "eval.correct", "split": {"value": "train"}, "value": null}

Here run and success come from these paths, split is "train" in every record, and a member called value is ignored. All other
members are read under their own names, and unknown members are ignored.

The whole file is checked first: a line that is wrong is named with its field, and nothing is imported. The runs are then
complete: icecore why, show, compare, sql and verify work on them. Importing the same file again adds nothing. A run that is
recorded does not change: a file that says something else about it is refused.
`,
  examples: [
    ['icecore import ndjson training.ndjson', 'Import the runs of a file'],
    [
      'icecore import ndjson log.jsonl --map fields.json --name grpo-1',
      'Records of another shape, with a name for their run',
    ],
    ['icecore import ndjson training.ndjson --dry-run', 'Check every line and write nothing'],
    ['icecore why grpo-1@2', 'Why a stage was configured as it was'],
  ],
  args: { file: argument('<file>', 'records, one JSON object per line', path) },
  options: {
    map: option('--map <file>', 'JSON file that says where records have each member', path),
    environment: option('--environment <name>', 'name of the environment', filledText, {
      otherwise: 'the name of the file',
    }),
    name: option('--name <name>', 'name of the run, instead of the one in the records', filledText),
    dryRun: flag('--dry-run', 'check every line and write nothing'),
  },
  run: async (context, { file }, options) =>
    (await import('../export/ndjson.ts')).importNdjsonFrom(context, file, options),
});
