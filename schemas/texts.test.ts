import { describe, expect, test } from 'vitest';
import { blobsIn, replaceTexts, textsIn } from './texts.ts';

const blob = 'ab'.repeat(32);

describe('the texts and blobs of an event', () => {
  const rollout = {
    prompt: { text: 'Go.' },
    completion: { blob, bytes: 9 },
    details: { kind: 'x', content: { blob } },
  };

  test('are found where the schema has them, and only there', () => {
    expect(textsIn('RolloutRecorded', 1, rollout)).toEqual([{ field: 'data.prompt', text: 'Go.' }]);
    expect(blobsIn('RolloutRecorded', 1, rollout)).toEqual([
      { field: 'data.completion', isText: true, blob, bytes: 9, preview: null },
    ]);
  });

  test('are found inside other objects and where they are null or missing', () => {
    const task = { id: 'a', digest: blob, blob: { blob, bytes: 1 } };
    expect(blobsIn('RolloutRecorded', 1, { task })).toEqual([
      { field: 'data.task.blob', isText: false, blob, bytes: 1, preview: null },
    ]);
    expect(textsIn('ModelAnswered', 1, { answer: null })).toEqual([]);
  });

  test('are not taken for texts where only a blob may stand', () => {
    expect(textsIn('RolloutRecorded', 1, { task: { blob: { text: 'Go.' } } })).toEqual([]);
  });

  test('are unknown where the type or version is', () => {
    expect(blobsIn('Invented', 1, rollout)).toEqual([]);
    expect(blobsIn('RolloutRecorded', 99, rollout)).toEqual([]);
    expect(blobsIn('RolloutRecorded', 1, null)).toEqual([]);
  });

  test('can be replaced, without touching what was given', () => {
    const before = structuredClone(rollout);
    const after = replaceTexts('RolloutRecorded', 1, rollout, () => ({ blob, bytes: 3 }));
    expect(after).toEqual({ ...rollout, prompt: { blob, bytes: 3 } });
    expect(rollout).toEqual(before);
    expect(replaceTexts('RolloutRecorded', 1, rollout, () => null)).toBe(rollout);
  });
});
