// From a URL and the environment to a place on an S3-compatible server, with the credentials for it.
import type { Environment } from '../../driver.ts';
import { type S3Credentials, type S3Location, s3Credentials, s3Location } from './location.ts';

export interface S3Place extends S3Location {
  /** As it was typed. */
  readonly url: string;
  readonly credentials: S3Credentials;
}

/** Throws BadBlobUrl, and NoCredentials. */
export function s3Place(url: string, environment: Environment): S3Place {
  return { url, ...s3Location(url, environment), credentials: s3Credentials(url, environment) };
}
