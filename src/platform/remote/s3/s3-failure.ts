/** What the answers of a store in S3 mean to the owner of a feed. */
import { statusOf } from '../../s3/failure.js';
import { connectionFailure } from '../connection-failure.js';
import { RemoteFailure, type RemoteFailureCode } from '../remote-folder.js';

interface Meaning {
  readonly code: RemoteFailureCode;
  readonly message: string;
}

const WRONG_KEY = 'the store refuses the login: correct the access key and the secret key';
const OTHER_REGION = 'the bucket lies in another region: name that of the bucket';

const MEANINGS: Readonly<Record<string, Meaning>> = {
  InvalidAccessKeyId: { code: 'REFUSED_LOGIN', message: WRONG_KEY },
  SignatureDoesNotMatch: { code: 'REFUSED_LOGIN', message: WRONG_KEY },
  AuthorizationHeaderMalformed: { code: 'NOT_SUPPORTED', message: OTHER_REGION },
  PermanentRedirect: { code: 'NOT_SUPPORTED', message: OTHER_REGION },
  ExpiredToken: { code: 'REFUSED_LOGIN', message: 'the credentials have expired: renew them' },
  RequestTimeTooSkewed: { code: 'UNREACHABLE', message: 'the clocks of the store and of this machine differ too much' },
  NoSuchBucket: { code: 'NOT_FOUND', message: 'there is no such bucket' },
  NoSuchKey: { code: 'NOT_FOUND', message: 'the bucket has no such file' },
  InvalidObjectState: { code: 'NOT_ALLOWED', message: 'the file is in an archive: have it restored' },
  PreconditionFailed: {
    code: 'CHANGED_WHILE_READ',
    message: 'the file was replaced meanwhile; the next run looks at it again',
  },
};

/** @param what was called */
export function s3Failure(error: unknown, what: string, bucket: string): RemoteFailure {
  if (error instanceof RemoteFailure) return error;
  const status = statusOf(error);
  const name = error instanceof Error ? error.name : '';
  const failed = (code: RemoteFailureCode, message: string) =>
    new RemoteFailure(code, `${what} in the bucket ${bucket}: ${message}`, { cause: error });
  const known = Object.hasOwn(MEANINGS, name) ? MEANINGS[name] : undefined;
  if (known !== undefined) return failed(known.code, known.message);
  if (status === 412)
    return failed('CHANGED_WHILE_READ', 'the file was replaced meanwhile; the next run looks at it again');
  if (status === 404) return failed('NOT_FOUND', 'there is no such file or bucket');
  if (status === 401) return failed('REFUSED_LOGIN', WRONG_KEY);
  if (status === 403)
    return failed(
      'NOT_ALLOWED',
      'the store does not allow this to the access key: list, get, put and delete are needed',
    );
  if (status === 301 || status === 307) return failed('NOT_SUPPORTED', OTHER_REGION);
  if (status === 429 || (status !== undefined && status >= 500)) {
    return failed('UNREACHABLE', `the store is overloaded or out of order (status ${status})`);
  }
  if (status !== undefined && status < 300)
    return failed('NOT_SUPPORTED', 'what answers there is no store with the API of S3');
  if (status !== undefined) return failed('NOT_SUPPORTED', `the store refuses it (${name}, status ${status})`);
  return connectionFailure(error);
}
