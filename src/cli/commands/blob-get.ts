import { text } from '../../library/plugins/values.ts';
import { argument, defineCommand } from '../command.ts';

export const command = defineCommand({
  notes: `
Write the bytes of a blob to standard output and check them against the digest.
`,
  examples: [
    [
      'icecore blob get 2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae > transcript.json',
      'Into a file',
    ],
  ],
  args: { digest: argument('<digest>', 'the digest that icecore blob put printed', text) },
  run: async (context, { digest }) => (await import('../blob/blob.ts')).getBlob(context, digest),
});
