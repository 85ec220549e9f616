/** Says in words why a connection could not be made, or ended: texts of OpenSSL and of clients help no owner of a feed. */
import { BlockedAddressError } from '../guard/blocked-address.js';
import { RemoteFailure, type RemoteFailureCode } from './remote-folder.js';

interface Explained {
  readonly code: RemoteFailureCode;
  readonly message: string;
  readonly isTransient?: boolean;
}

const INSIDE = 'give a public address, or have the operator allow this network (WEBHOOK_ALLOWED_NETWORKS)';
const NO_ADDRESS = 'no address was found for the name of the server: correct the name, or have it entered';
const NO_LOOKUP = 'the name servers did not answer the lookup of the name of the server, or refused it';
const REFUSED = 'the server refuses the connection: nothing listens at this address and port';
const NO_ROUTE = 'no route leads to the address of the server';
const CLOSED = 'the server has closed the connection';
const TOO_LATE = 'the server did not accept a connection in time';
const UNREADABLE =
  'the server answers in a form that we cannot read: the address or the port belongs to something else';
const UNTRUSTED =
  'the certificate of the server was not issued by a known authority, or the server does not send the intermediate certificates';

const BY_CODE: ReadonlyMap<string, Explained> = new Map([
  ...coded('UNREACHABLE', NO_ADDRESS, 'ENOTFOUND', 'ENODATA', 'EAI_NODATA', 'EAI_NONAME'),
  ...coded('UNREACHABLE', NO_LOOKUP, 'ESERVFAIL', 'EREFUSED', 'EFORMERR', 'ENOTIMP', 'ETIMEOUT', 'EBADRESP'),
  ...coded('UNREACHABLE', NO_LOOKUP, 'EAI_AGAIN', 'EAI_FAIL'),
  ...coded('UNREACHABLE', REFUSED, 'ECONNREFUSED'),
  ...coded('UNREACHABLE', NO_ROUTE, 'EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN', 'ENETDOWN'),
  ...coded('TIMED_OUT', TOO_LATE, 'UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT', 'TimeoutError'),
  ...coded('BROKEN_OFF', CLOSED, 'ECONNRESET', 'EPIPE', 'ECONNABORTED', 'UND_ERR_SOCKET', 'ERR_STREAM_PREMATURE_CLOSE'),
  ...coded('BROKEN_OFF', CLOSED, 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'HPE_INVALID_EOF_STATE', 'UND_ERR_ABORTED'),
  ...refused('the headers of the answer are too large', 'HPE_HEADER_OVERFLOW', 'UND_ERR_HEADERS_OVERFLOW'),
  ...refused('the name of the server is not a valid host name', 'EBADNAME', 'EBADQUERY'),
  ...refused('the certificate of the server has expired', 'CERT_HAS_EXPIRED'),
  ...refused('the certificate of the server is not valid yet', 'CERT_NOT_YET_VALID'),
  ...refused('the certificate of the server is self-signed', 'DEPTH_ZERO_SELF_SIGNED_CERT'),
  ...refused(UNTRUSTED, 'SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'CERT_UNTRUSTED'),
  ...refused(UNTRUSTED, 'UNABLE_TO_GET_ISSUER_CERT', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'),
  ...refused('the certificate of the server was revoked', 'CERT_REVOKED'),
  ...refused('the certificate of the server is for another host', 'ERR_TLS_CERT_ALTNAME_INVALID', 'HOSTNAME_MISMATCH'),
]);

function coded(code: RemoteFailureCode, message: string, ...codes: readonly string[]): [string, Explained][] {
  return codes.map((one) => [one, { code, message }]);
}

/** What stays so until somebody changes it. */
function refused(message: string, ...codes: readonly string[]): [string, Explained][] {
  return codes.map((one) => [one, { code: 'UNREACHABLE', message, isTransient: false }]);
}

/** @param error what a socket or an HTTP client has thrown; a failure is returned as it is */
export function connectionFailure(error: unknown): RemoteFailure {
  if (error instanceof RemoteFailure) return error;
  const { code, message, isTransient } = explain(error);
  return new RemoteFailure(code, message, { cause: error, ...(isTransient === undefined ? {} : { isTransient }) });
}

function explain(error: unknown): Explained {
  const code = codeOf(error);
  const text = error instanceof Error ? error.message : '';
  if (code === 'BLOCKED_ADDRESS') {
    const isInside = error instanceof BlockedAddressError && error.isInside;
    return { code: 'NOT_ALLOWED', message: isInside ? `${text}: ${INSIDE}` : text };
  }
  const known = BY_CODE.get(code);
  if (known !== undefined) return known;
  if (/^(?:ERR_TLS|ERR_SSL|EPROTO)/.test(code)) {
    const message = 'the server does not speak TLS at this port, or no version or cipher of it that we accept';
    return { code: 'UNREACHABLE', message, isTransient: false };
  }
  if (code.startsWith('HPE_') || (error instanceof Error && error.name === 'HTTPParserError')) {
    return { code: 'NOT_SUPPORTED', message: UNREADABLE };
  }
  return { code: 'BROKEN_OFF', message: `the connection to the server failed${code === '' ? '' : ` (${code})`}` };
}

/** If several addresses were tried, this is the code of the first failure. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  if ('code' in error && typeof error.code === 'string') return error.code;
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error.cause;
  return first instanceof Error ? codeOf(first) : error.name === 'TimeoutError' ? error.name : '';
}
