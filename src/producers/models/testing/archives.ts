// Tar archives for tests, honest and hostile, made entry by entry.
import { Header, type HeaderData } from 'tar';

export interface ArchiveEntry extends HeaderData {
  readonly path: string;
  readonly content?: string;
}

const block = 512;

export function archiveOf(entries: readonly ArchiveEntry[]): Buffer {
  const parts = entries.flatMap(({ content = '', ...header }) => {
    const head = Buffer.alloc(block);
    new Header({ type: 'File', mode: 0o644, size: Buffer.byteLength(content), ...header }).encode(head);
    const body = Buffer.alloc(Math.ceil(Buffer.byteLength(content) / block) * block);
    body.write(content);
    return [head, body];
  });
  return Buffer.concat([...parts, Buffer.alloc(2 * block)]);
}

/** A packed LoRA adapter. */
export function packedAdapter(weights = 'weights'): Buffer {
  return archiveOf([
    { path: 'adapter_config.json', content: '{"r": 16}' },
    { path: 'adapter_model.safetensors', content: weights },
  ]);
}
