// From a URL to the blobs in a bucket. The bucket must be there: whose it is, where it lies and what it costs is not for
// icecore to decide.
import { S3Client } from './client.ts';
import { s3Place } from './place.ts';
import { S3Shelf } from './shelf.ts';

export async function openS3(url: string): Promise<S3Shelf> {
  const shelf = new S3Shelf(new S3Client(s3Place(url, process.env)));
  await shelf.requireStore();
  return shelf;
}
