/** The errors of a store with the API of S3, with what an operator can do about them. */
import { FileMissing, FileStoreUnavailable } from '../file-store.js';
import { FileStoreSilent } from '../store-calls.js';

/** The store has refused a request, or was not reached. The message names no credentials, and repeats no answer. */
export class S3Failure extends FileStoreUnavailable {
  constructor(
    message: string,
    cure: string | undefined,
    readonly s3Code: string,
    /** Not named `status`: the API would answer its own clients with that. */
    readonly httpStatus: number | undefined,
  ) {
    super(message, cure);
  }
}

/** It has no room, or the bucket has a quota. */
export class S3Full extends S3Failure {
  override readonly code = 'STORE_FULL';
}

export class OtherBytes extends FileStoreUnavailable {
  constructor() {
    super('the S3 store does not have the bytes that were written to it');
  }
}

export class Truncated extends FileStoreUnavailable {
  constructor(bytes: number, expected: number) {
    super(`the S3 store sent ${bytes} of ${expected} bytes`);
  }
}

const NO_ROOM = 'give the store more room, or raise the quota of the bucket';
const WRONG_CREDENTIALS = 'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to a key that may use the bucket';
/** What stores answer that have no room: MinIO and Ceph. */
const FULL = /^(?:XMinioStorageFull|XMinioAdminBucketQuotaExceeded|QuotaExceeded|InsufficientStorage)$/;
/** For so long, no files are accepted after that. */
export const FULL_MS = 5_000;
const CURES: Readonly<Record<string, string>> = {
  NoSuchBucket: 'create the bucket, or correct STORAGE_URL',
  NotFound: 'create the bucket, or correct STORAGE_URL',
  AccessDenied: 'allow the key to get, put, delete and list objects and multipart uploads in the bucket',
  Forbidden: WRONG_CREDENTIALS,
  InvalidAccessKeyId: WRONG_CREDENTIALS,
  SignatureDoesNotMatch: WRONG_CREDENTIALS,
  CredentialsProviderError: WRONG_CREDENTIALS,
  ExpiredToken: 'renew the temporary credentials',
  RequestTimeTooSkewed: 'set the clock of this machine',
  XMinioStorageFull: NO_ROOM,
  XMinioAdminBucketQuotaExceeded: NO_ROOM,
  QuotaExceeded: NO_ROOM,
  InsufficientStorage: NO_ROOM,
  PermanentRedirect: 'name the region of the bucket in STORAGE_URL (region=…)',
  AuthorizationHeaderMalformed: 'name the region of the bucket in STORAGE_URL (region=…)',
};

/** Every failure of the store is an outage of it; that an object is missing is found out by the caller. */
export function failureOf(what: string, bucket: string, error: unknown): Error {
  if (error instanceof FileMissing || error instanceof FileStoreUnavailable || error instanceof FileStoreSilent) {
    return error;
  }
  // A mistake of ours is no outage.
  if (error instanceof TypeError || error instanceof ReferenceError) return error;
  const status = statusOf(error);
  const code = codeOf(error, status);
  const cure = CURES[code];
  const answer = status === undefined ? code : `${code}, HTTP status ${status}`;
  const message = `the S3 store has failed at ${what} in the bucket ${bucket}: ${answer}${cure === undefined ? '' : `; ${cure}`}`;
  return new (FULL.test(code) || status === 507 ? S3Full : S3Failure)(message, cure, code, status);
}

export function statusOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('$metadata' in error)) return undefined;
  return (error.$metadata as { readonly httpStatusCode?: number } | undefined)?.httpStatusCode;
}

function codeOf(error: unknown, status: number | undefined): string {
  if (!(error instanceof Error)) return 'unknown';
  // The answer to HEAD has no body with a code.
  if (status === 403 && /^(?:Unknown|UnknownError|\d+)$/.test(error.name)) return 'Forbidden';
  if (status === 404 && !error.name.startsWith('NoSuch')) return 'NotFound';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error.name;
}
