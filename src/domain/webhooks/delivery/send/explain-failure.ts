/**
 * Classifies requests that got no answer, separates the faults of targets from our own, and says in words what
 * happened. Texts of OpenSSL and of the HTTP client say what failed inside of them, and not what the owner of a
 * target can do.
 */
import type { SendFailure } from './send-result.js';

/** Errors of this machine or its name servers. */
const OURS = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', 'EADDRNOTAVAIL', 'EAI_MEMORY', 'EAI_SYSTEM']);

/** Why nothing came back, and a sentence for the owner of the target. */
interface Explained {
  readonly failure: SendFailure;
  readonly message: string;
}

const NO_ADDRESS = 'no address was found for the name of the target';
const NO_LOOKUP = 'the name servers of the target did not answer the lookup of its name, or refused it';
const UNREACHABLE = 'no route leads to the address of the target';
const CLOSED = 'the target closed the connection before it had answered; it may have received the request';
const UNREADABLE = 'the target answered in a form that we cannot read; it may have received the request';
const UNTRUSTED =
  'the certificate of the target was not issued by a known authority, or the target does not send the intermediate certificates';
const NO_TLS = 'the target does not speak TLS at this port, or no version or cipher of it that we accept';
const CLOSED_IN_HANDSHAKE = 'the target closed the connection during the TLS handshake';

/** What each code of an error means. */
const BY_CODE: ReadonlyMap<string, Explained> = new Map([
  ...coded('dns', NO_ADDRESS, 'ENOTFOUND', 'ENODATA', 'EAI_NODATA', 'EAI_NONAME'),
  ...coded('dns', NO_LOOKUP, 'ESERVFAIL', 'EREFUSED', 'EFORMERR', 'ENOTIMP', 'ETIMEOUT', 'EBADRESP', 'EAI_AGAIN'),
  ...coded('dns', 'the name of the target is not a valid host name', 'EBADNAME', 'EBADQUERY'),
  ...coded('refused', 'the target refused the connection: nothing listens at this address and port', 'ECONNREFUSED'),
  ...coded('time-out', 'the target did not accept a connection in time', 'UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT'),
  ...coded('connection', UNREACHABLE, 'EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN', 'ENETDOWN'),
  ...coded('connection', CLOSED, 'ECONNRESET', 'EPIPE', 'ECONNABORTED', 'UND_ERR_SOCKET'),
  ...coded(
    'connection',
    'the target closed the connection before the end of its answer; it may have received the request',
    'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
    'HPE_INVALID_EOF_STATE',
  ),
  ...coded(
    'connection',
    'the headers of the answer are too large; the target may have received the request',
    'HPE_HEADER_OVERFLOW',
    'UND_ERR_HEADERS_OVERFLOW',
  ),
  ...coded('tls', 'the certificate of the target has expired', 'CERT_HAS_EXPIRED'),
  ...coded('tls', 'the certificate of the target is not valid yet', 'CERT_NOT_YET_VALID'),
  ...coded(
    'tls',
    'the certificate of the target is self-signed; a certificate of a known authority is needed',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
  ),
  ...coded(
    'tls',
    UNTRUSTED,
    'SELF_SIGNED_CERT_IN_CHAIN',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'UNABLE_TO_GET_ISSUER_CERT',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'CERT_UNTRUSTED',
  ),
  ...coded('tls', 'the certificate of the target was revoked', 'CERT_REVOKED'),
  ...coded(
    'tls',
    'the certificate of the target is for another host name',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'HOSTNAME_MISMATCH',
  ),
]);

function coded(failure: SendFailure, message: string, ...codes: readonly string[]): [string, Explained][] {
  return codes.map((code) => [code, { failure, message }]);
}

const CERTIFICATE = /CERT_|_CERT/;
const HANDSHAKE = /^(?:ERR_TLS|ERR_SSL|EPROTO)/;

/**
 * @param secure whether the target is an https address
 * @returns null when the fault is ours, so that nothing is known about the target
 */
export function explainFailure(error: Error, secure: boolean): Explained | null {
  const code = codeOf(error);
  if (error.name === 'ResolverOutOfReachError' || OURS.has(code)) return null;
  if (code === 'BLOCKED_ADDRESS') return { failure: 'blocked', message: error.message };
  // The server closed the connection during the handshake, which has the code of any other connection that was closed.
  if (secure && /secure TLS connection/i.test(error.message)) return { failure: 'tls', message: CLOSED_IN_HANDSHAKE };
  // A 100 Continue that was not asked for, or an answer that changes the protocol.
  if (/^bad (?:response|upgrade)$/.test(error.message)) return { failure: 'connection', message: UNREADABLE };
  const known = BY_CODE.get(code);
  if (known !== undefined) return known;
  if (HANDSHAKE.test(code)) return { failure: 'tls', message: NO_TLS };
  if (CERTIFICATE.test(code))
    return { failure: 'tls', message: `the certificate of the target is not accepted (${code})` };
  if (code.startsWith('EAI_')) return { failure: 'dns', message: NO_LOOKUP };
  if (error.name === 'HTTPParserError') return { failure: 'connection', message: UNREADABLE };
  const named = code === '' ? '' : ` (${code})`;
  return {
    failure: 'connection',
    message: `the connection to the target failed${named}; it may have received the request`,
  };
}

/** If several addresses were tried, this is the code of the first failure. */
function codeOf(error: Error): string {
  if ('code' in error && typeof error.code === 'string') return error.code;
  const first: unknown = error instanceof AggregateError ? error.errors[0] : undefined;
  return first instanceof Error ? codeOf(first) : '';
}
