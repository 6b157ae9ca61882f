import { expect, it } from 'vitest';
import { sibling } from './sibling.ts';

it('a sibling is source beside source, and built code beside built code', () => {
  expect(sibling('worker', 'file:///clone/src/part/asker.ts').href).toBe('file:///clone/src/part/worker.ts');
  expect(sibling('worker', 'file:///package/dist/part/asker.js').href).toBe('file:///package/dist/part/worker.js');
});
