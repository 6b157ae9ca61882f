// Erasing for good. A bucket that keeps versions only marks an object as deleted, so its versions are destroyed as well.
import type { Answer } from './answer.ts';
import type { S3Client } from './client.ts';
import { elementsOf, textOf } from './xml.ts';

/** False when there was no such object. */
export async function eraseObject(client: S3Client, key: string): Promise<boolean> {
  const head = await client.ask({ method: 'HEAD', key, permission: 's3:GetObject', accept: [404] });
  const there = head.status !== 404;
  const answers = [head];
  if (there) answers.push(await client.ask({ method: 'DELETE', key, permission: 's3:DeleteObject', accept: [404] }));
  if (answers.some(tellsOfVersions)) await destroyVersions(client, key);
  return there;
}

function tellsOfVersions({ headers }: Answer): boolean {
  return headers.has('x-amz-version-id') || headers.has('x-amz-delete-marker');
}

async function destroyVersions(client: S3Client, key: string): Promise<void> {
  for (;;) {
    const versions = await versionsOf(client, key);
    if (versions.length === 0) return;
    for (const versionId of versions)
      await client.ask({
        method: 'DELETE',
        key,
        query: { versionId },
        permission: 's3:DeleteObjectVersion',
        accept: [404],
      });
  }
}

async function versionsOf(client: S3Client, key: string): Promise<string[]> {
  const query = { versions: '', prefix: key };
  const { body } = await client.ask({ method: 'GET', query, permission: 's3:ListBucketVersions' });
  const xml = body.toString();
  return [...elementsOf(xml, 'Version'), ...elementsOf(xml, 'DeleteMarker')].flatMap((element) =>
    textOf(element, 'Key') === key ? (textOf(element, 'VersionId') ?? []) : [],
  );
}
